/**
 * Sums of model calls by day, room or model, and the expected usage of a next session. price.ts has the cost of one
 * call.
 * Invariant 1: sums don't depend on order or grouping; the sum of nothing is neutral. Invariant 2: a sum with an
 * unknown part is shown as such: `≥ 1.20 USD`, `unknown`.
 */
import type { Price } from '../home/home-config.ts'
import { instantsOf, wallOf } from '../schedule/schedule-zone.ts'
import type { Usage } from '../agent/model-message.ts'
import { counted } from '../text/counted.ts'
import { costOf, wholeBillionths, wholeInput } from './price.ts'

/** Who called the model: a worker's session, Neo, or a command-line agent that reported its usage. */
export type UsageKind = 'session' | 'neo' | 'exec'

/** One call of a model. */
export interface UsageCall {
  /** ISO 8601 UTC. */
  readonly at: string
  readonly room: string | null
  /** Id. */
  readonly task: string | null
  readonly session: string | null
  readonly kind: UsageKind
  /** Reference: `anthropic/claude-sonnet-5-5`. */
  readonly model: string
  readonly usage: Usage
  /** null: unknown. */
  readonly usd: number | null
}

export interface UsageSum {
  readonly calls: number
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  /** Of the calls that have a price. */
  readonly knownUsd: number
  /** Calls without a price, and all their tokens. */
  readonly unpricedCalls: number
  readonly unpricedTokens: number
  /** Calls whose tokens were estimated from texts. */
  readonly estimatedCalls: number
}

export const NO_SUM: UsageSum = {
  calls: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  knownUsd: 0,
  unpricedCalls: 0,
  unpricedTokens: 0,
  estimatedCalls: 0,
}

export function addSums(a: UsageSum, b: UsageSum): UsageSum {
  return {
    calls: a.calls + b.calls,
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    knownUsd: wholeBillionths(a.knownUsd + b.knownUsd),
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
    unpricedTokens: a.unpricedTokens + b.unpricedTokens,
    estimatedCalls: a.estimatedCalls + b.estimatedCalls,
  }
}

/** One call as a sum. */
export function sumOfCall({ usage, usd }: Pick<UsageCall, 'usage' | 'usd'>): UsageSum {
  const { input, cacheRead, cacheWrite, output, source } = usage
  return {
    calls: 1,
    input,
    cacheRead,
    cacheWrite,
    output,
    knownUsd: wholeBillionths(usd ?? 0),
    unpricedCalls: usd === null ? 1 : 0,
    unpricedTokens: usd === null ? input + cacheRead + cacheWrite + output : 0,
    estimatedCalls: source === 'estimated' ? 1 : 0,
  }
}

export function sumOf(calls: Iterable<UsageCall>): UsageSum {
  let sum = NO_SUM
  for (const call of calls) sum = addSums(sum, sumOfCall(call))
  return sum
}

/** All tokens, of every kind. */
export function tokensOf(sum: Pick<UsageSum, 'input' | 'cacheRead' | 'cacheWrite' | 'output'>): number {
  return sum.input + sum.cacheRead + sum.cacheWrite + sum.output
}

/** USD of a sum; null if a part of it is unknown. */
export function usdOf(sum: Pick<UsageSum, 'knownUsd' | 'unpricedCalls'>): number | null {
  return sum.unpricedCalls > 0 ? null : sum.knownUsd
}

/** `1.20 USD`; `≥ 1.20 USD` if a part is unknown; `unknown` if nothing is known. */
export function usdText(sum: Pick<UsageSum, 'calls' | 'knownUsd' | 'unpricedCalls'>): string {
  if (sum.unpricedCalls === 0) return amountText(sum.knownUsd)
  return sum.unpricedCalls === sum.calls ? 'unknown' : `≥ ${amountText(sum.knownUsd)}`
}

/** The same to append to a text: `cost unknown` if nothing is known, '' if no model was called. */
export function costText(sum: Pick<UsageSum, 'calls' | 'knownUsd' | 'unpricedCalls'>): string {
  if (sum.calls === 0) return ''
  return sum.unpricedCalls === sum.calls ? 'cost unknown' : usdText(sum)
}

/** `0 USD`, `0.0042 USD`, `1.20 USD`: more digits below ten cents. */
export function amountText(usd: number): string {
  if (usd === 0) return '0 USD'
  if (usd < 0.0001) return '< 0.0001 USD'
  return `${usd.toFixed(usd < 0.1 ? 4 : 2)} USD`
}

export type UsageBy = 'day' | 'room' | 'model' | 'session'

/** Sums by key; calls outside every room or session are under `''`. Days are those of `zone`. */
export function groupSums(
  calls: Iterable<UsageCall>,
  by: UsageBy,
  zone: string,
): ReadonlyMap<string, UsageSum> {
  const groups = new Map<string, UsageSum>()
  const key = keyOf(by, zone)
  for (const call of calls) {
    const name = key(call)
    groups.set(name, addSums(groups.get(name) ?? NO_SUM, sumOfCall(call)))
  }
  return groups
}

