/** Usage and runs in a table: nothing is lost between rows, parts and the total, whatever the calls are. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { summaryOf, tokensOf, type UsageCall } from '../../../src/domain/budget/usage-sum.ts'
import { type Run, usageTable } from '../../../src/domain/budget/usage-table.ts'

const at = fc
  .integer({ min: Date.UTC(2026, 2, 27), max: Date.UTC(2026, 2, 31) })
  .map((ms) => new Date(ms).toISOString())
const names = fc.constantFrom('shop', 'office', null)
const tokens = fc.nat(500)

const calls: fc.Arbitrary<UsageCall> = fc.record({
  at,
  room: names,
  task: fc.constant(null),
  session: fc.constantFrom('s-1', 's-2', null),
  kind: fc.constantFrom('session' as const, 'neo' as const, 'exec' as const),
  model: fc.constantFrom('a/one', 'b/two'),
  usage: fc.record({
    ...{ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens },
    source: fc.constantFrom('told' as const, 'estimated' as const),
  }),
  usd: fc.option(fc.integer({ min: 0, max: 900 }).map((cents) => cents / 100)),
})
const runs: fc.Arbitrary<Run> = fc.record({
  at,
  room: fc.constantFrom('shop', 'office'),
  session: fc.constantFrom('s-1', 's-2'),
  model: fc.constantFrom('a/one', null),
  ms: fc.option(fc.nat(10_000)),
  failed: fc.boolean(),
})
const layouts = fc.record({
  by: fc.constantFrom('day' as const, 'room' as const, 'model' as const, 'session' as const),
  split: fc.constantFrom('room' as const, 'model' as const, null),
  zone: fc.constantFrom('UTC', 'Europe/Paris', 'Pacific/Apia'),
})

interface Counted {
  readonly tokens: number
  readonly calls: number
  readonly runs: number
  readonly failed: number
}
const sum = (rows: readonly Counted[]): Counted =>
  rows.reduce(
    (all, row) => ({
      tokens: all.tokens + row.tokens,
      calls: all.calls + row.calls,
      runs: all.runs + row.runs,
      failed: all.failed + row.failed,
    }),
    { tokens: 0, calls: 0, runs: 0, failed: 0 },
  )

test('rows and their parts add up to the total, and each name is there once', () => {
  fc.assert(
    fc.property(fc.array(calls), fc.array(runs), layouts, (used, ran, layout) => {
      const { rows, total } = usageTable(used, ran, layout)
      expect(total).toMatchObject(sum(rows))
      expect([total.calls, total.runs, total.failed]).toEqual([
        ...[used.length, ran.length, ran.filter(({ failed }) => failed).length],
      ])
      expect(total.tokens).toBe(used.reduce((all, { usage }) => all + tokensOf(usage), 0))
      expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
      for (const { parts, ...row } of rows)
        if (layout.split === null) expect(parts).toEqual([])
        else expect(row).toMatchObject(sum(parts))
    }),
  )
})

test('days are in order, and all else has the most tokens first', () => {
  fc.assert(
    fc.property(fc.array(calls), fc.array(runs), layouts, (used, ran, layout) => {
      const { rows } = usageTable(used, ran, layout)
      for (const [at, row] of rows.entries()) {
        const next = rows[at + 1]
        if (next === undefined) continue
        if (layout.by === 'day') expect((row.name ?? '') < (next.name ?? '')).toBe(true)
        else expect(row.tokens).toBeGreaterThanOrEqual(next.tokens)
      }
    }),
  )
})

test('a table without runs has the rows of a summary', () => {
  fc.assert(
    fc.property(fc.array(calls), layouts, (used, { by, zone }) => {
      const summary = summaryOf(used, by, zone)
      const { rows, total } = usageTable(used, [], { by, zone, split: null })
      const none = { runs: 0, failed: 0, durationMs: null }
      expect(rows).toEqual(summary.rows.map((row) => ({ ...row, ...none, parts: [] })))
      expect(total).toEqual({ ...summary.total, ...none })
      expect(summary.unpricedModels).toEqual(
        [...new Set(used.filter(({ usd }) => usd === null).map(({ model }) => model))].sort(),
      )
    }),
  )
})

test.each([
  [[], null],
  [[null], null],
  [[5], 5],
  [[9, 1], 1],
  [[9, null, 1, 5], 5],
  [[4, 3, 2, 1], 2],
])('the time of runs of %j ms is %j', (times, median) => {
  const ran = times.map(
    (ms): Run => ({ at: '2026-03-02T09:00:00Z', room: 'shop', session: 's', model: null, ms, failed: false }),
  )
  expect(usageTable([], ran, { by: 'room', split: null, zone: 'UTC' }).total.durationMs).toBe(median)
})
