/** Tasks of other agents: one for each request, its state while it runs, and its end, told once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import type { ExecuteParams } from '../../src/aoi/agent-core.ts'
import { Tasks } from '../../src/aoi/desk/delegated-tasks.ts'
import { openRequests } from '../../src/aoi/desk/requests.ts'
import type { Snapshot } from '../../src/domain/plan/snapshot.ts'
import { HUB_CODES, HubError } from '../../src/hub/hub.ts'
import { MovedClock, settled } from '../moved-clock.ts'

const SCOPE = [{ type: 'repository', identifier: 'acme/shop' }] as const
const PARAMS: ExecuteParams = { taskType: 'echo', taskParams: { a: 'x', b: 1 }, scope: SCOPE, isAsync: true }
const MINUTE = 60_000

interface Made {
  readonly taskId: string
  status: 'pending' | 'completed' | 'failed'
  state: string
}

function desk(dir = folder(), clock = new MovedClock(), made = new Map<string, Made>()) {
  const requests = openRequests(openFiles(), dir)
  const of = { fails: null as HubError | null, calls: [] as string[], ended: [] as string[], wake: () => {} }
  const tasks = new Tasks({
    hub: {
      async call(_, method, params) {
        const { taskId = '' } = params as { readonly taskId?: string }
        of.calls.push(method)
        if (of.fails !== null) throw of.fails
        if (method === 'aoi.task.execute') made.set(taskId, { taskId, status: 'pending', state: 'pending' })
        if (method === 'task.cancel') made.set(taskId, { taskId, status: 'failed', state: 'cancelled' })
        const found = made.get(taskId)
        if (found === undefined) throw new HubError(HUB_CODES.missing, `Cannot find the task "${taskId}"`)
        return { ...found, roomId: 'shop', updatedAt: '' }
      },
    },
    ...{ clock, requests, changed: () => {} },
    ended: (_, { taskId, status, state }) => void of.ended.push(`${taskId} ${status} ${state}`),
    change: (_, ms) =>
      new Promise((resolve) => {
        of.wake = resolve
        clock.after(ms, resolve)
      }),
  })
  return { tasks, of, made, clock, requests, again: () => desk(dir, clock, made) }
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-desk-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** The home as a look finds it. */
function seen(files: readonly object[], kind = 'home'): Snapshot {
  const tasks = files.map((task, at) => [`${at}.md`, { room: 'shop', task }] as const)
  return { tasks: new Map(tasks), git: { kind } } as unknown as Snapshot
}
const file = (id: string, status: string, neo: object = {}) => ({ status, neo: { id, ...neo } })

test.each([
  ['the same', {}, true],
  ['the same, with its values in another order', { taskParams: { b: 1, a: 'x' } }, true],
  ['other values', { taskParams: { a: 'y', b: 1 } }, false],
  ['a value of another type', { taskParams: { a: 'x', b: '1' } }, false],
  ['another type', { taskType: 'build' }, false],
  ['another context', { scope: [{ type: 'folder', identifier: 'acme/shop' }] }, false],
] as const)('a request with the same id and %s', async (_, more, isSame) => {
  const { tasks, made, again } = desk()
  const { taskId } = await tasks.execute('ana', '1', PARAMS)
  const other = await again().tasks.execute('ana', '1', { ...PARAMS, ...more })
  expect([other.taskId === taskId, made.size]).toEqual([isSame, isSame ? 1 : 2])
})

test('a request that is sent again after a crash finds its task, though nothing of it is on record', async () => {
  const one = desk()
  const { taskId } = await one.tasks.execute('ana', '1', PARAMS)
  const later = desk(folder(), one.clock, one.made)
  expect(await later.tasks.execute('ana', '1', PARAMS)).toMatchObject({ taskId, status: 'pending' })
  expect(later.of.calls).toEqual(['aoi.task.get'])
})

test('a caller that waits gets the end, or the state after 25 s', async () => {
  const { tasks, of, made, clock } = desk()
  const ended = tasks.execute('ana', '1', { ...PARAMS, isAsync: false })
  await settled()
  for (const task of made.values()) Object.assign(task, { status: 'completed', state: 'completed' })
  of.wake()
  expect((await ended).status).toBe('completed')
  const late = tasks.execute('ana', '2', { ...PARAMS, isAsync: false })
  await clock.move(25_000)
  expect((await late).status).toBe('pending')
})

