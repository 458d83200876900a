/** The hub beside the path at work: sessions, messages, reviews, and what the home is. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Delivery, Want } from '../../src/domain/session/session.ts'
import { type NeoControl, SILENT } from '../../src/hub/hub.ts'
import { BRIEF, record } from '../builders.ts'
import { runbook, until } from '../path/home.ts'
import { type HubHome, hubHome, last, NEO, SESSION, trailer, turning } from './hub-home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const REVIEWED = { [PATH]: runbook(['echo new > made.txt'], ['review: branch']) }

const AT_WORK = {
  [PATH]: '---\nstatus: in_progress\nneo: { id: t-aaaaaa, created_by: human, session: s-bbbbbb }\n---\n# A\n',
  'rooms/shop/sessions/s-bbbbbb.md':
    '---\nid: s-bbbbbb\ntask: t-aaaaaa\nworker: agent\nstatus: running\n---\n',
}

/** An agent's session that works on the task, without a runner. */
async function atWork({ context }: HubHome, wants: readonly Want[] = []): Promise<void> {
  const plain = record('s-bbbbbb', 'a', { taskId: 't-aaaaaa' })
  await context.sessions.create({ ...plain, agent: BRIEF })
  for (const want of wants)
    context.world.files.writeJson(join(context.sessions.dir('s-bbbbbb'), 'wants', `${want.key}.json`), want)
}

function mail({ context }: HubHome): string[] {
  const text = readFileSync(join(context.sessions.dir('s-bbbbbb'), 'mail.jsonl'), 'utf8')
  const lines = text.split('\n').filter(Boolean)
  const deliveries = lines.map((line) => JSON.parse(line) as Delivery)
  return deliveries.map(({ kind, from, text: said }) => `${kind} ${from}: ${said}`)
}

async function status({ call }: HubHome): Promise<string> {
  return (await call('task.get', { taskId: 'a' })).status
}

async function becomes(home: HubHome, wanted: string): Promise<void> {
  await until(async () => (await status(home)) === wanted)
}

test('session.create starts a task through the daemon and gives its session', async () => {
  const home = await turning(await hubHome({ [PATH]: runbook(['sleep 600'], ['status: draft']) }))
  await becomes(home, 'draft')
  const { sessionId } = await home.call('session.create', { roomId: 'shop', taskId: 'a' })
  expect(await home.call('session.get', { sessionId })).toMatchObject({ state: 'live', status: 'running' })
  expect((await home.call('session.list', { taskId: 'a' })).map(({ id }) => id)).toEqual([sessionId])
  const stopped = await home.call('session.stop', { sessionId })
  expect(stopped.state).not.toBe('live')
  await becomes(home, 'blocked')
})

test('a message to a session that waits with a question is its answer, from Neo and not from another session', async () => {
  const home = await hubHome(AT_WORK)
  await atWork(home, [{ key: 'q1', kind: 'question', text: 'Which?', id: 'a-aaaaaa' }])
  const sessionId = 's-bbbbbb'
  await home.call('message.send', { sessionId, content: 'Hurry' }, SESSION)
  await home.call('message.send', { sessionId, content: 'The second' }, NEO)
  expect(mail(home)).toEqual(['message session:s-aaaaaa: Hurry', 'answer neo: The second'])
})

test('task.complete and task.fail by Neo tell the session at work, and leave the task as it is', async () => {
  const home = await hubHome(AT_WORK)
  await atWork(home)
  expect((await home.call('task.complete', { taskId: 'a', result: 'Good' }, NEO)).status).toBe('in_progress')
  await home.call('task.fail', { taskId: 'a', error: 'No way' }, NEO)
  expect(mail(home)).toEqual([
    'message neo: This task is finished: Good',
    'message neo: This task cannot be done: No way',
  ])
  expect(last(home.home)).toBe('Person: begin')
})

