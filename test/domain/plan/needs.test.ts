/** What needs a person now, and which decisions start work. */
import { describe, expect, test } from 'vitest'
import { type Decision, startsWork } from '../../../src/domain/plan/decision.ts'
import { needsOf, openAsks, workerOf } from '../../../src/domain/plan/needs.ts'
import type { AskFile, Snapshot, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { TASK_STATUSES } from '../../../src/domain/task/task.ts'
import { askFile, NOW, roomFile, snapshot, taskFile } from '../../builders.ts'

const names = (files: readonly { readonly path: string }[]) =>
  files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1, -3))
const all = () => true

function home(tasks: readonly TaskFile[], asks: readonly AskFile[] = []): Snapshot {
  return snapshot({ tasks, asks, rooms: [roomFile('shop'), roomFile('mine', { worker: { kind: 'human' } })] })
}

const ofRoom = (name: string, room: string, over: Parameters<typeof taskFile>[1] = {}): TaskFile => {
  const { worker: _worker, ...task } = taskFile(name, { room, ...over }).task
  return { ...taskFile(name, { room, ...over }), task }
}

describe('needsOf', () => {
  test('shows each task in one list at most, by its status', () => {
    const tasks = TASK_STATUSES.map((status) =>
      taskFile(status, { status, neo: { completedAt: '2026-03-02T08:00:00Z' } }),
    )
    const { reviews, yours, blocked, failed } = needsOf(home(tasks), all, NOW)
    expect([reviews, yours, blocked, failed].map(names)).toEqual([['review'], [], ['blocked'], ['failed']])
  })

  test('shows tasks at work whose worker is a person, by their own word, else by that of their room', () => {
    const tasks = [
      taskFile('own', { status: 'in_progress', worker: { kind: 'human' } }),
      ofRoom('by-room', 'mine', { status: 'in_progress' }),
      ofRoom('by-home', 'shop', { status: 'in_progress' }),
      taskFile('not-mine', { room: 'mine', status: 'in_progress', worker: { kind: 'shell' } }),
      taskFile('not-yet', { room: 'mine', status: 'pending', worker: { kind: 'human' } }),
    ]
    expect(names(needsOf(home(tasks), all, NOW).yours)).toEqual(['own', 'by-room'])
    expect(workerOf(home(tasks), ofRoom('x', 'nowhere'))).toEqual({ kind: 'agent' })
  })

  test.each([
    [undefined, true],
    ['model', true],
    ['budget', true],
    ['filter', true],
    ['ask', false],
    ['interrupted', false],
  ] as const)('shows a task that is blocked by %s: %s', (by, isShown) => {
    const task = taskFile('a', { status: 'blocked', neo: by === undefined ? {} : { blocked: by } })
    expect(names(needsOf(home([task]), all, NOW).blocked)).toEqual(isShown ? ['a'] : [])
  })

  test.each([
    ['2026-03-02T09:00:00Z', true],
    ['2026-02-23T09:00:01Z', true],
    ['2026-02-23T09:00:00Z', false],
    ['2025-03-02T09:00:00Z', false],
    ['yesterday', false],
    [undefined, false],
  ])('shows a failure of %s: %s', (completedAt, isShown) => {
    const task = taskFile('a', { status: 'failed', neo: completedAt === undefined ? {} : { completedAt } })
    expect(names(needsOf(home([task]), all, NOW).failed)).toEqual(isShown ? ['a'] : [])
  })

  test('shows nothing of rooms that are not seen', () => {
    const tasks = TASK_STATUSES.map((status) => taskFile(status, { status, worker: { kind: 'human' } }))
    expect(needsOf(home(tasks, [askFile('ask-1')]), (room) => room !== 'shop', NOW)).toEqual({
      ...{ asks: [], reviews: [], yours: [], blocked: [], failed: [] },
    })
  })
})

test.each<[string, Parameters<typeof askFile>[1], boolean]>([
  ['an approval that nobody decided', {}, true],
  ['one that is approved', { decision: 'approved' }, false],
  ['one that is denied', { decision: 'denied' }, false],
  ['one that was handled', { handledAt: '2026-03-02T08:00:00Z' }, false],
  ['a question', { kind: 'question' }, true],
  ['a question that is answered', { kind: 'question', answer: 'yes' }, false],
  ['one that has expired and was not handled yet', { expiresAt: '2026-03-01T08:00:00Z' }, true],
])('openAsks() of %s', (_, over, isOpen) => {
  expect(names(openAsks(home([], [askFile('ask-1', over)]), all))).toEqual(isOpen ? ['ask-1'] : [])
})

/** Each kind of decision has to be named here, or this file has no type. */
const STARTS: Readonly<Record<Decision['kind'], boolean>> = {
  ...{ start: true, 'hand-over': true, resume: true },
  ...{ adopt: false, 'adopt-room': false, 'adopt-schedule': false, reconcile: false },
  ...{ record: false, 'record-schedule': false, forget: false, fire: false },
  ...{ requeue: false, block: false, unblock: false, 'open-ask': false, 'close-ask': false, withdraw: false },
  ...{ stop: false, halt: false, finish: false, discard: false },
  ...{ wake: false, turned: false, tell: false, want: false, answer: false, settle: false, report: false },
  ...{ merge: false, merged: false, lost: false, publish: false, published: false },
}

test.each(Object.entries(STARTS))('startsWork() of %s is %s', (kind, is) => {
  expect(startsWork({ kind } as Decision)).toBe(is)
})
