/**
 * Commands and buttons of a chat, carried out at once through the hub as the speaker. A new command is a row of RUN.
 * Invariant 1: a command that runs again after a kill changes nothing more, and its answer is sent once. Invariant 2: a
 * prompt in `workspace/commands/<name>.md` never replaces a command.
 */

import { join } from 'node:path'
import { commandIn, spelled } from '../../domain/policy/channel-kinds.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import { counted } from '../../domain/text/counted.ts'
import { mediaTypeOf } from '../../domain/text/media-type.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import type { Context } from '../../engine/context.ts'
import type { Pairing } from '../../engine/people/member-files.ts'
import { readDocument } from '../../files/header/document.ts'
import { type Hub, HubError } from '../../hub/hub.ts'
import type { MethodName, ParamsOf, ResultOf } from '../../hub/method-table.ts'
import type { MessageQueues } from '../channel.ts'
import { type Inbound, type Outbound, principalOf, replied } from '../channel-message.ts'
import { type FindAsk, buttonMeaning, buttonsOf } from './approval-buttons.ts'
import { pair } from './pair-account.ts'

/** What a channel saves about its chats. */
interface CommandChats {
  talkIn(sessionKey: string, room: string): void
  /** The id that a chat has now: groups may move. */
  now(chatId: string): string
}

export interface CommandOptions {
  readonly context: Context
  readonly queues: MessageQueues
  readonly hub: Pick<Hub, 'call'>
  readonly chats: CommandChats
  readonly findAsk: FindAsk
  readonly pairing: Pairing
  /** Whether anybody of the home has this number. */
  readonly isKnown: (number: string) => boolean
  /** Writes the decision under a message with buttons, and removes the buttons; false if that failed. */
  readonly mark: (message: Inbound, outcome: string) => Promise<boolean>
}

interface CommandRun extends CommandOptions {
  readonly message: Inbound
  readonly rest: string
  /** A command as people type it there. */
  spell(command: string): string
  call<N extends MethodName>(method: N, params: ParamsOf<N>): Promise<ResultOf<N>>
  say(text: string, more?: Partial<Outbound> & { readonly nth?: string }): void
}

export async function carryOut(options: CommandOptions, message: Inbound): Promise<void> {
  const doing = doingOf(options, message)
  try {
    if (message.metadata['pairing'] === 'yes') await pair(doing)
    else if (message.metadata['press'] !== undefined) await press(doing, message.metadata['press'])
    else if (message.metadata['ask'] !== undefined) await answer(doing, message.metadata['ask'])
    else await wordOf(message)(doing)
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    doing.say(error.message)
  }
}

function doingOf(options: CommandOptions, message: Inbound): CommandRun {
  const { hub, queues } = options
  const { channel, speaker } = message
  const principal = speaker === 'system' ? null : principalOf(speaker)
  return {
    ...options,
    message,
    rest: commandIn(channel, message.content)?.rest ?? '',
    spell: (command) => spelled(channel, command),
    async call(method, params) {
      if (principal === null) throw new Error('System messages cannot run commands')
      return (await hub.call(principal, method, params)) as ResultOf<typeof method>
    },
    say: (content, { nth = '', ...more } = {}) =>
      void queues.put({ ...replied(message, `reply:${message.key}${nth}`, content), ...more }),
  }
}

const RUN: Readonly<Record<string, (doing: CommandRun) => Promise<void> | void>> = {
  start: help,
  help,
  new: begin,
  remember,
  share,
  status,
  tasks,
  room,
  approve: (doing) => (doing.rest === '' ? listAsks(doing) : decide(doing, doing.rest, 'approved')),
  deny: (doing) => (doing.rest === '' ? listAsks(doing) : decide(doing, doing.rest, 'denied')),
  stop,
  file,
}

function wordOf({ channel, content }: Inbound): (doing: CommandRun) => Promise<void> | void {
  const name = commandIn(channel, content)?.name ?? ''
  return (Object.hasOwn(RUN, name) ? RUN[name] : undefined) ?? unknown
}

function unknown({ say, spell }: CommandRun): void {
  say(`Unknown command. Type ${spell('help')} for a list.`)
}

function help({ say, spell, message }: CommandRun): void {
  const rows = commandList(message.channel).map(({ name, does }) => `${spell(name)} ${does}`)
  say(`You are talking to Neo in the room ${message.room}.\n\n${rows.join('\n')}`)
}

