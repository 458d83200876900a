/**
 * What a channel hears in a chat, before it is accepted: who speaks, in which conversation and room, and whether Neo
 * listens. Invariant 1: identity is the sender's id and nothing else; an unknown sender gets one short line, in a private
 * chat. Invariant 2: a group without a file, and whom a group's file does not let in, get no answer. Invariant 3: an invalid
 * SCOPE.md configures nothing, and the group that it names is ignored, whatever another file says.
 */

import { join } from 'node:path'
import { commandIn } from '../../domain/policy/channel-kinds.ts'
import {
  type Group,
  refusedInGroup,
  scopeName,
  topicScope,
  type Who,
  whoIs,
} from '../../domain/policy/known-people.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Context } from '../../engine/context.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import { readScope } from '../../files/kinds/read-scope.ts'
import type { Files } from '../../ports/files-port.ts'
import type { MessageQueues } from '../channel.ts'
import { type Inbound, type Place, placeOf, placeText, type Speaker } from '../channel-message.ts'
import { ownPrompt } from '../commands/message-commands.ts'
import { refuseStranger } from '../commands/pair-account.ts'
import type { Chats } from './chats.ts'

/** Ids are the channel's own. */
interface Heard {
  /** The same again if the channel delivers it again. */
  readonly updateId: string | number
  readonly chatId: string
  readonly isPrivate: boolean
  readonly thread: string | null
  readonly from: string
  readonly messageId: string
  readonly text: string
}

export interface HeardText extends Heard {
  /** ISO 8601, UTC. */
  readonly at: string
  /** The message of the bot that it replies to. */
  readonly repliesTo: string | null
  /** In a group: it is a reply to the bot, names it, or is a command. */
  readonly toBot: boolean
  /** The words are somebody else's: they are no command and no answer. */
  readonly forwarded: boolean
  /** The channel's id of the album that it belongs to: several messages that people see as one. */
  readonly album?: string
  /** What it has that can't be read here, in the plural, such as `stickers`. */
  readonly unread?: string
}

/** A press of a button; `text` is that of the message with the button. */
export interface HeardPress extends Heard {
  readonly data: string
}

export interface Listening {
  readonly channel: string
  readonly context: Context
  readonly queues: MessageQueues
  readonly chats: Pick<Chats, 'now' | 'room' | 'askOf'>
  readonly groups: GroupsOptions
  /** Accounts of the person whose home this is. */
  readonly allowFrom: () => readonly string[]
  /** Groups that are silent now, because somebody is inside who is not allowed there. */
  readonly silenced: (group: Named) => boolean
}

/** In a group, a part of an album that is not addressed to the bot: another part may be. None of its words are saved. */
export function isAside({ metadata }: Pick<Inbound, 'metadata'>): boolean {
  return metadata['aside'] !== undefined
}

/** `null`: Neo doesn't listen; an unknown sender has got an answer. */
export function messageOf(at: Listening, heard: HeardText): Inbound | null {
  const { channel, context, chats } = at
  const speaker = whoSpeaks(at, heard.from)
  const scope = scopeOf(at, heard, speaker)
  if (scope === null) return null
  const text = heard.forwarded && heard.text !== '' ? `[forwarded] ${heard.text}` : heard.text
  const isPairing = heard.isPrivate && hasPairingCode(channel, text)
  const speaks = isPairing ? 'human' : speaker.kind === 'unknown' ? null : nameOf(speaker)
  if (speaks === null) {
    refuseStranger(at, { channel, chatId: heard.chatId, senderId: heard.from })
    return null
  }
  const said = { ...inboundOf(at, heard, { speaker: speaks, scope }), at: heard.at }
  if (!heard.isPrivate && !heard.toBot)
    return heard.album === undefined
      ? null
      : { ...said, content: '', kind: 'message', metadata: { aside: 'yes' } }
  const ask = heard.repliesTo === null ? null : chats.askOf(chats.now(heard.chatId), heard.repliesTo)
  const prompt = ownPrompt(context, channel, text)
  const isCommand = isPairing || ask !== null || (prompt === null && commandIn(channel, text) !== null)
  return {
    ...said,
    content: prompt ?? text,
    kind: isCommand ? 'command' : 'message',
    metadata: { ...(ask === null ? {} : { ask }), ...(isPairing ? { pairing: 'yes' } : {}) },
  }
}

/** A text is the reason for a refusal; '' for an unknown sender. */
export function pressOf(at: Listening, heard: HeardPress): Inbound | string {
  const speaker = whoSpeaks(at, heard.from)
  const scope = scopeOf(at, heard, speaker)
  if (speaker.kind === 'unknown') return ''
  if (scope === null) return "You can't decide this request."
  return {
    ...inboundOf(at, heard, { speaker: nameOf(speaker), scope }),
    content: heard.data,
    at: new Date(at.context.world.clock.now()).toISOString(),
    kind: 'command',
    metadata: { press: heard.data, message: heard.messageId, text: heard.text },
  }
}

