/** What task.get says beyond the file: what the task waits for, its cost, and the settings that hold. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome, turning } from './hub-home.ts'

const AT = '2026-03-01T09:00:00Z'
const task = (id: string, header: string, title = id) =>
  `---\n${header}\nneo: { id: t-${id}, created_at: ${AT}, created_by: human }\n---\n# ${title}\n`
const block = (id: string, neo: string) =>
  `neo: { id: t-${id}, created_at: ${AT}, created_by: human, ${neo} }`
const BO: Principal = { kind: 'member', id: 'bo' }

async function waits(files: Readonly<Record<string, string>>, as?: Principal) {
  const { call } = await hubHome(files)
  const { waitsFor } = await call('task.get', { taskId: 'shop/a' }, as)
  return waitsFor.map(({ kind, says, links }) => [kind, says, links.map(({ to, id }) => `${to} ${id}`)])
}

test('names each task that it waits for, and one that is nowhere', async () => {
  const files = {
    'rooms/shop/tasks/a.md': task('aaaaaa', 'depends_on: [b, c, d, e]'),
    'rooms/shop/tasks/b.md': task('bbbbbb', 'status: draft', 'Freeze the branch'),
    'rooms/shop/tasks/c.md': task('cccccc', 'status: completed'),
    'rooms/shop/tasks/d.md': task('dddddd', 'status: failed', 'Sign'),
  }
  expect(await waits(files)).toEqual([
    ['task', 'Freeze the branch', ['task t-bbbbbb']],
    ['task', 'Sign, which is failed', ['task t-dddddd']],
    ['task', 'the task e: task not found', []],
  ])
})

test('shows what it depends on, and what depends on it', async () => {
  const { call } = await hubHome({
    'rooms/shop/tasks/a.md': task('aaaaaa', 'status: draft'),
    'rooms/shop/tasks/b.md': task('bbbbbb', 'status: draft\ndepends_on: [a]', 'Second'),
  })
  const first = await call('task.get', { taskId: 'a' })
  const second = await call('task.get', { taskId: 'b' })
  const b = { name: 'b', id: 't-bbbbbb', title: 'Second', status: 'draft' }
  expect([first.dependencies, first.dependents.map(({ id }) => id)]).toEqual([[], []])
  expect(second.dependencies).toMatchObject([{ name: 'a', id: 't-aaaaaa', status: 'draft' }])
  await call('task.update', { taskId: 'b', updates: { status: 'blocked' } })
  expect((await call('task.get', { taskId: 'a' })).dependents).toEqual([{ ...b, status: 'blocked' }])
})

test('says nothing of a task in a room that the member does not see', async () => {
  const files = {
    'workspace/members/bo.md': '---\nrole: member\npermissions: { rooms: [shop] }\n---\n',
    'rooms/shop/tasks/a.md': task('aaaaaa', 'depends_on: [web/b]'),
    'rooms/web/tasks/b.md': task('bbbbbb', 'status: draft', 'Secret plan'),
  }
  expect(await waits(files, BO)).toEqual([['task', 'the task web/b', []]])
})

test.each([
  [
    'a paused room',
    { 'rooms/shop/ROOM.md': '---\nstatus: paused\n---\n' },
    ['room', 'the room shop, which is paused', ['room shop']],
  ],
  [
    'a person, if one stopped it',
    { 'rooms/shop/tasks/a.md': `---\nstatus: blocked\n${block('aaaaaa', 'attempt: 1')}\n---\n# A\n` },
    ['person', 'a person to start it again', []],
  ],
  [
    'a model, without the command for a terminal',
    {
      'rooms/shop/tasks/a.md': `---\nstatus: blocked\n${block('aaaaaa', 'blocked: model, error: "no model is set: neo config set model x"')}\n---\n# A\n`,
    },
    ['model', 'its worker: no model is set', []],
  ],
  [
    'a review',
    {
      'rooms/shop/tasks/a.md': `---\nstatus: review\n${block('aaaaaa', 'branch: neo/shop/a-1')}\n---\n# A\n`,
    },
    ['review', 'a review of its work', ['review t-aaaaaa']],
  ],
  [
    'a review of work that only a person may merge',
    {
      'rooms/shop/tasks/a.md': `---\nstatus: review\n${block('aaaaaa', 'branch: neo/shop/a-1, hold: "it changes AGENTS.md"')}\n---\n# A\n`,
    },
    ['review', 'a review of its work: it changes AGENTS.md', ['review t-aaaaaa']],
  ],
  [
    'the next attempt',
    {
      'rooms/shop/tasks/a.md': `---\nworker: shell\n${block('aaaaaa', 'retry_at: "2999-01-01T00:00:00Z"')}\n---\n# A\n`,
    },
    ['time', 'its next attempt', []],
  ],
  [
    'an answer',
    {
      'rooms/shop/tasks/a.md': task('aaaaaa', 'status: in_progress'),
      'rooms/shop/asks/a-aaaaaa.md': `---\nkind: question\nreason: Which?\ntask: t-aaaaaa\nneo: { id: a-aaaaaa, created_at: ${AT} }\n---\nWhich?\n\n## Answer\n`,
    },
    ['request', 'an answer', ['request a-aaaaaa']],
  ],
] as const)('waits for %s', async (_what, files, expected) => {
  const found = await waits({ 'rooms/shop/tasks/a.md': task('aaaaaa', 'worker: shell'), ...files })
  expect(found[0]).toEqual(expected)
})

test('an ended task waits for nothing, and shows its pull request and the settings that hold', async () => {
  const pr = 'https://example.org/pull/1'
  const { call } = await hubHome({
    'rooms/shop/ROOM.md': '---\nworker: human\nverify: [npm test]\n---\n',
    'rooms/shop/tasks/a.md': `---\nstatus: completed\nreview: pr\n${block('aaaaaa', `pr: "${pr}"`)}\n---\n# A\n`,
  })
  const { waitsFor, pullRequest, settings, cost } = await call('task.get', { taskId: 'a' })
  expect([waitsFor, pullRequest, cost]).toEqual([[], pr, null])
  expect(settings).toMatchObject({ worker: 'human', review: 'pr', verify: ['npm test'] })
})

test('the cost is of all attempts, and at least the known part if a price is not known', async () => {
  const home = await hubHome({
    'rooms/shop/tasks/a.md': task('aaaaaa', 'status: completed'),
    'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: agent\nstatus: completed\nstarted_at: ${AT}\n---\n`,
  })
  const { usage } = home.context
  const call = (session: string, usd: number | null) => ({
    at: AT,
    room: 'shop',
    task: 't-aaaaaa',
    session,
    kind: 'session' as const,
    model: 'test/one',
    usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' as const },
    usd,
  })
  usage.add('1', call('s-aaaaaa', 0.5))
  usage.add('2', call('s-bbbbbb', null))
  expect((await home.call('task.get', { taskId: 'a' })).cost).toEqual({
    tokens: 30,
    usd: null,
    knownUsd: 0.5,
  })
  const [session] = await home.call('session.list', { taskId: 'a' })
  expect(session?.cost).toEqual({ tokens: 15, usd: 0.5, knownUsd: 0.5 })
})

test('task:ID:state says that the text has changed, or a task that it waits for, and is denied to other rooms', async () => {
  const home = await turning(
    await hubHome({
      'workspace/members/bo.md': '---\nrole: member\npermissions: { rooms: [desk] }\n---\n',
      'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
      'rooms/shop/tasks/a.md': task('aaaaaa', 'status: pending\nworker: shell\ndepends_on: [b]'),
      'rooms/shop/tasks/b.md': task('bbbbbb', 'status: draft'),
    }),
  )
  const events: HubEvent[] = []
  const channel = 'task:t-aaaaaa:state'
  await home.hub.subscribe(HUMAN, { channel }, (event) => void events.push(event))
  await expect(home.hub.subscribe(BO, { channel }, () => {})).rejects.toMatchObject({ code: -32001 })
  const changed = async (work: () => Promise<unknown>) => {
    const before = events.length
    await work()
    await until(() => events.length > before)
  }
  await changed(() => home.call('task.update', { taskId: 'a', updates: { description: 'More.' } }))
  await changed(() => home.call('task.update', { taskId: 'b', updates: { title: 'Another' } }))
  const told = JSON.stringify(events)
  expect(told.includes('More') || told.includes('Another')).toBe(false)
  await home.call('task.delete', { taskId: 'a' })
  const gone = { change: { set: {}, gone: { task: ['t-aaaaaa'] } } }
  await until(() => JSON.stringify(events.at(-1)?.data) === JSON.stringify(gone))
})
