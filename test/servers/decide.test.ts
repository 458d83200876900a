/** Every way to decide a request, for every kind of request: it is decided, and what waited for it goes on. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMind } from '../../src/compose-orchestrator.ts'
import { scene } from '../adapters/forges/scene.ts'
import { neo } from '../cli/program.ts'
import { type Home, makeHome, runbook, until } from '../path/home.ts'
import { type Asked, type ModelServer, startModel } from '../path/model.ts'
import { type ServedHome, servedHome } from './served-home.ts'
import { BOT, startTelegram } from '../channels/telegram/server.ts'
import { OWNER, talking, telegramFiles } from '../channels/telegram/telegram-home.ts'

interface Request {
  readonly id: string
  readonly path: string
  readonly kind: 'approval' | 'question'
  readonly tool: string
}

const FINISH = { calls: [{ name: 'finish_task', input: { result: 'done' } }] }
const FIRST: Readonly<Record<string, { name: string; input: Record<string, unknown> }>> = {
  'Ask me': { name: 'ask_human', input: { question: 'Which colour?' } },
  'Use the shell': { name: 'shell', input: { command: 'echo ran >> ran.txt' } },
  'Use the network': { name: 'fetch_url', input: { url: 'http://127.0.0.1:9/x' } },
  'Change the room': {
    name: 'update_room',
    input: { updates: { permissions: { shell: 'ask', network: 'ask', push: 'deny' } } },
  },
}

function script({ text, turn, tools }: Asked) {
  const found = Object.entries(FIRST).find(([say, { name }]) => text.includes(say) && tools.includes(name))
  if (turn === 0 && found !== undefined) return { calls: [found[1]] }
  return tools.includes('finish_task') ? FINISH : 'It is asked.'
}

/** By tool of the request, whether what asked has gone on after a yes. The room has the name of the way to decide. */
const GOES_ON: Readonly<Record<string, (home: Home, room: string) => boolean>> = {
  question: (home, room) => isDone(home, `${room}/tasks/question`),
  shell: (home, room) =>
    isDone(home, `${room}/tasks/shell`) && home.read('workspace/files/ran.txt').includes('ran\n'),
  fetch_url: (home, room) => isDone(home, `${room}/tasks/network`),
  run_task: (home, room) => isDone(home, `${room}/tasks/written`),
  retry_task: (home, room) => isDone(home, `${room}/tasks/interrupted`),
  push_branch: (home, room) => /^ {2}pr: /m.test(home.read(`rooms/out-${room}/tasks/fix.md`)),
  'room.update': (home, room) => /push: deny/.test(home.read(`rooms/${room}/ROOM.md`)),
}

const SHOWN: Readonly<Record<string, readonly string[]>> = {
  shell: ['echo ran'],
  fetch_url: ['http://127.0.0.1:9/x'],
  run_task: ['rooms/chat/tasks/written.md'],
  'room.update': ['push', 'deny'],
}

function isDone(home: Home, task: string): boolean {
  return /^status: completed$/m.test(home.read(`rooms/${task}.md`))
}

/** For each way to decide a room of its own, where everything asks. */
async function files(model: ModelServer, ways: readonly string[]): Promise<Record<string, string>> {
  const forge = await scene('github')
  const env = Object.entries(forge.env).map(([name, value]) => `${name}=${value}\n`)
  const more = `concurrency: 5\nnotify: ["telegram:${OWNER}"]\n`
  const rooms = ways.map((way) => ({
    [`rooms/${way}/ROOM.md`]: `---\nreview: none\npermissions: { shell: ask, network: ask }\n${more}---\n`,
    [`rooms/out-${way}/ROOM.md`]: `---\nworkspace: ${forge.clone.dir}\nworker: shell\nreview: pr\npermissions: { push: ask }\n${more}---\n`,
    [`rooms/out-${way}/tasks/fix.md`]: runbook(['echo fixed > fix.txt']),
    [`rooms/${way}/tasks/question.md`]: '# One\n\nAsk me.\n',
    [`rooms/${way}/tasks/shell.md`]: '# Two\n\nUse the shell.\n',
    [`rooms/${way}/tasks/network.md`]: '# Three\n\nUse the network.\n',
    [`rooms/${way}/tasks/written.md`]: runbook(['true'], ['worker: shell', 'neo:', '  created_by: neo']),
    [`rooms/${way}/tasks/interrupted.md`]: runbook(
      ['true'],
      ['worker: shell', 'status: blocked', 'neo:', `  id: t-${way}`, '  blocked: interrupted'],
    ),
    [`rooms/${way}/inbox/one.md`]: 'Change the room.\n',
  }))
  const config = model.config.replace('rescan: 1s', 'rescan: 1s, concurrency: 20')
  return Object.assign({ '.env': env.join(''), 'neo.yaml': config }, ...rooms)
}