test.each([
  [HUB_CODES.denied, -32001],
  [HUB_CODES.params, -32602],
  [HUB_CODES.busy, -32004],
  [HUB_CODES.internal, -32603],
])('a refusal %i of the hub is %i, and leaves no request', async (code, aoi) => {
  const { tasks, of, requests } = desk()
  of.fails = new HubError(code, 'x')
  await expect(tasks.execute('ana', '1', PARAMS)).rejects.toMatchObject({ code: aoi })
  expect(requests.all()).toEqual([])
})

test('an agent may have a hundred open requests, and others are not held up', async () => {
  const { tasks } = desk()
  for (let at = 0; at < 100; at++) await tasks.execute('ana', `${at}`, PARAMS)
  await expect(tasks.execute('ana', '100', PARAMS)).rejects.toMatchObject({ code: -32004 })
  expect((await tasks.execute('ana', '7', PARAMS)).status).toBe('pending')
  expect((await tasks.execute('eve', '100', PARAMS)).status).toBe('pending')
})

test.each([
  ['completed', {}, 'completed completed'],
  ['failed', { error: 'exit 1' }, 'failed failed'],
  ['cancelled', {}, 'failed cancelled'],
])('the end of a task that is %s is told once', async (status, neo, told) => {
  const { tasks, of, requests } = desk()
  const { taskId } = await tasks.execute('ana', '1', PARAMS)
  tasks.saw(seen([file(taskId, 'in_progress')]))
  expect(of.ended).toEqual([])
  for (let look = 0; look < 3; look++) tasks.saw(seen([file(taskId, status, neo)]))
  expect([of.ended, requests.open()]).toEqual([[`${taskId} ${told}`], []])
})

test.each([
  ['that is new', 59_000, 'home', []],
  ['while the home is on another branch', MINUTE, 'away', []],
  ['that a person has deleted', MINUTE, 'home', ['failed deleted']],
])('a task without a file, %s', async (_, ms, kind, told) => {
  const { tasks, of, clock } = desk()
  const { taskId } = await tasks.execute('ana', '1', PARAMS)
  await clock.move(ms)
  tasks.saw(seen([], kind))
  expect(of.ended).toEqual(told.map((how) => `${taskId} ${how}`))
})

test('a task that was deleted is not made again by the request that made it', async () => {
  const { tasks, made } = desk()
  await tasks.execute('ana', '1', PARAMS)
  made.clear()
  expect(await tasks.execute('ana', '1', PARAMS)).toMatchObject({ status: 'failed', state: 'deleted' })
  expect(made.size).toBe(0)
})

test('a task that runs is cancelled once; one that has ended, or of nobody, is not', async () => {
  const { tasks, of } = desk()
  const { taskId } = await tasks.execute('ana', '1', PARAMS)
  expect(await tasks.cancel('ana', taskId)).toMatchObject({ state: 'cancelled' })
  expect(await tasks.cancel('ana', taskId)).toBeNull()
  expect(await tasks.cancel('ana', 't-0000000000000')).toBeNull()
  expect(of.calls.filter((method) => method === 'task.cancel')).toHaveLength(1)
})

test('a task whose answer was lost is cancelled by the id of its request, and no other', async () => {
  const { tasks, of } = desk()
  await tasks.execute('ana', '2', PARAMS)
  await tasks.execute('eve', '1', PARAMS)
  expect(await tasks.cancelRequest('ana', '1')).toBeNull()
  const { taskId } = await tasks.execute('ana', '1', PARAMS)
  expect(await tasks.cancelRequest('ana', '1')).toMatchObject({ taskId, state: 'cancelled' })
  expect(of.calls.filter((method) => method === 'task.cancel')).toHaveLength(1)
})

test('a task is cancelled by its request while it is being made, and after a crash', async () => {
  const one = desk()
  const asked = one.tasks.execute('ana', '1', PARAMS)
  expect(await one.tasks.cancelRequest('ana', '1')).toMatchObject({ state: 'cancelled' })
  await asked
  await one.tasks.execute('ana', '2', PARAMS)
  const later = desk(folder(), one.clock, one.made)
  await later.tasks.execute('ana', '2', PARAMS)
  expect(await later.tasks.cancelRequest('ana', '2')).toMatchObject({ state: 'cancelled' })
})
