/** What holds for a task: its own key, else its room's, else neo.yaml's, else the default. */
import { expect, test } from 'vitest'
import type { Room } from '../../../src/domain/room/room.ts'
import type { Task } from '../../../src/domain/task/task.ts'
import { workerText } from '../../../src/domain/task/task.ts'
import { isInsideHome, type Settings, settingsOf } from '../../../src/domain/task/task-settings.ts'
import { config, room, task } from '../../builders.ts'

const EMPTY = task()
const { worker: _shell, ...BARE } = EMPTY

const DEFAULTS: Settings = {
  worker: { kind: 'agent' },
  model: 'rules',
  workspace: 'workspace/files',
  base: null,
  review: 'branch',
  verify: [],
  setup: [],
  cleanup: [],
  env: [],
  envFiles: [],
  hooks: 'off',
  timeoutMs: 3_600_000,
  concurrency: 3,
}

const ROOM: Partial<Room> = {
  worker: { kind: 'shell' },
  model: 'room-model',
  workspace: '../shop',
  base: 'develop',
  review: 'none',
  verify: ['room check'],
  setup: ['prepare'],
  cleanup: ['tidy'],
  env: ['BOTH', 'ROOM'],
  envFiles: ['.env'],
  hooks: 'on',
  concurrency: 1,
}

const TASK: Partial<Task> = {
  worker: { kind: 'human' },
  model: 'task-model',
  workspace: '/srv/shop',
  review: 'pr',
  verify: ['task check'],
  env: ['TASK', 'BOTH'],
  timeoutMs: 5000,
}

test('settingsOf() gives the defaults when nothing is said', () => {
  expect(settingsOf(BARE, null, config())).toEqual(DEFAULTS)
  expect(settingsOf(BARE, room(), config())).toEqual(DEFAULTS)
})

test("settingsOf() gives the room's keys when the task has none", () => {
  expect(settingsOf(BARE, room(ROOM), config())).toEqual({ ...DEFAULTS, ...ROOM })
})

test("settingsOf() gives the task's keys before the room's, and the names of both environments once", () => {
  const env = ['BOTH', 'ROOM', 'TASK']
  const { worker, model, workspace, review, verify, timeoutMs } = TASK
  const own = { worker, model, workspace, review, verify, timeoutMs }
  expect(settingsOf({ ...BARE, ...TASK }, room(ROOM), config())).toEqual({
    ...DEFAULTS,
    ...ROOM,
    ...own,
    env,
  })
})

test("settingsOf() lets a task take the room's checks away", () => {
  expect(settingsOf({ ...BARE, verify: [] }, room(ROOM), config()).verify).toEqual([])
})

test.each([
  ['shell', 'workspace/files', 'none'],
  ['shell', './notes', 'none'],
  ['shell', '../shop', 'branch'],
  ['shell', 'a/../../shop', 'branch'],
  ['shell', '/srv/shop', 'branch'],
  ['shell', '~/shop', 'branch'],
  ['agent', 'workspace/files', 'branch'],
  ['human', 'workspace/files', 'branch'],
] as const)('settingsOf() reviews a %s task in %s by %s when nobody says how', (kind, workspace, review) => {
  expect(settingsOf({ ...BARE, worker: { kind }, workspace }, null, config()).review).toBe(review)
})

test.each([
  ['a..b/c', true],
  ['...', true],
  ['..', false],
  ['a/..', false],
])('isInsideHome(%j) is %s', (workspace, inside) => {
  expect(isInsideHome(workspace)).toBe(inside)
})

test.each([
  [{ kind: 'agent' }, 'agent'],
  [{ kind: 'shell' }, 'shell'],
  [{ kind: 'human' }, 'human'],
  [{ kind: 'exec', name: 'writer' }, 'exec:writer'],
  [{ kind: 'peer', name: 'p-1' }, 'peer:p-1'],
] as const)('workerText(%j) is %s', (worker, text) => {
  expect(workerText(worker)).toBe(text)
})