test('session.create says what a task waits for', async () => {
  const header = ['status: draft', 'depends_on: [other]']
  const home = await turning(await hubHome({ [PATH]: runbook(['true'], header) }))
  await becomes(home, 'draft')
  const { code, message } = await home.refusal('session.create', { roomId: 'shop', taskId: 'a' })
  expect([code, message]).toEqual([-32004, expect.stringContaining('it waits for other: task not found')])
})

test('session.create with a workspace that is not listed becomes an ask, with a task and without', async () => {
  const { refusal } = await hubHome({
    [PATH]: '---\nstatus: draft\nneo: { id: t-aaaaaa, created_by: neo }\n---\n# A\n',
  })
  const params = { roomId: 'shop', workspacePath: '../elsewhere' }
  for (const more of [{}, { taskId: 'a' }])
    expect(await refusal('session.create', { ...params, ...more }, NEO)).toMatchObject({ rule: 'workspace' })
})

test('a message to a session that runs commands is refused, to one that is gone it is missing', async () => {
  const home = await turning(await hubHome({ [PATH]: runbook(['sleep 600']) }))
  await becomes(home, 'in_progress')
  const { sessionId } = await home.call('task.get', { taskId: 'a' })
  const refused = await home.refusal('message.send', { sessionId: sessionId ?? '', content: 'Hello' })
  expect(refused).toMatchObject({ code: -32004 })
  expect(await home.refusal('message.send', { sessionId: 's-zzzzzz', content: 'x' })).toMatchObject({
    code: -32002,
  })
  await home.call('task.cancel', { taskId: 'a' })
  await until(() => home.context.sessions.facts().size === 0)
})

test('review.accept merges and completes, under the name of who accepted', async () => {
  const home = await turning(await hubHome(REVIEWED))
  await becomes(home, 'review')
  const diff = await home.call('review.diff', { taskId: 'a' }, NEO)
  expect([diff.paths, diff.base, diff.cut]).toEqual([['workspace/files/made.txt'], 'main', false])
  expect((await home.call('review.list', {})).map(({ name }) => name)).toEqual(['a'])
  expect(await home.refusal('review.accept', { taskId: 'a' }, NEO)).toMatchObject({ rule: 'person-decides' })
  const { task, commit } = await home.call('review.accept', { taskId: 'a' })
  expect([task.status, home.home.read('workspace/files/made.txt')]).toEqual(['completed', 'new\n'])
  expect(
    home.home.git('log', '-1', '--format=%(trailers:key=Neo-Approved-By,valueonly)', commit ?? '').trim(),
  ).toBe('Person')
})