/** What is said here is said in a conversation of its own, but in a group that talks in its room's. */
async function talksInRoom({ call, message }: CommandRun): Promise<boolean> {
  const { type } = await call('scope.get', { scopeId: message.scope, roomId: message.room })
  return type === 'room'
}

async function begin(doing: CommandRun): Promise<void> {
  const { call, message, say } = doing
  if (await talksInRoom(doing)) await call('context.clear', { roomId: message.room })
  else await call('scope.renew', { scopeId: message.scope })
  say('Started a new conversation. The old one is saved.')
}

async function remember(doing: CommandRun): Promise<void> {
  const { call, message, rest, say, spell } = doing
  if (rest === '') return say(`Usage: ${spell('remember TEXT')}`)
  const { refused } = await call('scope.remember', {
    scopeId: message.scope,
    content: rest,
    key: message.key,
  })
  const masked = message.metadata['masked'] ?? refused.join(', ')
  say(
    masked === ''
      ? 'Remembered for this conversation only.'
      : `Remembered without ${masked}, which is not stored.`,
  )
}

async function share({ call, message, rest, say, spell }: CommandRun): Promise<void> {
  if (rest === '') return say(`Usage: ${spell('share WORDS')} (words from the facts that you want to share)`)
  const { scope: scopeId, room: roomId } = message
  const { room: to, paths } = await call('scope.share', { scopeId, roomId, words: rest })
  say(`Shared ${counted(paths.length, 'fact')} with the room ${to}.`)
}

async function status({ call, message, say }: CommandRun): Promise<void> {
  const { tasks: by, asks, sessions, neo, room: own } = await call('room.overview', { roomId: message.room })
  const counts = Object.entries(by).map(([name, list]) => `${list.length} ${name}`)
  const running = sessions.filter(({ state }) => state !== 'ended')
  const lines = [
    `**${own.name}** is ${own.status}, Neo is ${neo.status}`,
    `- tasks: ${counts.join(', ') || 'none'}`,
    ...running.map(({ title, taskId }) => `- running: ${title ?? taskId}`),
    ...asks.map(({ id, reason }) => `- pending request: ${id} ${reason}`),
  ]
  say(lines.join('\n'))
}

const ENDED = new Set(['completed', 'cancelled'])
const MOST_TASKS = 40

async function tasks({ call, message, say }: CommandRun): Promise<void> {
  const open = (await call('task.list', { roomId: message.room })).filter(
    ({ status: one }) => !ENDED.has(one),
  )
  const lines = open.slice(0, MOST_TASKS).map(({ title, status: one }) => `- ${one}: ${title}`)
  const rest = open.length - lines.length
  say(open.length === 0 ? 'No open tasks.' : `${lines.join('\n')}${rest > 0 ? `\n\nand ${rest} more` : ''}`)
}

async function room({ call, chats, message, rest, say, spell }: CommandRun): Promise<void> {
  if (rest === '') {
    const names = (await call('room.list', {})).map(({ id }) => (id === message.room ? `**${id}**` : id))
    return say(`Rooms: ${names.join(', ')}. Type ${spell('room NAME')} to switch.`)
  }
  const { id } = await call('room.get', { roomId: rest })
  chats.talkIn(message.sessionKey, id)
  say(`Switched to the room ${id}.`)
}

async function stop(doing: CommandRun): Promise<void> {
  const { call, message, say } = doing
  const { stopped } = (await talksInRoom(doing))
    ? await call('context.stop', { roomId: message.room })
    : await call('scope.stop', { scopeId: message.scope })
  const sessions = await call('session.list', { roomId: message.room })
  const running = sessions.filter(({ state }) => state !== 'ended')
  for (const { id } of running) await call('session.stop', { sessionId: id })
  say(
    running.length === 0
      ? stopped
        ? 'Stopped the answer.'
        : 'Nothing is running.'
      : `Stopped: ${[...(stopped ? ['the answer'] : []), ...running.map(({ title, id }) => title ?? id)].join(', ')}`,
  )
}

