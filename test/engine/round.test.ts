/** Which tasks `neo run` takes, when it ends, and what it says while it waits: pure, over built snapshots and facts. */
import { describe, expect, test } from 'vitest'
import type { Decision } from '../../src/domain/plan/decision.ts'
import type { Facts, Snapshot } from '../../src/domain/plan/snapshot.ts'
import { isAtRest, isChosen, type RoundResult, runRefusal, waitReason } from '../../src/engine/round.ts'
import { askFile, config, facts, NOW, session, snapshot, taskFile } from '../builders.ts'

function round(over: Partial<RoundResult> = {}): RoundResult {
  const plan = { decisions: [], wakeAt: null } as unknown as RoundResult['plan']
  return { snapshot: snapshot(), facts: facts(), plan, wakeAt: null, waiting: 0, ...over }
}

const SOON = NOW + 60_000
const retry = (name: string, at: number, error?: string) =>
  taskFile(name, { neo: { retryAt: new Date(at).toISOString(), ...(error === undefined ? {} : { error }) } })

describe('isChosen()', () => {
  const file = taskFile('deep/a')
  const home = snapshot({ tasks: [file, taskFile('b', { room: 'lab' })] })
  const start = (path: string): Decision => ({ kind: 'start', path, hash: 'h', attempt: 1 })

  test.each([
    [undefined, true],
    [{ room: 'shop' }, true],
    [{ room: 'lab' }, false],
    [{ task: file.path }, true],
    [{ task: 'deep/a' }, true],
    [{ task: 'shop/deep/a' }, true],
    [{ task: 't-deep/a' }, true],
    [{ task: 'a' }, false],
    [{ room: 'lab', task: 'deep/a' }, false],
  ])('of a start with %j is %s', (only, chosen) => {
    expect(isChosen(only, start(file.path), home)).toBe(chosen)
  })

  test('takes what starts no work, and sessions that exist, whatever was chosen', () => {
    const others: Decision[] = [
      { kind: 'adopt', path: file.path, hash: 'h', id: 'new' },
      { kind: 'resume', session: 's-a' },
    ]
    expect(others.map((one) => isChosen({ room: 'lab' }, one, home))).toEqual([true, true])
  })

  test('takes no start of a task that is gone', () => {
    expect(isChosen({ room: 'shop' }, start('rooms/shop/tasks/gone.md'), home)).toBe(false)
  })
})

describe('isAtRest()', () => {
  const turns = (kind: 'busy' | 'waits'): Facts['neo'] => ({
    ready: 'yes',
    turns: new Map([
      ['shop', kind === 'busy' ? { kind } : { kind, at: SOON, why: 'no budget' }],
    ]) as Facts['neo']['turns'],
    woken: new Set(),
  })
  const expiring = askFile('a-1', { expiresAt: new Date(SOON).toISOString() })
  const wants = [{ key: 'q', id: 'a-1', kind: 'question', text: 'Which?' }] as const

  test.each<[string, boolean, Partial<RoundResult>]>([
    ['nothing is left', true, {}],
    ['a file settles', false, { wakeAt: SOON }],
    ['an intent waits for git', false, { waiting: 1 }],
    ['a session runs', false, { facts: facts({ sessions: [session('a')] }) }],
    ['a session has ended', true, { facts: facts({ sessions: [session('a', { state: 'ended' })] }) }],
    [
      'a session waits for an answer',
      true,
      { facts: facts({ sessions: [session('a', { idle: true, wants })] }) },
    ],
    [
      'a pull request is being opened',
      false,
      { facts: facts({ pulls: new Map([['t-a', { kind: 'opening' }]]) }) },
    ],
    ['Neo thinks', false, { facts: facts({ neo: turns('busy') }) }],
    ['Neo waits until then', true, { wakeAt: SOON, facts: facts({ neo: turns('waits') }) }],
    ['a request expires then', true, { wakeAt: SOON, snapshot: snapshot({ asks: [expiring] }) }],
    [
      'a request expires then, and a task is retried',
      false,
      { wakeAt: SOON, snapshot: snapshot({ asks: [expiring], tasks: [retry('a', SOON)] }) },
    ],
    [
      'a budget counts from zero then',
      true,
      { wakeAt: SOON, facts: facts({ budgets: new Map([['t-a', { error: 'spent', at: SOON }]]) }) },
    ],
    [
      'a pull request is retried then',
      true,
      { wakeAt: SOON, facts: facts({ pulls: new Map([['t-a', { kind: 'failed', error: 'x', at: SOON }]]) }) },
    ],
  ])('when %s is %s', (_what, rest, over) => {
    expect(isAtRest(round(over))).toBe(rest)
  })
})

describe('waitReason()', () => {
  const says = (over: Partial<RoundResult>) => waitReason(round(over), NOW)

  test('names the first retry, its cause, and how many more there are', () => {
    const tasks = [retry('b', NOW + 120_000), retry('a', SOON, 'exit code 1'), retry('c', NOW + 1_000)]
    expect(says({ snapshot: snapshot({ tasks }) })).toBe(
      'waiting until 2026-03-02T09:01:00.000Z for shop/a (exit code 1); 1 more later; --timeout limits the wait',
    )
  })

  test('names the host where work starts, if a task is pending here', () => {
    const elsewhere = facts({ elsewhere: 'server' })
    expect(says({ facts: elsewhere, snapshot: snapshot({ tasks: [taskFile('a')] }) })).toContain(
      'work starts on server only',
    )
    expect(says({ facts: elsewhere })).toBeNull()
  })

  test.each<[string, Partial<RoundResult>]>([
    ['a session runs', { facts: facts({ sessions: [session('a')] }) }],
    ['an intent waits', { waiting: 1 }],
    ['nothing is retried', {}],
  ])('says nothing while %s', (_what, over) => {
    const tasks = over.facts === undefined && over.waiting === undefined ? [] : [retry('a', SOON)]
    expect(says({ snapshot: snapshot({ tasks }), ...over })).toBeNull()
  })
})

describe('runRefusal()', () => {
  const at = (git: Snapshot['git'], branch: string | null = null) =>
    runRefusal(round({ snapshot: { ...snapshot(), git, config: config({ branch }) } }))

  test('is none on the branch, nor after a round that failed', () => {
    expect([at({ kind: 'home', branch: 'main', commit: 'c0' }), runRefusal(null)]).toEqual([null, null])
  })

  test('says how to get to the branch, or to end what git has begun', () => {
    expect(at({ kind: 'away', why: 'HEAD is detached' }, 'work')).toMatchObject({
      code: 'usage',
      message: 'Cannot run: HEAD is detached',
      more: { next: expect.stringContaining('git checkout -B work') },
    })
    expect(at({ kind: 'busy', why: 'a rebase is in progress' })).toMatchObject({
      more: { next: 'finish or abort it, then retry' },
    })
  })
})
