/**
 * Updates before they are accepted: who speaks, where, and whether Neo listens. Invariant 1: identity is the sender's id and
 * nothing else; an unknown sender gets one short line, in a private chat. Invariant 2: a group without a file, and whom a
 * group's file does not let in, get no answer. Invariant 3: when `take` resolves, the update is saved or means nothing.
 * Invariant 4: a malformed update blocks no other.
 */
import type { Update } from 'grammy/types'
import type { Bus } from '../open-channels.ts'
import { type Inbound, placeText, type Speaker } from '../channel-message.ts'
import { NeoError } from '../../domain/home/error.ts'
import { refusedInGroup, scopeName, topicScope, type Who, whoIs } from '../../domain/policy/known-people.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Context } from '../../engine/context.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import type { Chats } from './chats.ts'
import { groupOf, type GroupsOptions, type Named } from './groups.ts'
import type { MediaKeeper } from './media.ts'
import { type Bot, heardIn, type Pressed, type Said } from './update.ts'
import { refuseStranger } from '../commands/message-commands.ts'
import { ownPrompt } from '../commands/command-names.ts'

export interface ReceiveOptions {
  readonly context: Context
  readonly bus: Bus
  readonly chats: Chats
  readonly groups: GroupsOptions
  readonly allowFrom: () => readonly string[]
  readonly bot: () => Bot
  /** Groups that are silent now, because somebody is inside who may not be. */
  readonly silenced: (group: Named) => boolean
  /** Takes messages with files, and what comes after them in their chat. */
  readonly media: Pick<MediaKeeper, 'hold' | 'has' | 'waits'>
  /** Answers the press of a button at once; '' says nothing. */
  readonly answer: (callbackId: string, text: string) => void
}

export async function take(options: ReceiveOptions, update: Update): Promise<void> {
  try {
    await taken(options, update)
  } catch (error) {
    // What the disk or git refuses is asked for again; what is no update would stand in the way for ever.
    if (error instanceof NeoError) throw error
    const text = `telegram: skipped update ${String(update.update_id)}: it is malformed`
    options.context.emit({ kind: 'trouble', text })
  }
}

async function taken(options: ReceiveOptions, update: Update): Promise<void> {
  const heard = heardIn(update, options.bot())
  switch (heard.kind) {
    case 'nothing':
      return
    case 'moved':
      options.chats.moved(heard.from, heard.to)
      return
    case 'said':
      said(options, heard)
      return
    case 'pressed':
      pressed(options, heard)
  }
}

function who({ context, allowFrom }: ReceiveOptions, number: string): Who {
  return whoIs({ channel: 'telegram', number }, membersIn(context), allowFrom())
}

function said(options: ReceiveOptions, heard: Said): void {
  const speaker = who(options, heard.from)
  const scope = scopeOf(options, heard, speaker)
  if (scope === null) return
  if (heard.isPrivate && isPairing(heard)) accept(options, heard, { speaker: 'human', scope, pairing: true })
  else if (speaker.kind === 'unknown')
    refuseStranger(options, { channel: 'telegram', chatId: heard.chatId, senderId: heard.from })
  else if (heard.isPrivate || heard.toBot)
    accept(options, heard, { speaker: nameOf(speaker), scope, pairing: false })
}

/** A forwarded code was somebody else's. */
function isPairing({ text, forwarded }: Said): boolean {
  return !forwarded && /^\/start(?:@\w+)?\s+[\w-]{8,64}$/.test(text)
}

function nameOf(speaker: Exclude<Who, { kind: 'unknown' }>): Exclude<Speaker, 'system'> {
  return speaker.kind === 'human' ? 'human' : `member:${speaker.id}`
}

/** `null`: Neo doesn't listen there. */
function scopeOf(options: ReceiveOptions, heard: Said | Pressed, speaker: Who): string | null {
  if (heard.isPrivate) return scopeName(`telegram:${heard.chatId}`)
  const group = groupOf(options.groups, heard.chatId)
  const why =
    group !== null && options.silenced(group)
      ? 'somebody in the group is not allowed there'
      : refusedInGroup(speaker, group)
  if (why === null && group !== null)
    return heard.thread === null ? group.scope : topicScope(group.scope, heard.thread)
  if (group !== null)
    options.context.emit({
      kind: 'refused',
      text: `telegram ${heard.chatId}, sender ${heard.from}: ${why ?? ''}`,
    })
  return null
}

interface As {
  readonly speaker: Exclude<Speaker, 'system'>
  readonly scope: string
  readonly pairing: boolean
}

function accept(options: ReceiveOptions, heard: Said, { speaker, scope, pairing }: As): void {
  const { chats, context } = options
  const chatId = chats.now(heard.chatId)
  const place = { channel: 'telegram', chatId, ...(heard.thread === null ? {} : { thread: heard.thread }) }
  const key = `telegram:${heard.chatId}:${heard.updateId}`
  if (options.bus.has(key) || options.media.has(key)) return
  const ask = heard.repliesTo === null ? null : chats.askOf(chatId, heard.repliesTo)
  const prompt = ownPrompt(context, heard.text)
  const isCommand = pairing || ask !== null || (prompt === null && heard.text.startsWith('/'))
  const message: Inbound = {
    ...place,
    key,
    senderId: heard.from,
    sessionKey: placeText(place),
    speaker,
    scope,
    target: speaker,
    room: roomOf(options, placeText(place)),
    content: prompt ?? heard.text,
    at: heard.at,
    kind: isCommand ? 'command' : 'message',
    media: [],
    metadata: { ...(ask === null ? {} : { ask }), ...(pairing ? { pairing: 'yes' } : {}) },
    replyTo: heard.messageId,
  }
  const waits = heard.files.length > 0 || options.media.waits(message.sessionKey)
  if (!isCommand && waits) options.media.hold(message, heard.files)
  else options.bus.accept(message)
}

/** For a topic, the room that names it in `notify:`; else the room chosen in this chat; else the lobby. */
export function roomOf({ chats, bus }: Pick<ReceiveOptions, 'chats' | 'bus'>, place: string): string {
  const rooms = bus.seen()?.rooms
  const isTopic = place.split(':').length === 3
  const named = isTopic
    ? [...(rooms?.values() ?? [])].find(({ room }) => room.notify.includes(place))
    : undefined
  const chosen = chats.room(place)
  return named?.name ?? (chosen !== null && rooms?.has(chosen) !== false ? chosen : LOBBY)
}

function pressed(options: ReceiveOptions, heard: Pressed): void {
  const speaker = who(options, heard.from)
  const scope = scopeOf(options, heard, speaker)
  if (speaker.kind === 'unknown' || scope === null) {
    options.answer(heard.callbackId, speaker.kind === 'unknown' ? '' : "You can't decide this request.")
    return
  }
  options.answer(heard.callbackId, '')
  const place = {
    channel: 'telegram',
    chatId: options.chats.now(heard.chatId),
    ...(heard.thread === null ? {} : { thread: heard.thread }),
  }
  const message: Inbound = {
    ...place,
    key: `telegram:${heard.chatId}:${heard.updateId}`,
    senderId: heard.from,
    sessionKey: placeText(place),
    speaker: nameOf(speaker),
    scope,
    target: nameOf(speaker),
    room: roomOf(options, placeText(place)),
    content: heard.data,
    at: new Date(options.context.world.clock.now()).toISOString(),
    kind: 'command',
    media: [],
    metadata: { press: heard.data, message: heard.messageId, text: heard.text },
    replyTo: heard.messageId,
  }
  options.bus.accept(message)
}
