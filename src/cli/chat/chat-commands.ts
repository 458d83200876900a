/**
 * Lines that are a `/command`: built-in ones, and prompts of the home from workspace/commands/. A new command is a row of
 * COMMANDS. Invariant 1: an unknown command is an error with a suggestion, and is never sent to a model.
 */
import { join } from 'node:path'
import { readDocument } from '../../files/header/document.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { dim } from '../output.ts'
import { findRoom } from '../room/open-rooms.ts'
import { roomNames } from '../task/task-paths.ts'
import type { AtHub } from '../with-hub.ts'
import { unknownCommand } from './chat-lines.ts'
import { type Chat, talk } from './chat-loop.ts'

interface SlashCommand {
  readonly name: string
  readonly says: string
  run(chat: Chat, rest: string): Promise<number> | number
}

const COMMANDS: readonly SlashCommand[] = [
  { name: 'help', says: 'Show this list', run: help },
  { name: 'new', says: 'Start a new conversation', run: begin },
  { name: 'status', says: 'Show the status of the room', run: status },
  { name: 'tasks', says: 'List open tasks of the room', run: tasks },
  { name: 'room', says: 'NAME: talk in another room; without a name, list rooms', run: room },
  { name: 'remember', says: 'TEXT: add a memory to this room', run: remember },
  { name: 'share', says: 'ROOM TEXT: copy the memories that contain this text to another room', run: share },
  { name: 'quit', says: 'End the conversation', run: quit },
]

export async function runCommand(
  chat: Chat,
  { name, rest }: { readonly name: string; readonly rest: string },
): Promise<number> {
  const word = COMMANDS.find((one) => one.name === name)
  if (word !== undefined) return await word.run(chat, rest)
  const own = ownCommand(chat.at, name)
  if (own !== null) return await talk(chat, [own.body.trim(), rest].filter(Boolean).join('\n\n'))
  const names = [...COMMANDS.map((one) => one.name), ...ownNames(chat.at)]
  return unknownCommand(chat.call, name, { names, where: '' })
}

const FOLDER = 'workspace/commands'

function ownNames({ home, world }: AtHub): readonly string[] {
  return world.files
    .names(join(home, FOLDER))
    .filter((file) => /^[a-z0-9][\w-]*\.md$/i.test(file) && file !== 'README.md')
    .map((file) => file.slice(0, -3))
}

interface Own {
  readonly about: string
  readonly body: string
}

function ownCommand(at: AtHub, name: string): Own | null {
  if (!ownNames(at).includes(name)) return null
  const path = `${FOLDER}/${name}.md`
  const read = at.world.files.read(join(at.home, path), MAX_BYTES)
  const found = read.kind === 'file' ? readDocument(path, read.bytes) : null
  if (found?.kind !== 'ok') return null
  const { data, body } = found.value
  const first = body.split('\n').find((line) => line.trim() !== '') ?? ''
  const about = typeof data['description'] === 'string' ? data['description'] : first.replace(/^#+\s*/, '')
  return { about, body }
}

async function help({ call, at }: Chat): Promise<number> {
  const { toolRows } = await import('./folder-tools.ts')
  const rows = COMMANDS.map(({ name, says }) => [`/${name}`, says])
  const own = ownNames(at).map((name) => [`/${name}`, ownCommand(at, name)?.about ?? ''])
  // Not cut to the width of the terminal, so that examples stay complete.
  call.out.table([...rows, ...own, ...toolRows()])
  call.out.note(
    dim(
      'Everything else is sent to Neo, also what begins with a space. Ctrl-C stops waiting, Ctrl-D ends the conversation.',
    ),
  )
  return 0
}

async function begin({ call, at, room }: Chat): Promise<number> {
  await at.call('context.clear', { roomId: room })
  call.out.note(dim('New conversation. The old one is saved.'))
  return 0
}

async function status({ call, at, room }: Chat): Promise<number> {
  const {
    tasks: by,
    asks,
    sessions,
    neo,
    room: own,
    usage,
  } = await at.call('room.overview', { roomId: room })
  const counts = Object.entries(by).map(([name, list]) => `${list.length} ${name}`)
  const running = sessions.filter(({ state }) => state !== 'ended')
  call.out.table([
    ['room', `${own.name} (${own.status})`],
    ['tasks', counts.join(', ') || 'none'],
    ['running', running.map(({ id, title }) => `${id} ${title ?? ''}`.trim()).join(', ') || 'nothing'],
    ['requests', asks.map(({ id, reason }) => `${id} ${reason}`).join('; ') || 'none'],
    ['Neo', !at.daemonRuns() ? 'no daemon is running' : neo.status],
    [
      'today',
      `${usage.tokensToday} tokens, ${usage.usdToday === null ? 'price unknown' : `${usage.usdToday.toFixed(2)} USD`}`,
    ],
  ])
  return 0
}

const ENDED = new Set(['completed', 'cancelled'])

async function tasks({ call, at, room }: Chat): Promise<number> {
  const all = await at.call('task.list', { roomId: room })
  const open = all.filter(({ status: one }) => !ENDED.has(one))
  if (open.length === 0) call.out.note(dim('No open tasks.'))
  call.out.table(
    open.map(({ name, status: one, title }) => [name, one, title]),
    2,
  )
  return 0
}

function room(chat: Chat, name: string): number {
  const { call, at } = chat
  const rooms = { home: at.home, files: at.world.files }
  if (name === '')
    call.out.table(roomNames(at.home, at.world.files).map((one) => [one === chat.room ? '*' : ' ', one]))
  else {
    chat.room = findRoom(rooms, name)
    chat.lines.prompt(`${chat.room}> `)
    call.out.note(dim(`Now in ${chat.room}.`))
  }
  return 0
}

async function remember({ call, at, room: roomId }: Chat, content: string): Promise<number> {
  if (content === '') {
    call.out.error('neo', 'The text is missing: /remember TEXT')
    return 2
  }
  const memory = await at.call('memory.add', { roomId, type: 'note', content })
  call.out.line(`Saved: ${memory.path}`)
  return 0
}

/** More at once is probably a mistake: a word that is in everything. */
const MOST_SHARED = 20

async function share({ call, at, room }: Chat, rest: string): Promise<number> {
  const [, to = '', words = ''] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  const refuse = (why: string, code: number): number => {
    call.out.error('neo', `Cannot share: ${why}`)
    return code
  }
  if (words === '') return refuse('use /share ROOM TEXT', 2)
  const target = findRoom({ home: at.home, files: at.world.files }, to)
  if (target === room) return refuse(`it already is in ${room}`, 2)
  const holding = (await at.call('memory.list', { roomId: room })).filter(({ content }) =>
    content.toLowerCase().includes(words.toLowerCase()),
  )
  if (holding.length === 0) return refuse(`no memory of ${room} contains "${words}"`, 4)
  if (holding.length > MOST_SHARED)
    return refuse(`${holding.length} memories contain "${words}"; use more words`, 2)
  const there = new Set((await at.call('memory.list', { roomId: target })).map(({ content }) => content))
  for (const { type, content, tags } of holding.filter((one) => !there.has(one.content))) {
    const { path } = await at.call('memory.add', { roomId: target, type, content, tags: [...tags] })
    call.out.line(`Shared: ${path}`)
  }
  return 0
}

function quit(chat: Chat): number {
  chat.ended = true
  return 0
}
