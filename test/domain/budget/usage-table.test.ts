/** Usage and runs in one table. */
import { expect, test } from 'vitest'
import { type Run, usageTable } from '../../../src/domain/budget/usage-table.ts'
import type { UsageCall } from '../../../src/domain/budget/usage-sum.ts'

const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' } as const
const call = (at: string, more: Partial<UsageCall> = {}): UsageCall => ({
  ...{ at, room: 'shop', task: null, session: 's-a', kind: 'session', model: 'x/one', usage, usd: 1 },
  ...more,
})
const run = (at: string, more: Partial<Run> = {}): Run => ({
  ...{ at, room: 'shop', session: 's-a', model: 'x/one', ms: 1_000, failed: false },
  ...more,
})
const BERLIN = { by: 'day', split: null, zone: 'Europe/Berlin' } as const

test('usageTable counts calls and runs of one day of the zone in one row', () => {
  const late = '2026-03-01T23:30:00Z'
  const { rows, total } = usageTable(
    [call(late)],
    [run('2026-03-02T10:00:00Z'), run(late, { ms: null })],
    BERLIN,
  )
  expect(rows.map(({ name, tokens, runs }) => [name, tokens, runs])).toEqual([['2026-03-02', 15, 2]])
  expect(total).toMatchObject({ calls: 1, usd: 1, runs: 2, failed: 0, durationMs: 1_000 })
})

test('usageTable gives the median of the runs that ended, and null without one', () => {
  const times = [9_000, 1_000, 3_000, null].map((ms) => run('2026-03-01T10:00:00Z', { ms }))
  expect(usageTable([], times, BERLIN).total.durationMs).toBe(3_000)
  expect(usageTable([], [], BERLIN).total.durationMs).toBeNull()
})

test('usageTable splits each row, most tokens first, and names no model null', () => {
  const at = '2026-03-01T10:00:00Z'
  const calls = [call(at), call(at, { model: 'x/two' }), call(at, { model: 'x/two', usd: null })]
  const shell = run(at, { model: null, session: 's-b', failed: true })
  const [row] = usageTable(calls, [shell, run(at)], { ...BERLIN, by: 'room', split: 'model' }).rows
  expect(row?.parts.map(({ name, tokens, runs, failed }) => [name, tokens, runs, failed])).toEqual([
    ['x/two', 30, 0, 0],
    ['x/one', 15, 1, 0],
    [null, 0, 1, 1],
  ])
  expect(row).toMatchObject({ usd: null, knownUsd: 2 })
})

test('usageTable puts what belongs to no room into a row of its own', () => {
  const calls = [call('2026-03-01T10:00:00Z', { room: null }), call('2026-03-01T10:00:00Z')]
  const { rows } = usageTable(calls, [], { ...BERLIN, by: 'room' })
  expect(rows.map(({ name }) => name)).toEqual([null, 'shop'])
})