/** What a row is chosen by. */
export type Keyed = Pick<UsageCall, 'at' | 'room' | 'session'> & { readonly model: string | null }

export function keyOf(by: UsageBy, zone: string): (one: Keyed) => string {
  switch (by) {
    case 'day': {
      // Days of all zones begin at a quarter of an hour.
      const days = new Map<number, string>()
      return ({ at }) => {
        const quarter = Math.floor(Date.parse(at) / 900_000)
        const day = days.get(quarter) ?? dayOf(quarter * 900_000, zone)
        days.set(quarter, day)
        return day
      }
    }
    case 'room':
      return ({ room }) => room ?? ''
    case 'model':
      return ({ model }) => model ?? ''
    case 'session':
      return ({ session }) => session ?? ''
  }
}

/** A sum as programs read it. */
export interface UsageView {
  readonly calls: number
  readonly tokens: number
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  /** null if a part is unknown; then `knownUsd` is the rest. */
  readonly usd: number | null
  readonly knownUsd: number
  readonly unpricedCalls: number
  readonly estimatedCalls: number
}

export interface UsageSummary {
  readonly by: UsageBy
  /** Days by date, all else by tokens, most first. `name` is null for calls outside every room or session. */
  readonly rows: readonly (UsageView & { readonly name: string | null })[]
  readonly total: UsageView
  /** Models that were called without a price, sorted. */
  readonly unpricedModels: readonly string[]
}

export function summaryOf(calls: readonly UsageCall[], by: UsageBy, zone: string): UsageSummary {
  const rows = [...groupSums(calls, by, zone)].map(([name, sum]) => ({ name: name || null, ...viewOf(sum) }))
  const byDate = (a: { name: string | null }, b: { name: string | null }): number =>
    (a.name ?? '') < (b.name ?? '') ? -1 : 1
  rows.sort((a, b) => (by === 'day' ? 0 : b.tokens - a.tokens) || byDate(a, b))
  const unpriced = calls.flatMap(({ model, usd }) => (usd === null ? [model] : []))
  return { by, rows, total: viewOf(sumOf(calls)), unpricedModels: [...new Set(unpriced)].sort() }
}

export function viewOf(sum: UsageSum): UsageView {
  const { unpricedTokens: _tokens, ...rest } = sum
  return { ...rest, tokens: tokensOf(sum), usd: usdOf(sum) }
}

/** The usage of each earlier session of a worker with this model in this room, else in any room. */
export function historyOf(
  calls: readonly UsageCall[],
  { room, model }: { readonly room: string; readonly model: string },
): readonly UsageSum[] {
  const same = calls.filter(
    (call) => call.kind === 'session' && call.model === model && call.session !== null,
  )
  const here = same.filter((call) => call.room === room)
  return [...groupSums(here.length > 0 ? here : same, 'session', 'UTC').values()]
}

export interface Estimate {
  /** All tokens of one session; null without a history. */
  readonly tokens: number | null
  /** null: unknown. */
  readonly usd: number | null
  /** `history of 3 sessions`, `no history` */
  readonly from: string
}

/** The expected usage of a session: the mean of earlier ones, at today's price for calls of their size. */
export function estimateOf(
  history: readonly UsageSum[],
  price: (inputTokens: number) => Price | null,
): Estimate {
  const count = history.length
  if (count === 0) return { tokens: null, usd: null, from: 'no history' }
  const all = history.reduce(addSums, NO_SUM)
  const usage: Usage = {
    input: Math.round(all.input / count),
    cacheRead: Math.round(all.cacheRead / count),
    cacheWrite: Math.round(all.cacheWrite / count),
    output: Math.round(all.output / count),
    source: 'estimated',
  }
  const usd = costOf(usage, price(Math.round(wholeInput(all) / Math.max(1, all.calls))))
  return { tokens: tokensOf(usage), usd, from: `history of ${counted(count, 'session')}` }
}

/** The calendar day at an instant in a zone: `2026-03-01`. */
export function dayOf(ms: number, zone: string): string {
  return dateOf(wallOf(ms, zone))
}

const DAY_MS = 86_400_000

/**
 * The first instant of the day that `ms` is in, and of the next one. A day has 23 to 25 hours where clocks change.
 */
export function dayBounds(
  ms: number,
  zone: string,
): { readonly from: number; readonly to: number; readonly day: string } {
  const midnight = Math.floor(wallOf(ms, zone) / DAY_MS) * DAY_MS
  const [from = ms] = instantsOf(midnight, zone)
  const to = instantsOf(midnight + DAY_MS, zone).find((at) => at > ms) ?? ms
  return { from, to, day: dateOf(midnight) }
}

function dateOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10)
}