function requests(home: Home, way: string): Request[] {
  return [way, `out-${way}`].flatMap((room) => {
    const folder = `rooms/${room}/asks`
    if (!home.has(folder)) return []
    return readdirSync(join(home.dir, folder)).map((name) => {
      const path = `${folder}/${name}`
      const [, kind = ''] = /^kind: (\w+)/m.exec(home.read(path)) ?? []
      const [, tool = ''] = /\btool: "?([\w.]+)/.exec(home.read(path)) ?? []
      return { id: name.replace('.md', ''), path, kind: kind as Request['kind'], tool }
    })
  })
}

function asksAll(home: Home, way: string): boolean | string {
  const tools = requests(home, way).map(({ tool }) => tool)
  return tools.toSorted().join(' ') === Object.keys(GOES_ON).toSorted().join(' ') || `${way}: ${tools}`
}

function allGoOn(home: Home, way: string): boolean | string {
  const waiting = Object.keys(GOES_ON).filter((tool) => GOES_ON[tool]?.(home, way) !== true)
  const open = requests(home, way).filter(({ path }) => !/^handled_at: /m.test(home.read(path)))
  return waiting.length + open.length === 0 || `${way}: ${waiting}; open: ${open.map(({ tool }) => tool)}`
}

async function post(url: string, headers: Record<string, string>, { id, kind }: Request): Promise<void> {
  const decision = kind === 'question' ? { decision: 'answered', answer: 'Blue' } : { decision: 'approved' }
  const call = { jsonrpc: '2.0', id: 1, method: 'ask.decide', params: { askId: id, ...decision } }
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(call),
  })
  expect(await response.json()).toHaveProperty('result')
}

async function signedIn({ door }: ServedHome): Promise<Record<string, string>> {
  const { url, link } = await door()
  const signed = await fetch(`${url}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url },
    body: JSON.stringify({ code: new URL(link()).hash.replace('#code=', '') }),
  })
  const [cookie = ''] = (signed.headers.get('set-cookie') ?? '').split(';')
  return { Cookie: cookie, Origin: url }
}

async function byCommand(home: Home, { id, kind }: Request): Promise<void> {
  const words = kind === 'question' ? ['answer', id, 'Blue'] : ['approve', id]
  expect(await neo(['ask', ...words, '--home', home.dir])).toMatchObject({ code: 0 })
}

function byHand(home: Home, { path, kind }: Request): void {
  const text = home.read(path)
  const answered = text.replace(/## Answer\n[\s\S]*$/, '## Answer\n\nBlue\n')
  home.write(path, kind === 'question' ? answered : text.replace('decision: pending', 'decision: approved'))
}

type Decide = (home: Home, request: Request) => Promise<void> | void

/** The first request is decided by the first way, and so on: what one way decides is seen while others still wait. */
async function decideAll(home: Home, ways: Readonly<Record<string, Decide>>): Promise<void> {
  const names = Object.keys(ways)
  for (const way of names) await until(() => asksAll(home, way), 40_000)
  for (const way of names) for (const request of requests(home, way)) await ways[way]?.(home, request)
  for (const way of names) await until(() => allGoOn(home, way), 40_000)
}

test('a call of the API, the page, a command and an edit decide every kind of request beside a daemon', async () => {
  const served = servedHome(await files(await startModel(script), ['api', 'page', 'command', 'hand']))
  const { url } = await served.door()
  const bearer = { Authorization: `Bearer ${served.said().token}` }
  const cookie = await signedIn(served)
  await decideAll(served.home, {
    api: (_, request) => post(url, bearer, request),
    page: (_, request) => post(url, cookie, request),
    command: byCommand,
    hand: byHand,
  })
})

test('buttons and replies in Telegram decide every kind of request', async () => {
  const server = await startTelegram()
  const own = await files(await startModel(script), ['chat'])
  const { 'neo.yaml': config = '', ...people } = telegramFiles(server.url, own['neo.yaml'])
  const { home } = await talking({ ...people, ...own, 'neo.yaml': config })
  const chat: Decide = async (_, { id, kind, tool }) => {
    const of = () => server.sent.find(({ text }) => text.includes(id))
    await until(() => of() !== undefined)
    const { id: message = 0, payload, text = '' } = of() ?? {}
    // A button says yes to what stands above it.
    for (const word of SHOWN[tool] ?? []) expect(text).toContain(word)
    if (kind === 'question') {
      server.text(OWNER, 'Blue', {
        reply_to_message: { message_id: message, from: BOT, chat: { id: OWNER } },
      })
      return
    }
    const markup = payload?.['reply_markup'] as { inline_keyboard: { callback_data: string }[][] } | undefined
    server.press(OWNER, OWNER, markup?.inline_keyboard[0]?.[0]?.callback_data ?? '', message)
  }
  await decideAll(home, { chat })
})

test('a command decides every kind of request without a daemon, and the next run goes on with each', async () => {
  const home = makeHome(await files(await startModel(script), ['alone']))
  await home.run({ openOrchestrator: openMind })
  expect(asksAll(home, 'alone')).toBe(true)
  for (const request of requests(home, 'alone')) await byCommand(home, request)
  await home.run({ openOrchestrator: openMind })
  expect(allGoOn(home, 'alone')).toBe(true)
})
