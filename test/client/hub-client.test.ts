/** Who carries out a call: the daemon while it answers, else this process; and what its errors become. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { self } from '../../src/adapters/processes/process-table.ts'
import { failureOf, openHubClient } from '../../src/client/hub-client.ts'
import { composeFiles } from '../../src/compose.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import { HUB_CODES, HubError } from '../../src/hub/hub.ts'
import { type Answering, type Asked, errorOf, httpDaemon, resultOf } from './http-daemon.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-client-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let homes = 0

const HERE = new Error('The home is opened in this process')

/** A client of a home whose daemon answers so; in this process nothing can be done, which shows that it was tried. */
async function scene(answer: (asked: Asked, path: string) => Answering, more: object = {}) {
  const daemon = await httpDaemon(answer)
  const home = join(root, String(homes++))
  mkdirSync(join(home, '.neo'), { recursive: true })
  const file = { ...self(), home, url: daemon.url, token: daemon.token, ...more }
  writeFileSync(join(home, '.neo', 'daemon.json'), JSON.stringify(file))
  const notes: string[] = []
  const client = openHubClient({
    home,
    files: composeFiles(),
    env: {},
    version: '1',
    open: () => Promise.reject(HERE),
    note: (text) => notes.push(text),
  })
  return { client, daemon, notes }
}

test('a call goes to the daemon that serves the home', async () => {
  const { client, daemon } = await scene(() => resultOf([]))
  expect(await client.call('task.list', {})).toEqual([])
  expect(client.by()).toBe('daemon')
  expect(daemon.asked).toMatchObject([{ method: 'task.list', params: {} }])
})

test.each([
  ['another home', { home: '/elsewhere' }],
  ['a process that has ended', { startTime: '1' }],
  ['another start of the machine', { bootId: 'another' }],
  ['nobody', { pid: 'x' }],
  ['no address', { url: undefined }],
])('a file of %s is no daemon', async (_, more) => {
  const { client, daemon } = await scene(() => resultOf([]), more)
  await expect(client.call('task.list', {})).rejects.toBe(HERE)
  expect(daemon.asked).toEqual([])
})

test('a message to a room is put here, beside the daemon', async () => {
  const { client, daemon } = await scene(() => resultOf(null))
  await expect(client.call('message.send', { roomId: 'shop', content: 'x' })).rejects.toBe(HERE)
  expect(daemon.asked).toEqual([])
})

test('a message to a session goes to the daemon', async () => {
  const { client, daemon } = await scene(() => resultOf(null))
  await client.call('message.send', { sessionId: 's-aaaaaa', content: 'x' })
  expect(daemon.asked).toHaveLength(1)
})

const TASK = { taskId: 'rooms/a/tasks/b.md' }

/** What the files may know better, and what only the daemon knows. */
test.each<[string, Answering, 'here' | string]>([
  ['task.start', errorOf(HUB_CODES.missing), 'here'],
  ['task.start', errorOf(HUB_CODES.busy), 'here'],
  ['task.start', errorOf(HUB_CODES.busy, { status: 'completed' }), 'failed'],
  ['ask.decide', errorOf(HUB_CODES.busy), 'failed'],
  ['agent.query', errorOf(HUB_CODES.busy), 'failed'],
  ['session.resume', errorOf(HUB_CODES.missing), 'here'],
  ['task.start', errorOf(HUB_CODES.denied), 'refused'],
  ['task.start', errorOf(HUB_CODES.params), 'usage'],
  ['task.start', errorOf(HUB_CODES.internal), 'internal'],
  ['task.start', { status: 500, body: '' }, 'here'],
  ['task.list', 'cuts', 'here'],
  ['task.start', 'cuts', 'failed'],
])('%s after %j: %s', async (method, answering, wanted) => {
  const { client } = await scene(() => answering)
  const ended = client.call(method as 'task.start', TASK)
  if (wanted === 'here') await expect(ended).rejects.toBe(HERE)
  else await expect(ended).rejects.toMatchObject({ name: 'NeoError', code: wanted })
})

test('what nobody knows is said, with what to do', async () => {
  const { client } = await scene(() => 'cuts')
  await expect(client.call('task.start', TASK)).rejects.toMatchObject({
    message: 'Cannot tell whether it was done: the daemon ended before it answered',
    more: { next: expect.stringContaining('neo status') },
  })
})

test('the person hears that a daemon does not answer', async () => {
  const { client, notes } = await scene(() => ({ status: 500, body: '' }))
  await expect(client.call('task.start', TASK)).rejects.toBe(HERE)
  expect(notes).toEqual(["The daemon doesn't answer (it answers 500): done in the files."])
})

test.each<[string, Answering, unknown]>([
  ['what the daemon has made', resultOf({ rooms: 1 }), { rooms: 1 }],
  ['nothing for an error', errorOf(HUB_CODES.busy), null],
  ['nothing for an answer that is cut', 'cuts', null],
])('read() gives %s', async (_, answering, wanted) => {
  const paths: string[] = []
  const { client } = await scene((__, path) => {
    paths.push(path)
    return answering
  })
  expect(await client.read('status')).toEqual(wanted)
  expect(paths).toEqual(['/reads'])
})

test('callAny() throws the error of the hub', async () => {
  const { client } = await scene(() => errorOf(HUB_CODES.denied, { why: 'w' }))
  await expect(client.callAny('task.start', TASK)).rejects.toMatchObject({
    name: 'HubError',
    code: HUB_CODES.denied,
    data: { why: 'w' },
  })
})

test.each([
  [['updates', 'dependsOn', 0], 'Invalid depends-on: no'],
  [['roomId'], 'Invalid room: no'],
  [['updates', 'due'], 'Invalid due: no'],
  [[], 'Cannot do it (-32602)'],
])('a wrong parameter %j is named as its option', async (path, message) => {
  const { client } = await scene(() => errorOf(HUB_CODES.params, { issues: [{ path, message: 'no' }] }))
  await expect(client.call('task.start', TASK)).rejects.toMatchObject({ message })
})

test('close() closes nothing that was never opened', async () => {
  const { client } = await scene(() => resultOf([]))
  await expect(client.close()).resolves.toBeUndefined()
})

test.each([
  [{ why: 'a', next: 'b' }, { next: 'c' }, { why: 'a', next: 'b' }],
  [{ why: 'a' }, { next: 'c' }, { why: 'a', next: 'c' }],
  [{ why: 'a' }, { why: 'b', next: 'c' }, { why: 'b', next: 'c' }],
  [undefined, { next: 'c' }, { next: 'c' }],
  ['text', { next: '' }, {}],
])('failureOf() of %j with %j says %j', (data, own, wanted) => {
  const error = new HubError(HUB_CODES.missing, 'Cannot find it', data)
  const failure = failureOf(error, own)
  expect(failure).toBeInstanceOf(NeoError)
  expect(failure.code).toBe('missing')
  const { cause, ...more } = failure.more
  expect([more, cause]).toEqual([wanted, error])
})