function whoSpeaks({ channel, context, allowFrom }: Listening, number: string): Who {
  return whoIs({ channel, number }, membersIn(context), allowFrom())
}

function hasPairingCode(channel: string, text: string): boolean {
  const { name, rest } = commandIn(channel, text) ?? { name: '', rest: '' }
  return name === 'start' && /^[\w-]{8,64}$/.test(rest)
}

function nameOf(speaker: Exclude<Who, { kind: 'unknown' }>): Exclude<Speaker, 'system'> {
  return speaker.kind === 'human' ? 'human' : `member:${speaker.id}`
}

/** `null`: Neo doesn't listen there. */
function scopeOf(at: Listening, heard: Heard, speaker: Who): string | null {
  const { channel, context, groups, silenced } = at
  if (heard.isPrivate) return scopeName(`${channel}:${heard.chatId}`)
  const group = groupOf(groups, groups.now(heard.chatId))
  if (group === null) return null
  const why = silenced(group) ? 'somebody in the group is not allowed there' : refusedInGroup(speaker, group)
  if (why === null) return heard.thread === null ? group.scope : topicScope(group.scope, heard.thread)
  context.emit({ kind: 'refused', text: `${channel} ${heard.chatId}, sender ${heard.from}: ${why}` })
  return null
}

function inboundOf(
  { channel, chats, queues }: Listening,
  { updateId, chatId, isPrivate, thread, from, messageId }: Heard,
  { speaker, scope }: { readonly speaker: Exclude<Speaker, 'system'>; readonly scope: string },
) {
  const place: Place = { channel, chatId: chats.now(chatId), ...(thread === null ? {} : { thread }) }
  const sessionKey = placeText(place)
  return {
    ...place,
    key: `${channel}:${chatId}:${updateId}`,
    senderId: from,
    isPrivate,
    sessionKey,
    speaker,
    scope,
    target: speaker,
    room: roomOf({ chats, queues }, sessionKey),
    media: [],
    replyTo: messageId,
  }
}

/** For a topic, the room that names it in `notify:`; else the room chosen in this chat; else the lobby. */
function roomOf({ chats, queues }: Pick<Listening, 'chats' | 'queues'>, place: string): string {
  const rooms = queues.seen()?.rooms
  const isTopic = place.split(':').length === 3
  const named = isTopic
    ? [...(rooms?.values() ?? [])].find(({ room }) => room.notify.includes(place))
    : undefined
  const chosen = chats.room(place)
  return named?.name ?? (chosen !== null && rooms?.has(chosen) !== false ? chosen : LOBBY)
}

export interface Named extends Group {
  /** Name of its scope. */
  readonly scope: string
}

const MOST_BYTES = 64 * 1024

export interface GroupsOptions {
  readonly channel: string
  readonly files: Pick<Files, 'names' | 'read'>
  /** Folders that hold scopes, each with its SCOPE.md. */
  readonly folders: readonly string[]
  /** The id that a chat has now. */
  readonly now: (chatId: string) => string
}

/** Every group with a file: its chat, as it is called now, and its rules. */
export function configured({
  channel,
  files,
  folders,
  now,
}: GroupsOptions): readonly (Named & { readonly chatId: string })[] {
  const all = filesIn({ files, folders })
  const unclear = all.filter(({ found }) => found.kind !== 'ok').map(({ bytes }) => bytes.toString('utf8'))
  return all.flatMap(({ scope, found }) => {
    if (found.kind !== 'ok') return []
    const { type, roles, members, channel: named = '' } = found.value
    const place = placeOf(named)
    return place?.channel !== channel ||
      place.thread !== undefined ||
      unclear.some((text) => names(text, named))
      ? []
      : [{ scope: scopeName(scope), type, roles, members, chatId: now(place.chatId) }]
  })
}

function filesIn({ files, folders }: Pick<GroupsOptions, 'files' | 'folders'>) {
  return folders.flatMap((folder) =>
    files.names(folder).flatMap((scope) => {
      const path = join(folder, scope, 'SCOPE.md')
      const read = files.read(path, MOST_BYTES)
      return read.kind === 'file' ? [{ scope, bytes: read.bytes, found: readScope(path, read.bytes) }] : []
    }),
  )
}

function names(text: string, place: string): boolean {
  const parts = text.split(place)
  return parts.slice(1).some((rest) => !/^\w/.test(rest))
}

/** `null`: Neo ignores the group. Of two files for one group the stricter counts. */
function groupOf(options: GroupsOptions, chatId: string): Named | null {
  const all = configured(options).filter((group) => group.chatId === chatId)
  return (
    all.find(({ type }) => type === 'parents_group') ??
    all.find(({ roles }) => roles.length > 0) ??
    all[0] ??
    null
  )
}
