/** A task that an agent of another home does: one request, its state is ours, and a stop here cancels it there. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import type { SessionRecord } from '../../src/domain/session/session.ts'
import type { PeerAsk, PeerState, PeerWork, SessionDeps } from '../../src/runner/deps.ts'
import { runPeerSession } from '../../src/runner/peer-session.ts'
import { record } from '../builders.ts'
import { handClock } from '../engine/hand-clock.ts'

const PEER = {
  agentId: 'bob.home',
  taskType: 'delegated',
  taskParams: {},
  scope: [{ type: 'repository', identifier: 'acme/app' }],
} as const satisfies NonNullable<SessionRecord['peer']>
const task = (over: Partial<Extract<PeerState, { kind: 'task' }>> = {}): PeerState => ({
  ...{ kind: 'task', taskId: 'far-1', status: 'pending', state: 'working', text: '' },
  ...over,
})
const trouble: PeerState = { kind: 'trouble', why: 'not reachable' }

/** An answer during which this daemon is stopped, or leaves the session. */
function ending(abort: () => AbortController, reason: string, state: PeerState): () => PeerState {
  return () => {
    abort().abort(reason)
    return state
  }
}

/** Each answer of the other home, in order; the last one stays. */
function desk(answers: readonly (PeerState | (() => PeerState))[], over: Partial<SessionRecord> = {}) {
  const session = join(mkdtempSync(join(tmpdir(), 'neo-peer-')), 'neo')
  onTestFinished(() => rmSync(join(session, '..'), { recursive: true, force: true }))
  const clock = handClock(Date.parse(record('s-a', 'a').startedAt))
  const abort = new AbortController()
  const seen = {
    asked: [] as PeerAsk[],
    waits: [] as number[],
    cancelled: [] as string[],
    lines: [] as string[],
  }
  const work: PeerWork = {
    hindrance: () => null,
    execute: async (of) => {
      seen.asked.push(of)
      const answer = answers[Math.min(seen.asked.length, answers.length) - 1] ?? trouble
      return typeof answer === 'function' ? answer() : answer
    },
    cancel: (agent, of) => void seen.cancelled.push(`${agent} ${Object.values(of).join()}`),
    news: async (_agent, ms) => {
      seen.waits.push(ms)
      clock.pass(ms)
    },
  }
  const deps = {
    world: { files: openFiles(), clock },
    dirs: { session, worktree: '', home: '' },
    on: { progress: () => {}, line: (text: string) => void seen.lines.push(text) },
    peer: work,
    signal: abort.signal,
  } as unknown as SessionDeps
  const of = record('s-a', 'a', { peer: PEER, timeoutMs: 3_600_000, ...over })
  return {
    seen,
    abort,
    run: (more: Partial<SessionDeps> = {}) => runPeerSession({ record: of, deps: { ...deps, ...more } }),
  }
}

test.each<[PeerState, object]>([
  [task({ status: 'completed', text: 'merged' }), { kind: 'passed' }],
  [task({ status: 'failed', text: 'tests are red' }), { kind: 'failed', error: 'bob.home: tests are red' }],
  [task({ status: 'failed', state: 'rejected' }), { kind: 'failed', error: 'bob.home: rejected' }],
  [
    { kind: 'refused', why: 'no access' },
    { kind: 'failed', error: 'no access' },
  ],
])('runPeerSession() ends with %j', async (state, ending) => {
  expect(await desk([state]).run()).toMatchObject({ ending })
})

test.each([
  ['merged', 'bob.home: merged'],
  ['', 'completed by bob.home'],
])('runPeerSession() says of a completed task with the text %j: %s', async (text, result) => {
  expect(await desk([task({ status: 'completed', text })]).run()).toMatchObject({
    gathered: { said: { result } },
  })
})

test('runPeerSession() asks with one id, says each state once, and looks again without news', async () => {
  const { run, seen } = desk([task(), task(), task({ state: 'testing' }), task({ status: 'completed' })])
  await run()
  expect(new Set(seen.asked.map(({ requestId }) => requestId))).toEqual(new Set(['t-a-1']))
  expect(seen.lines).toEqual(['bob.home: working', 'bob.home: testing'])
  expect(seen.waits).toEqual([30_000, 30_000, 30_000])
})

test('runPeerSession() waits longer while the other home is out of reach, then as before', async () => {
  const { run, seen } = desk([...Array(7).fill(trouble), task(), trouble, task({ status: 'completed' })])
  await run()
  expect(seen.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 1_000])
  expect(seen.lines[0]).toBe('not reachable; retrying')
})

test('runPeerSession() fails after its time, and cancels the task there', async () => {
  const { run, seen } = desk([task()], { timeoutMs: 60_000 })
  expect(await run()).toMatchObject({
    ending: { kind: 'failed', error: 'the time limit is over; bob.home has to stop' },
  })
  expect(seen.cancelled).toEqual(['bob.home far-1'])
})

test('runPeerSession() cancels the task there at a stop, also one that an earlier run began', async () => {
  const first = desk([ending(() => first.abort, 'leave', task())])
  expect(await first.run()).toBe('left')
  const second = desk([task(), ending(() => second.abort, 'by hand', trouble)])
  expect(await second.run()).toMatchObject({ ending: { kind: 'stopped', why: 'by hand' } })
  expect([first.seen.cancelled, second.seen.cancelled]).toEqual([[], ['bob.home far-1']])
})

test('runPeerSession() cancels a task whose answer never came by the id of its request', async () => {
  const { run, seen, abort } = desk([ending(() => abort, 'by hand', trouble)])
  expect(await run()).toMatchObject({ ending: { kind: 'stopped' } })
  expect(seen.cancelled).toEqual(['bob.home t-a-1'])
  expect(seen.lines.at(-1)).toBe('cancelling the task at bob.home; retrying until it answers')
})

test('runPeerSession() asks nothing without a context, and waits without the protocol', async () => {
  const bare = desk([task()], { peer: { ...PEER, scope: [] } })
  expect(await bare.run()).toMatchObject({
    ending: { kind: 'failed', error: expect.stringContaining('no context') },
  })
  const { run, seen } = desk([task()])
  expect(await run({ peer: undefined as never })).toMatchObject({ ending: { kind: 'parked', by: 'model' } })
  expect([bare.seen.asked, seen.asked]).toEqual([[], []])
})
