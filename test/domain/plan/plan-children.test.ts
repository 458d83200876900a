/** Subagents of a session that is being ended: their tasks are halted first, and only then is the session cleared away. */
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import type { SessionFact, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { TASK_STATUSES, type TaskStatus } from '../../../src/domain/task/task.ts'
import { plan } from '../../../src/domain/plan/plan.ts'
import { done, facts, NOW, session, snapshot, taskFile } from '../../builders.ts'

const SPAWN = { key: 'k', kind: 'spawn', text: 'Count.', id: 't-child' } as const
const STOPPED = { kind: 'stopped', why: 'by hand', endedAt: '2026-03-01T09:00:00Z' } as const
const HALT = { kind: 'halt', path: 'rooms/shop/tasks/child.md', hash: 'h-child', session: 's-parent' }

function parent(over: Partial<SessionFact> = {}): SessionFact {
  return session('parent', { wants: [SPAWN], ...over })
}

function decide(
  files: readonly TaskFile[],
  sessions: readonly SessionFact[],
  invalid: readonly string[] = [],
): readonly Decision[] {
  const tasks = files.map((file) => ({ ...file }))
  return plan(snapshot({ tasks, invalid }), facts({ sessions }), NOW).decisions
}

const STATES: Readonly<
  Record<string, { fact: SessionFact; status: TaskStatus | 'deleted'; ends: string[] }>
> = {
  'a live session whose task was blocked': { fact: parent(), status: 'blocked', ends: ['stop'] },
  'a live session whose task was deleted': { fact: parent(), status: 'deleted', ends: ['stop'] },
  'a dormant session whose task was cancelled': {
    fact: parent({ state: 'dormant' }),
    status: 'cancelled',
    ends: ['stop'],
  },
  'a stopped session that is not cleared away': {
    fact: parent({ state: 'ended', outcome: STOPPED }),
    status: 'blocked',
    ends: [],
  },
  'a stopped session whose task says in_progress': {
    fact: parent({ state: 'ended', outcome: STOPPED }),
    status: 'in_progress',
    ends: [],
  },
}

test.each(Object.entries(STATES))('plan() halts the subagent of %s', (_, { fact, status, ends }) => {
  const files =
    status === 'deleted' ? [] : [taskFile('parent', { status, neo: { id: 't-parent', session: 's-parent' } })]
  const child = taskFile('child', { status: 'in_progress', neo: { id: 't-child', session: 's-child' } })
  const decisions = decide([...files, child], [fact, session('child')])
  expect(decisions[0]).toEqual(HALT)
  expect(decisions.slice(1).map(({ kind }) => kind)).toEqual(ends)
})

test('plan() clears a stopped session away once its subagents are halted', () => {
  const file = taskFile('parent', { status: 'blocked', neo: { id: 't-parent', session: 's-parent' } })
  const child = taskFile('child', { status: 'blocked', neo: { id: 't-child', session: 's-child' } })
  const ended = parent({ state: 'ended', outcome: STOPPED })
  const decisions = decide([file, child], [ended, session('child')])
  expect(decisions.map(({ kind }) => kind)).toEqual(['discard', 'stop'])
})

const HALTED: readonly string[] = ['pending', 'in_progress']

test.each(TASK_STATUSES.map((status) => [status, HALTED.includes(status)] as const))(
  'plan() with a stopped session and its subagent in %s: halted is %s',
  (status, halted) => {
    const file = taskFile('parent', { status: 'blocked', neo: { id: 't-parent', session: 's-parent' } })
    const child = taskFile('child', { status, neo: { id: 't-child' } })
    const kinds = decide([file, child], [parent({ state: 'ended', outcome: STOPPED })]).map(
      ({ kind }) => kind,
    )
    expect(kinds.includes('halt')).toBe(halted)
    expect(kinds.includes('discard')).toBe(!halted)
    expect(kinds).not.toContain('start')
  },
)

test('plan() lets no subagent go on by itself that waited for a budget', () => {
  const file = taskFile('parent', { status: 'blocked', neo: { id: 't-parent', session: 's-parent' } })
  const child = taskFile('child', { status: 'blocked', neo: { id: 't-child', blocked: 'budget' } })
  const decisions = decide([file, child], [parent({ state: 'ended', outcome: STOPPED })])
  expect(decisions.map(({ kind }) => kind)).toEqual(['halt'])
})

test('plan() does not wait for a subagent whose file cannot be read', () => {
  const file = taskFile('parent', { status: 'blocked', neo: { id: 't-parent', session: 's-parent' } })
  const child = taskFile('child', { status: 'pending', neo: { id: 't-child' } })
  const ended = parent({ state: 'ended', outcome: STOPPED })
  expect(decide([file, child], [ended], [child.path]).map(({ kind }) => kind)).toEqual(['discard'])
})

test('plan() leaves the subagents of a session alone that ended by itself', () => {
  const file = taskFile('parent', { status: 'in_progress', neo: { id: 't-parent', session: 's-parent' } })
  const child = taskFile('child', { status: 'in_progress', neo: { id: 't-child', session: 's-child' } })
  const ended = parent({ state: 'ended', outcome: done() })
  expect(decide([file, child], [ended, session('child')]).map(({ kind }) => kind)).toEqual(['finish'])
})