/** What was decided is what is sent: a copy of the file as it is now. */
async function file({ call, context, message, rest, say, spell }: CommandRun): Promise<void> {
  if (rest === '') return say(`Usage: ${spell('file PATH')} (a file in this room's workspace)`)
  const { name, base64 } = await call('file.get', { roomId: message.room, path: rest })
  const bytes = Buffer.from(base64, 'base64')
  const own = `${shortHash(`${message.key}:file`)}.${mediaTypeOf(bytes).ending}`
  const path = join(context.dir, 'scopes', message.scope, 'media', own)
  context.world.files.savePrivate(path, bytes, null)
  say('', { file: { path, name } })
}

async function listAsks({ call, findAsk, chats, message, say }: CommandRun): Promise<void> {
  const open = await call('ask.list', { roomId: message.room })
  if (open.length === 0) return say('No pending requests.')
  for (const { id, reason } of open) {
    const seen = findAsk(id)
    const buttons = seen === null ? [] : buttonsOf(seen, chats.now(message.chatId))
    say(`${reason} (${id})`, { nth: `:${id}`, buttons, ask: id })
  }
}

async function decide(doing: CommandRun, askId: string, decision: 'approved' | 'denied'): Promise<void> {
  await doing.call('ask.decide', { askId, decision })
  doing.say(decision === 'approved' ? 'Approved.' : 'Denied.')
}

async function answer(doing: CommandRun, askId: string): Promise<void> {
  const { message, findAsk, spell } = doing
  if (findAsk(askId)?.kind !== 'question')
    return doing.say(
      `This request needs a decision: press a button, or type ${spell('approve ID')} or ${spell('deny ID')}.`,
    )
  await doing.call('ask.decide', { askId, decision: 'answered', answer: message.content })
  doing.say('Answer sent.')
}

async function press(doing: CommandRun, data: string): Promise<void> {
  const { findAsk, message, context } = doing
  const meant = buttonMeaning(findAsk, data, message)
  if (meant.kind === 'nothing') return doing.say(meant.why)
  await doing.call('ask.decide', { askId: meant.ask.id, decision: meant.decision })
  const by = message.speaker === 'human' ? context.person.name : message.speaker.slice('member:'.length)
  const outcome = `${meant.decision === 'approved' ? 'Approved' : 'Denied'} by ${by}, ${message.at.slice(0, 16).replace('T', ' ')}`
  if (!(await doing.mark(message, outcome))) doing.say(outcome)
}

/** In the order in which a chat lists them; `args` is what is typed after the name. */
const COMMANDS: Readonly<Record<string, { readonly args?: string; readonly does: string }>> = {
  new: { does: 'start a new conversation' },
  remember: { args: 'TEXT', does: 'remember something in this conversation only' },
  share: { args: 'WORDS', does: 'add facts with these words to the memory of the room' },
  status: { does: 'show the state of the room' },
  tasks: { does: 'list open tasks' },
  room: { args: 'NAME', does: 'switch to another room' },
  file: { args: 'PATH', does: 'send a file from the workspace' },
  approve: { args: 'ID', does: 'list pending requests, or approve one' },
  deny: { args: 'ID', does: 'deny a request' },
  stop: { does: 'stop the sessions in this room and the current answer' },
  help: { does: 'list the commands' },
  start: { does: 'start, or pair with a code' },
}

/** The commands as a channel lists them. */
export function commandList(channel: string): readonly { readonly name: string; readonly does: string }[] {
  return Object.entries(COMMANDS).map(([name, { args, does }]) => ({
    name,
    does: args === undefined ? does : `${does}: ${spelled(channel, `${name} ${args}`)}`,
  }))
}

/** The prompt of `workspace/commands/` that a text names as a command; `null` for none. */
export function ownPrompt(
  { home, world }: Pick<Context, 'home' | 'world'>,
  channel: string,
  line: string,
): string | null {
  const { name, rest } = commandIn(channel, line) ?? { name: '', rest: '' }
  if (name === '' || Object.hasOwn(COMMANDS, name) || !/^[a-z0-9][\w-]*$/.test(name)) return null
  const folder = join(home, 'workspace', 'commands')
  // Some channels (Telegram) allow no hyphens in names of commands.
  const file = world.files
    .names(folder)
    .find((one) => one.toLowerCase().replaceAll('-', '_') === `${name.replaceAll('-', '_')}.md`)
  if (file === undefined) return null
  const read = world.files.read(join(folder, file), MAX_BYTES)
  const found = read.kind === 'file' ? readDocument(file, read.bytes) : null
  if (found?.kind !== 'ok') return null
  return [found.value.body.trim(), rest].filter((text) => text !== '').join('\n\n')
}