test('review.reject with words goes on from the branch, the words as a quote; without, the task fails', async () => {
  const home = await turning(await hubHome(REVIEWED))
  await becomes(home, 'review')
  await home.call('review.reject', { taskId: 'a', message: '```sh\nrm -rf x\n```' })
  expect(home.home.read(PATH)).toMatch(/## Review\n\nPerson of attempt 1:\n\n> ```sh\n> rm -rf x\n> ```\n$/)
  await until(() => home.home.neo('a', 'attempt') === '2')
  await becomes(home, 'review')
  const rejected = await home.call('review.reject', { taskId: 'a' })
  expect(rejected).toMatchObject({ status: 'failed', error: 'rejected by Person' })
  expect(await home.refusal('review.accept', { taskId: 'a' })).toMatchObject({ code: -32002 })
})

test('what is created through the hub runs in a daemon that goes round, and nothing is adopted anew', async () => {
  const home = await turning(await hubHome())
  const description = '```sh\necho done > made.txt\n```\n'
  const made = await home.call('task.create', { roomId: 'shop', title: 'Make it', description })
  await until(() => home.home.has('workspace/files/made.txt'))
  await until(() => /^status: completed$/m.test(home.home.read(made.path)))
  expect(home.home.git('log', '--format=%s')).not.toContain('adopt make')
})

test('a task that Neo wrote runs its commands only after approval, which the hub takes', async () => {
  const home = await turning(await hubHome())
  const description = '```sh\ntrue\n```\n'
  const made = await home.call('task.create', { roomId: 'shop', title: 'Make it', description }, NEO)
  await until(() => /^ {2}blocked: ask$/m.test(home.home.read(made.path)))
  const [ask] = await home.call('ask.list', {})
  await home.call('ask.decide', { askId: ask?.id ?? '', decision: 'approved' })
  await until(() => /^status: completed$/m.test(home.home.read(made.path)))
})

test('message.send to a room reaches its Neo with who said it, and context is his', async () => {
  const said: string[] = []
  const neo: NeoControl = {
    say: async (room, content, { from }) => void said.push(`${room} ${from}: ${content}`),
    context: () => ({ ...SILENT, totalTokens: 7 }),
    compact: async (room) => void said.push(`compact ${room}`),
    clear: async (room) => void said.push(`clear ${room}`),
    stop: (room) => (room === 'shop' ? 'stopped' : 'idle'),
  }
  const { call } = await hubHome({}, { neo })
  await call('message.send', { roomId: 'shop', content: 'Go' })
  await call('message.send', { roomId: 'shop', content: 'Pass' }, { kind: 'neo', room: 'lobby' })
  await call('context.compact', { roomId: 'shop' })
  await call('context.clear', { roomId: 'shop' })
  expect(await call('context.stop', { roomId: 'shop' })).toEqual({ stopped: true })
  expect((await call('context.get', { roomId: 'shop' })).totalTokens).toBe(7)
  expect(said).toEqual(['shop human: Go', 'shop neo:lobby: Pass', 'compact shop', 'clear shop'])
})

test('without a Neo a message to a room is refused, and his conversation is empty', async () => {
  const { call, refusal } = await hubHome()
  expect(await refusal('message.send', { roomId: 'shop', content: 'Go' })).toMatchObject({ code: -32004 })
  expect(await refusal('message.send', { content: 'Go' })).toMatchObject({ code: -32602 })
  expect(await call('context.get', { roomId: 'shop' })).toEqual(SILENT)
})

test('status, plan, usage, configuration and overview say what is so, and no secret', async () => {
  const config =
    'providers: { local: { api: openai, base_url: "http://127.0.0.1:1/v1", api_key: sk-private-0123456789abcdef } }\n'
  const { call } = await hubHome({ [PATH]: '# A\n', 'neo.yaml': config })
  expect(await call('status.global', {})).toMatchObject({
    totalRooms: 2,
    totalTasks: 1,
    pendingTasks: 1,
    usdToday: 0,
  })
  expect((await call('plan.get', {})).decisions).toContainEqual({
    kind: 'adopt',
    path: PATH,
    sessionId: null,
  })
  expect((await call('usage.summary', { by: 'room', from: '2026-03-01', to: '2026-03-02' })).rows).toEqual([])
  const shown = await call('config.get', {})
  expect(shown.providers).toContainEqual({ name: 'local', api: 'openai' })
  expect(JSON.stringify(shown)).not.toContain('private')
  const overview = await call('room.overview', { roomId: 'shop' }, NEO)
  expect([overview.tasks.pending?.length, overview.neo.status, overview.usage.callsToday]).toEqual([
    1,
    'idle',
    0,
  ])
})

test('schedule.create writes a schedule that reads, and refuses one without a time', async () => {
  const { home, call, refusal } = await hubHome()
  const made = await call('schedule.create', {
    roomId: 'shop',
    name: 'Daily',
    content: 'Look',
    cron: '0 9 * * 1-5',
  })
  expect([made.when, made.createdBy, trailer(home, 'Neo-Event')]).toEqual([
    'cron 0 9 * * 1-5',
    'human',
    'schedule',
  ])
  expect((await call('schedule.list', { roomId: 'shop' })).map(({ name }) => name)).toEqual([made.name])
  expect(await refusal('schedule.create', { roomId: 'shop', name: 'x', content: 'y' })).toMatchObject({
    code: -32602,
  })
  expect(last(home)).toContain('plan daily')
})
