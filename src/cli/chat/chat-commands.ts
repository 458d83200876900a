/**
 * What begins with `/` in a conversation: words of ours, and prompts of the home's own from workspace/commands/. A new
 * word is a row of WORDS. Invariant 1: a word that is not known is said with what there is, and is never sent to a
 * model.
 */
import { join } from 'node:path'
import { readDocument } from '../../files/header/document.ts'
import { nearest } from '../../files/values/suggest.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { findRoom } from '../room/open-rooms.ts'
import { roomNames } from '../task/task-paths.ts'
import type { AtHub } from '../rpc/with-hub.ts'
import type { Chat } from './chat-state.ts'
import { talk } from './chat-loop.ts'
import { toolsOfChat } from './confined.ts'

interface Word {
  readonly name: string
  readonly says: string
  run(chat: Chat, rest: string): Promise<number> | number
}

const WORDS: readonly Word[] = [
  { name: 'help', says: 'what can be typed here', run: help },
  { name: 'new', says: 'close this conversation and begin a new one', run: begin },
  { name: 'status', says: 'how the room stands', run: status },
  { name: 'tasks', says: 'its tasks that have not ended', run: tasks },
  { name: 'room', says: 'NAME: talk in another room; without a name: which there are', run: room },
  { name: 'remember', says: 'TEXT: keep it in this room', run: remember },
  { name: 'share', says: 'ROOM WORDS: what is remembered here and holds these words, there too', run: share },
  { name: 'quit', says: 'end', run: quit },
]

export async function runCommand(chat: Chat, line: string): Promise<number> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? []
  const word = WORDS.find((one) => one.name === name)
  if (word !== undefined) return await word.run(chat, rest.trim())
  const own = ownCommand(chat.at, name)
  if (own !== null) return await talk(chat, [own.body.trim(), rest.trim()].filter(Boolean).join('\n\n'))
  const names = [...WORDS.map((one) => one.name), ...ownNames(chat.at)]
  const near = nearest(name, names)
  const hint = near === null ? '/help says which there are' : `did you mean /${near}?`
  chat.call.out.error('neo', `Cannot do /${name}: there is no such command; ${hint}`)
  return 2
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

function help({ call, at }: Chat): number {
  const rows = WORDS.map(({ name, says }) => [`/${name}`, says])
  const own = ownNames(at).map((name) => [`/${name}`, ownCommand(at, name)?.about ?? ''])
  const tools = toolsOfChat().map(({ name, summary, examples: [first = name] }) => [
    `!${name}`,
    `${summary} !${first}`,
  ])
  // Nothing is cut: an example that is not whole is none.
  call.out.table([...rows, ...own, ...tools])
  call.out.note({
    text: 'Everything else is said to Neo. Ctrl-C ends waiting, Ctrl-D the conversation.',
    style: 'dim',
  })
  return 0
}

async function begin({ call, at, room }: Chat): Promise<number> {
  await at.call('context.clear', { roomId: room })
  call.out.note({ text: 'A new conversation. The old one is kept.', style: 'dim' })
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
    ['runs', running.map(({ id, title }) => `${id} ${title ?? ''}`.trim()).join(', ') || 'nothing'],
    ['asks', asks.map(({ id, reason }) => `${id} ${reason}`).join('; ') || 'none'],
    ['Neo', !at.daemonRuns() ? 'no daemon runs' : neo.status],
    [
      'today',
      `${usage.tokensToday} tokens, ${usage.usdToday === null ? 'price not known' : `${usage.usdToday.toFixed(2)} USD`}`,
    ],
  ])
  return 0
}

const ENDED = new Set(['completed', 'cancelled'])

async function tasks({ call, at, room }: Chat): Promise<number> {
  const all = await at.call('task.list', { roomId: room })
  const open = all.filter(({ status: one }) => !ENDED.has(one))
  if (open.length === 0) call.out.note({ text: 'No task waits or runs here.', style: 'dim' })
  call.out.table(
    open.map(({ name, status: one, title }) => [name, one, title]),
    2,
  )
  return 0
}

function room(chat: Chat, name: string): number {
  const { call, at } = chat
  const desk = { home: at.home, files: at.world.files }
  if (name === '')
    call.out.table(roomNames(at.home, at.world.files).map((one) => [one === chat.room ? '*' : ' ', one]))
  else {
    chat.room = findRoom(desk, name)
    chat.lines.prompt(`${chat.room}> `)
    call.out.note({ text: `In ${chat.room} now.`, style: 'dim' })
  }
  return 0
}

async function remember({ call, at, room: roomId }: Chat, content: string): Promise<number> {
  if (content === '') {
    call.out.error('neo', 'Cannot remember nothing: /remember TEXT')
    return 2
  }
  const memory = await at.call('memory.add', { roomId, type: 'note', content })
  call.out.line(`Remembered: ${memory.path}`)
  return 0
}

/** More at once is a slip: a word that is in everything. */
const MOST_SHARED = 20

async function share({ call, at, room }: Chat, rest: string): Promise<number> {
  const [, to = '', words = ''] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  const refuse = (why: string, code: number): number => {
    call.out.error('neo', `Cannot share: ${why}`)
    return code
  }
  if (words === '') return refuse('want /share ROOM WORDS', 2)
  const target = findRoom({ home: at.home, files: at.world.files }, to)
  if (target === room) return refuse(`it is remembered in ${room} already`, 2)
  const holding = (await at.call('memory.list', { roomId: room })).filter(({ content }) =>
    content.toLowerCase().includes(words.toLowerCase()),
  )
  if (holding.length === 0) return refuse(`nothing that ${room} remembers holds "${words}"`, 4)
  if (holding.length > MOST_SHARED)
    return refuse(`${holding.length} memories hold "${words}"; say more of it`, 2)
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
