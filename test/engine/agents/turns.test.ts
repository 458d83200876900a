/** Neo's turns in this process: one a room, retried with growing pauses, and no cause twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import type { Trigger } from '../../../src/domain/plan/decision.ts'
import { type Orchestrator, type TurnResult, Turns } from '../../../src/engine/agents/orchestrator.ts'
import { openActed } from '../../../src/engine/commit/acted-log.ts'
import { handClock } from '../hand-clock.ts'

const HOUR_MS = 3_600_000
const TRIGGERS: readonly Trigger[] = [
  { key: 'inbox:a@h', room: 'shop', kind: 'message', from: 'human', text: 'Hi' },
]

function desk() {
  const dir = join(mkdtempSync(join(tmpdir(), 'neo-turns-')), 'neo')
  onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
  const clock = handClock()
  const seen = { troubles: [] as string[], changes: 0, turns: 0, closed: false }
  let answer: (said: TurnResult | Error) => Promise<void> = async () => {}
  const orchestrator: Orchestrator = {
    turn: (_room, _triggers, signal) => {
      seen.turns++
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve({ kind: 'waits', reply: '' }))
        answer = async (said) => {
          if (said instanceof Error) reject(said)
          else resolve(said)
          await new Promise((after) => setImmediate(after))
        }
      })
    },
    closed: () => [],
    saw: () => {},
    afterRound: async () => 0,
    close: () => {
      seen.closed = true
    },
  }
  const open = () =>
    new Turns({
      acted: openActed(openFiles(), dir),
      clock,
      changed: () => void seen.changes++,
      trouble: (room, why) => void seen.troubles.push(`${room}: ${why}`),
    })
  const turns = open()
  const fact = (room = 'shop') => turns.facts(true).turns.get(room)
  return {
    dir,
    clock,
    seen,
    turns,
    open,
    orchestrator,
    fact,
    answer: (said: TurnResult | Error) => answer(said),
  }
}

function attached() {
  const made = desk()
  made.turns.attach(made.orchestrator)
  return made
}

test('turns are none without an orchestrator, and Neo is ready only with both', () => {
  const { turns, orchestrator, seen } = desk()
  turns.start('shop', TRIGGERS)
  expect([seen.turns, turns.facts(true).ready]).toEqual([0, 'no'])
  turns.attach(orchestrator)
  expect([turns.facts(false).ready, turns.facts(true).ready]).toEqual(['no', 'yes'])
})

test('turns.start() runs one turn a room at a time', async () => {
  const { turns, seen, fact, answer } = attached()
  turns.start('shop', TRIGGERS)
  turns.start('shop', TRIGGERS)
  expect([seen.turns, fact(), turns.finished('shop')]).toEqual([1, { kind: 'busy' }, null])
  turns.start('lab', TRIGGERS)
  expect(seen.turns).toBe(2)
  await answer({ kind: 'done', reply: 'Hello' })
  expect(turns.finished('lab')).toEqual({ kind: 'done', triggers: TRIGGERS, reply: 'Hello' })
  expect([fact(), seen.changes]).toEqual([{ kind: 'busy' }, 1])
})

test('a turn that throws is reported and retried with pauses that double up to an hour', async () => {
  const { turns, clock, seen, fact, answer } = attached()
  const pauses: number[] = []
  for (let n = 0; n < 8; n++) {
    turns.start('shop', TRIGGERS)
    await answer(new Error('disk full'))
    const now = fact()
    if (now?.kind === 'waits') pauses.push((now.at - clock.now()) / 60_000)
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect(seen.troubles[0]).toBe('shop: disk full')
})

test('a turn that ends well begins the pauses again', async () => {
  const { turns, clock, fact, answer } = attached()
  for (const said of [new Error('x'), new Error('x'), { kind: 'done', reply: '' } as const, new Error('x')]) {
    turns.start('shop', TRIGGERS)
    await answer(said)
  }
  expect(fact()).toEqual({ kind: 'waits', at: clock.now() + 60_000, why: 'x' })
})

test('a turn that has to wait keeps its time, its reason and its brake', async () => {
  const { turns, clock, fact, answer } = attached()
  turns.start('shop', TRIGGERS)
  await answer({ kind: 'waits', reply: '', retryAt: clock.now() + HOUR_MS, why: 'budget', brake: 'yes' })
  expect(fact()).toEqual({ kind: 'waits', at: clock.now() + HOUR_MS, why: 'budget', brake: 'yes' })
  turns.start('shop', TRIGGERS)
  await answer({ kind: 'waits', reply: '' })
  expect(fact()).toMatchObject({ at: clock.now() + 60_000, why: "Neo can't answer now" })
})

test('turns.settled() forgets the turn and remembers its causes over a restart', () => {
  const { turns, open, fact } = attached()
  turns.start('shop', TRIGGERS)
  turns.settled('shop', ['ask:a-1'])
  turns.settled('shop', [])
  turns.settled('shop', ['ask:a-2'])
  expect(fact()).toBeUndefined()
  const { woken } = open().facts(true)
  expect(['ask:a-1', 'ask:a-2', 'ask:a-3'].filter((key) => woken.has(key))).toEqual(['ask:a-1', 'ask:a-2'])
})

test('turns.leave() ends running turns, waits for them, and closes the orchestrator', async () => {
  const { turns, seen, fact } = attached()
  turns.start('shop', TRIGGERS)
  await turns.leave()
  expect([fact()?.kind, seen.closed]).toEqual(['waits', true])
})
