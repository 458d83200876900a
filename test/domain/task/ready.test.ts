/** When a pending task may start, and what it says that it waits for. */
import { expect, test } from 'vitest'
import type { Facts, RoomFile, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { TASK_STATUSES } from '../../../src/domain/task/task.ts'
import { indexTasks } from '../../../src/domain/task/depends.ts'
import { blockersOf, type Readiness, readiness } from '../../../src/domain/task/readiness.ts'
import { AFTER, BEFORE, facts, NOW, roomFile, snapshot, taskFile } from '../../builders.ts'

interface Scene {
  readonly others?: readonly TaskFile[]
  readonly rooms?: readonly RoomFile[]
  readonly facts?: Partial<Omit<Facts, 'sessions'>>
}

function ready(file: TaskFile, scene: Scene = {}): Readiness {
  const tasks = [file, ...(scene.others ?? [])]
  const home = snapshot({ tasks, rooms: scene.rooms ?? [roomFile('shop')] })
  return readiness(file, { snapshot: home, facts: facts(scene.facts), index: indexTasks(tasks), now: NOW })
}

const FILE = taskFile('a', { dependsOn: ['b'] })

test('readiness() is ready when nothing hinders', () => {
  expect(ready(taskFile('a'))).toEqual({ kind: 'ready' })
})

test('readiness() is ready in a folder without a ROOM.md', () => {
  expect(ready(taskFile('a'), { rooms: [] })).toEqual({ kind: 'ready' })
})

test.each([
  [
    'paused room',
    { rooms: [roomFile('shop', { status: 'paused' })] },
    'room shop, which is paused: neo room resume shop',
  ],
  [
    'archived room',
    { rooms: [roomFile('shop', { status: 'archived' })] },
    'room shop, which is archived: neo room resume shop',
  ],
  ['bar', { facts: { barred: true } }, 'neo watch or neo run: everything was stopped'],
  ['other host', { facts: { elsewhere: 'attic' } }, 'host attic, which alone starts work'],
  ['full disk', { facts: { diskFull: true } }, 'disk space (worktrees exceed daemon.disk_limit): neo clean'],
] as const)('readiness() waits on a %s', (_what, scene, on) => {
  expect(ready(taskFile('a'), scene)).toEqual({ kind: 'waits', on })
})

test.each(TASK_STATUSES.filter((status) => status !== 'completed'))(
  'readiness() waits on a dependency that is %s',
  (status) => {
    const ended = status === 'failed' || status === 'cancelled'
    const on = ended ? `b, which is ${status}: neo task retry b` : `b (${status})`
    expect(ready(FILE, { others: [taskFile('b', { status })] })).toEqual({ kind: 'waits', on })
  },
)

test('readiness() is ready when the dependency is completed', () => {
  expect(ready(FILE, { others: [taskFile('b', { status: 'completed' })] })).toEqual({ kind: 'ready' })
})

test('readiness() names the first dependency that is not completed', () => {
  const file = taskFile('a', { dependsOn: ['b', 'c', 'd'] })
  const others = [taskFile('b', { status: 'completed' }), taskFile('c'), taskFile('d')]
  expect(ready(file, { others })).toEqual({ kind: 'waits', on: 'c (pending)' })
})

test('blockersOf() names all that holds a task back', () => {
  const file = taskFile('a', { dependsOn: ['b', 'c', 'd'], neo: { retryAt: AFTER } })
  const tasks = [file, taskFile('b'), taskFile('d', { status: 'completed' })]
  const home = snapshot({ tasks, rooms: [roomFile('shop', { status: 'paused' })] })
  const scene = { snapshot: home, facts: facts({ barred: true }), index: indexTasks(tasks), now: NOW }
  expect([...blockersOf(file, scene)].map(({ kind }) => kind)).toEqual([
    'room',
    'stopped',
    'task',
    'name',
    'time',
  ])
})

test('readiness() waits on a name that no task has', () => {
  expect(ready(FILE)).toEqual({ kind: 'waits', on: 'b: task not found' })
})

test.each(['b', 'b.md', 'shop/b'])('readiness() waits for %s, whose file cannot be read', (name) => {
  const file = taskFile('a', { dependsOn: [name] })
  const home = snapshot({ tasks: [file], invalid: ['rooms/shop/tasks/b.md', 'rooms/shop/ROOM.md'] })
  expect(readiness(file, { snapshot: home, facts: facts(), index: indexTasks([file]), now: NOW })).toEqual({
    kind: 'waits',
    on: `${name}: can't read its file`,
  })
})

test('readiness() waits on a name that several tasks have', () => {
  const others = ['x/b', 'y/b'].map((name) => taskFile(name, { status: 'completed' }))
  expect(ready(FILE, { others })).toEqual({ kind: 'waits', on: 'b: more than one task has this name' })
})

test('readiness() waits until the next try, and says when that is', () => {
  const waits = { kind: 'waits', on: `the next attempt at ${AFTER}`, at: Date.parse(AFTER) }
  expect(ready(taskFile('a', { neo: { retryAt: AFTER } }))).toEqual(waits)
})

test.each([BEFORE, new Date(NOW).toISOString(), 'soon'])(
  'readiness() is ready when retry_at is %s',
  (retryAt) => {
    expect(ready(taskFile('a', { neo: { retryAt } }))).toEqual({ kind: 'ready' })
  },
)

test('readiness() names the dependency before the next try when a task waits for both', () => {
  const file = taskFile('a', { dependsOn: ['b'], neo: { retryAt: AFTER } })
  expect(ready(file, { others: [taskFile('b')] })).toEqual({ kind: 'waits', on: 'b (pending)' })
})
