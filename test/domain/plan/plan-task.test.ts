/** What one task needs now: sessions, statuses, workers, blocks, asks and reviews. */
import { expect, test } from 'vitest'
import type { Decision } from '../../../src/domain/plan/decision.ts'
import { plan } from '../../../src/domain/plan/plan.ts'
import type { AskFile, BranchFact, Facts, GitStatus, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import { TASK_STATUSES, type Worker } from '../../../src/domain/task/task.ts'
import type { TaskOver } from '../../builders.ts'
import {
  AFTER,
  askFile,
  BEFORE,
  done,
  facts,
  NOW,
  roomFile,
  session,
  snapshot,
  taskFile,
} from '../../builders.ts'

const PATH = 'rooms/shop/tasks/a.md'
const ON_A = { path: PATH, hash: 'h-a' }

function decide(file: TaskFile, known: Facts = facts(), asks: readonly AskFile[] = []): readonly Decision[] {
  return plan(snapshot({ tasks: [file], asks }), known, NOW).decisions
}

const STATES = {
  live: session('a'),
  stopping: session('a', { stopping: true }),
  dormant: session('a', { state: 'dormant' }),
  ended: session('a', { state: 'ended', outcome: done() }),
} as const

const FINISH = { kind: 'finish', ...ON_A, session: 's-a', outcome: done() }

/** What becomes of a session while the task's file says in_progress, and in every other case. */
const GRID = Object.entries(STATES).flatMap(([state, fact]) =>
  TASK_STATUSES.map((status) => [state, status, fact, wanted(state, status)] as const),
)

function wanted(state: string, status: string): readonly object[] {
  const why = `the task was set to ${status}`
  const goesOn = { live: [], stopping: [], ended: [FINISH], dormant: [{ kind: 'resume', session: 's-a' }] }
  const stop = [{ kind: 'stop', session: 's-a', why }]
  const ends = { live: stop, stopping: [], dormant: stop, ended: [{ kind: 'discard', session: 's-a', why }] }
  return (status === 'in_progress' ? goesOn : ends)[state as keyof typeof ends]
}

test.each(GRID)('plan() with a %s session and status %s', (_state, status, fact, decisions) => {
  const file = taskFile('a', { status, neo: { session: 's-a' } })
  expect(decide(file, facts({ sessions: [fact] }))).toEqual(decisions)
})

test('plan() waits when an ended session has no outcome yet', () => {
  const file = taskFile('a', { status: 'in_progress', neo: { session: 's-a' } })
  expect(decide(file, facts({ sessions: [session('a', { state: 'ended' })] }))).toEqual([])
})

test('plan() takes no session for the task’s that was started for another', () => {
  const file = taskFile('a', { status: 'in_progress', neo: { session: 's-z' } })
  const other = session('z', { record: { id: 's-z' } })
  expect(decide(file, facts({ sessions: [other] }))).toMatchObject([{ kind: 'stop' }, { kind: 'requeue' }])
})

const START = { kind: 'start', ...ON_A, attempt: 1 }
const RECORD = (status: string) => ({ kind: 'record', ...ON_A, status })
const REQUEUE = { kind: 'requeue', ...ON_A, why: 'no session is running for it' }

/** What a task without a session needs, when it stands as committed and when a person has set its status. */
test.each([
  ['draft', [], [RECORD('draft')]],
  ['pending', [START], [START]],
  ['in_progress', [REQUEUE], [REQUEUE]],
  ['blocked', [], [RECORD('blocked')]],
  ['review', [], [RECORD('review')]],
  ['completed', [], [RECORD('completed')]],
  ['failed', [], [RECORD('failed')]],
  ['cancelled', [], [RECORD('cancelled')]],
] as const)('plan() without a session and status %s', (status, same, edited) => {
  const before = status === 'failed' ? 'draft' : 'failed'
  expect(decide(taskFile('a', { status }))).toEqual(same)
  expect(decide(taskFile('a', { status, gitStatus: 'edited', committedStatus: before }))).toEqual(edited)
})

test.each([
  ['the status is as it was', 'edited', 'draft'],
  ['no status was committed', 'edited', null],
  ['nothing was edited', 'same', 'failed'],
] as const)('plan() records nothing when %s', (_case, gitStatus: GitStatus, committedStatus) => {
  expect(decide(taskFile('a', { status: 'draft', gitStatus, committedStatus }))).toEqual([])
})

test('plan() counts the attempts', () => {
  expect(decide(taskFile('a', { neo: { attempt: 4 } }))).toEqual([{ ...START, attempt: 5 }])
})

test('plan() leaves an invalid file alone when it is pending', () => {
  const home = snapshot({ tasks: [taskFile('a')], invalid: [PATH] })
  expect(plan(home, facts(), NOW)).toEqual({ decisions: [], waiting: [], wakeAt: null })
})

const LATER = { neo: { retryAt: AFTER } } as const

test('plan() says what a pending task waits for, and wakes for its next try', () => {
  const made = plan(snapshot({ tasks: [taskFile('a', LATER)] }), facts(), NOW)
  const waiting = [{ path: PATH, on: `the next attempt at ${AFTER}` }]
  expect(made).toEqual({ decisions: [], waiting, wakeAt: Date.parse(AFTER) })
})

test.each([[[]], [[session('a')]]])(
  'plan() records that a person set a task to pending when it has to wait',
  (of) => {
    const file = taskFile('a', { ...LATER, gitStatus: 'edited', committedStatus: 'failed' })
    const { decisions } = plan(snapshot({ tasks: [file] }), facts({ sessions: of }), NOW)
    expect(decisions.filter(({ kind }) => kind !== 'stop')).toEqual([RECORD('pending')])
  },
)

test.each([
  ['paused room', {}, [roomFile('shop', { status: 'paused' })]],
  ['bar', { barred: true }, [roomFile('shop')]],
  ['other host', { elsewhere: 'attic' }, [roomFile('shop')]],
  ['full disk', { diskFull: true }, [roomFile('shop')]],
] as const)('plan() starts nothing under a %s, and lets sessions go on', (_what, over, rooms) => {
  const running = taskFile('b', { status: 'in_progress', neo: { session: 's-b' } })
  const tasks = [taskFile('a'), taskFile('h', { worker: { kind: 'human' } }), running]
  const known = facts({ ...over, sessions: [session('b', { state: 'dormant' })] })
  const made = plan(snapshot({ tasks, rooms }), known, NOW)
  expect(made.decisions).toEqual([{ kind: 'resume', session: 's-b' }])
  expect(made.waiting).toHaveLength(2)
})

test('plan() hands a human’s task over without a slot', () => {
  const sessions = ['x', 'y', 'z'].map((name) => session(name))
  const tasks = sessions.map(({ record }) =>
    taskFile(record.taskName, { status: 'in_progress', neo: { session: record.id } }),
  )
  const file = taskFile('a', { worker: { kind: 'human' } })
  const { decisions } = plan(snapshot({ tasks: [...tasks, file] }), facts({ sessions }), NOW)
  expect(decisions).toEqual([{ kind: 'hand-over', ...ON_A, attempt: 1 }])
})

test('plan() leaves a human’s task in progress, and records that it was taken up by hand', () => {
  const file: TaskOver = { status: 'in_progress', worker: { kind: 'human' } }
  expect(decide(taskFile('a', file))).toEqual([])
  const taken = taskFile('a', { ...file, gitStatus: 'edited', committedStatus: 'pending' })
  expect(decide(taken)).toEqual([RECORD('in_progress')])
})

const AGENTS = [{ kind: 'agent' }, { kind: 'exec', name: 'w' }, { kind: 'peer', name: 'p' }] as const
const READY = { agent: { kind: 'ready' } } as const

test.each(AGENTS)('plan() blocks work for $kind without a model, and starts it with one', (worker) => {
  const block = { kind: 'block', ...ON_A, by: 'model', error: 'no model' }
  expect(decide(taskFile('a', { worker }))).toEqual([block])
  expect(decide(taskFile('a', { worker }), facts(READY))).toEqual([START])
})

test('plan() goes by what hinders the task itself, before what hinders the home', () => {
  const file = taskFile('a', { worker: { kind: 'exec', name: 'w' } })
  expect(decide(file, facts({ cannot: new Map([['t-a', null]]) }))).toEqual([START])
  const block = { kind: 'block', ...ON_A, by: 'model', error: 'no worker w' }
  expect(decide(file, facts({ ...READY, cannot: new Map([['t-a', 'no worker w']]) }))).toEqual([block])
})

test('plan() blocks an agent whose budget is spent, and looks again when it counts from zero', () => {
  const budgets = new Map([['t-a', { error: 'spent', at: NOW + 1000 }]])
  const pending = taskFile('a', { worker: { kind: 'agent' } })
  const block = { kind: 'block', ...ON_A, by: 'budget', error: 'spent' }
  expect(decide(pending, facts({ ...READY, budgets }))).toEqual([block])
  const waiting = snapshot({ tasks: [taskFile('a', { status: 'blocked', neo: { blocked: 'budget' } })] })
  expect(plan(waiting, facts({ ...READY, budgets }), NOW)).toMatchObject({
    decisions: [],
    wakeAt: NOW + 1000,
  })
})

const UNBLOCK = [{ kind: 'unblock', ...ON_A }]

test.each([
  ['model', {}, []],
  ['model', READY, UNBLOCK],
  ['model', {}, UNBLOCK, { kind: 'shell' }],
  ['model', {}, UNBLOCK, { kind: 'human' }],
  ['budget', { budgets: new Map([['t-a', { error: 'spent', at: null }]]) }, []],
  ['budget', {}, UNBLOCK],
] as const)('plan() with a block by %s, and %j', (by, known, decisions, worker: Worker = AGENTS[0]) => {
  const over = { worker, status: 'blocked', neo: { blocked: by } } as const
  expect(decide(taskFile('a', over), facts(known))).toEqual(decisions)
})

const BY_MODEL = { neo: { createdBy: 'session:s-0' } } as const
const OPEN = { kind: 'open-ask', ...ON_A }
const ASK = { task: 't-a' } as const
const CLOSE = (verdict: string) => ({ kind: 'close-ask', ...ON_A, ask: 'rooms/shop/asks/q.md', verdict })
const SHOW = { kind: 'block', ...ON_A, by: 'ask', error: 'waits for approval: neo ask show q' }
const SAME = facts({ askHashes: new Map([['q', 'sha']]) })

test('plan() asks before it starts a task that a model wrote', () => {
  expect(decide(taskFile('a', BY_MODEL))).toEqual([{ ...OPEN, about: 'start' }])
})

/** Pending and written by a model: what follows from its ask. */
test.each([
  [{}, SHOW],
  [{ decision: 'approved', decidedAt: BEFORE }, START],
  [{ decision: 'approved', decidedAt: BEFORE, handledAt: BEFORE }, START],
  [{ decision: 'denied' }, CLOSE('denied')],
  [
    { decision: 'denied', handledAt: BEFORE },
    { ...OPEN, about: 'start' },
  ],
  [{ expiresAt: BEFORE }, CLOSE('expired')],
  [
    { expiresAt: BEFORE, handledAt: BEFORE },
    { ...OPEN, about: 'start' },
  ],
  [{ handledAt: BEFORE }, { ...OPEN, about: 'start' }],
] as const)('plan() for a pending task with the ask %j', (over, decision) => {
  expect(decide(taskFile('a', BY_MODEL), SAME, [askFile('q', { ...ASK, ...over })])).toEqual([decision])
})

test.each([
  [{}, CLOSE('changed')],
  [{ handledAt: BEFORE }, { ...OPEN, about: 'start' }],
] as const)('plan() starts nothing that changed after it was approved: %j', (over, decision) => {
  const asks = [askFile('q', { ...ASK, decision: 'approved', ...over })]
  expect(decide(taskFile('a', BY_MODEL), facts({ askHashes: new Map([['q', 'new']]) }), asks)).toEqual([
    decision,
  ])
})

test('plan() takes no ask for the task’s that is about another, or about none', () => {
  const { task: _task, ...none } = askFile('r', ASK).ask
  const asks = [askFile('q', { task: 't-b', decision: 'approved' }), { ...askFile('r'), ask: none }]
  // The task of `q` is gone, so `q` is withdrawn.
  const withdrawn = { kind: 'withdraw', path: 'rooms/shop/asks/q.md', hash: 'h-q' }
  expect(decide(taskFile('a', BY_MODEL), SAME, asks)).toEqual([{ ...OPEN, about: 'start' }, withdrawn])
})

/** Blocked by an ask: what follows from it, for a start and for an interrupted step. */
test.each([
  [{}, []],
  [{ decision: 'approved' }, [CLOSE('approved')]],
  [{ decision: 'denied' }, [CLOSE('denied')]],
  [{ expiresAt: BEFORE }, [CLOSE('expired')]],
  [{ handledAt: BEFORE }, 'asks again'],
] as const)('plan() for a blocked task with the ask %j', (over, want) => {
  for (const [by, tool, about] of [
    ['ask', 'run_task', 'start'],
    ['interrupted', 'retry_task', 'interrupted'],
  ] as const) {
    const asks = [askFile('q', { ...ASK, ...over }, tool)]
    const decisions = want === 'asks again' ? [{ ...OPEN, about }] : want
    expect(decide(taskFile('a', { status: 'blocked', neo: { blocked: by } }), SAME, asks)).toEqual(decisions)
  }
})

test.each([
  ['ask', 'start'],
  ['interrupted', 'interrupted'],
] as const)('plan() asks when a task is blocked by %s and there is no ask', (by, about) => {
  expect(decide(taskFile('a', { status: 'blocked', neo: { blocked: by } }))).toEqual([{ ...OPEN, about }])
})

test.each([
  [AFTER, Date.parse(AFTER)],
  ['soon', null],
  [undefined, null],
])('plan() with an open ask until %s wakes at %s', (expiresAt, wakeAt) => {
  const { expiresAt: _end, ...endless } = askFile('q', ASK).ask
  const ask = { ...askFile('q'), ask: expiresAt === undefined ? endless : { ...endless, expiresAt } }
  const tasks = [taskFile('a', { status: 'blocked', neo: { blocked: 'ask' } })]
  expect(plan(snapshot({ tasks, asks: [ask] }), SAME, NOW).wakeAt).toBe(wakeAt)
})

const IN_REVIEW: TaskOver = { status: 'review', neo: { branch: 'neo/shop/a-1' } }

/** Columns: where the branch stands, how it is reviewed, what follows. */
test.each([
  [{ kind: 'merged', commit: 'c2' }, 'branch', [{ kind: 'merged', ...ON_A, commit: 'c2' }]],
  [
    { kind: 'gone' },
    'branch',
    [{ kind: 'lost', ...ON_A, error: 'branch neo/shop/a-1 was deleted before it was merged' }],
  ],
  [{ kind: 'open', ahead: 1 }, 'branch', []],
  [{ kind: 'open', ahead: 1 }, 'none', [{ kind: 'merge', ...ON_A }]],
] as const)('plan() with a branch %j and review: %s', (fact: BranchFact, review, decisions) => {
  const known = facts({ branches: new Map([['t-a', fact]]) })
  expect(decide(taskFile('a', { ...IN_REVIEW, review }), known)).toEqual(decisions)
})

test('plan() says that a branch is gone when its name is not known either', () => {
  const known = facts({ branches: new Map([['t-a', { kind: 'gone' } as const]]) })
  expect(decide(taskFile('a', { status: 'review' }), known)).toMatchObject([{ kind: 'lost' }])
})
