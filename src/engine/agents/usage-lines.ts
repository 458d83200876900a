/**
 * The lines of the usage ledger: one JSON object a call. An invalid number of tokens counts as 0, an invalid price as
 * unknown.
 */
import type { UsageCall, UsageKind } from '../../domain/budget/usage-sum.ts'
import { isoSecond } from '../../files/values/times.ts'

/** `open`: counted by an estimate; `void`: nothing was used. */
export type StoredState = 'done' | 'open' | 'void'

export interface StoredCall {
  readonly key: string
  readonly call: UsageCall
  readonly state: StoredState
}

export function cleaned(call: UsageCall): UsageCall {
  const { input, cacheRead, cacheWrite, output, source } = call.usage
  const usage = {
    input: countOf(input) ?? 0,
    cacheRead: countOf(cacheRead) ?? 0,
    cacheWrite: countOf(cacheWrite) ?? 0,
    output: countOf(output) ?? 0,
    source,
  }
  return { ...call, at: isoSecond(Date.parse(call.at)), usage, usd: usdOf(call.usd) }
}

export function lineOf({ key, call, state }: StoredCall): string {
  const { at, room, task, session, kind, model, usage, usd } = call
  const { input, cacheRead, cacheWrite, output, source } = usage
  return JSON.stringify({
    ...{ v: 1, key, at, room, task, session, kind, model },
    ...{ input, cache_read: cacheRead, cache_write: cacheWrite, output, usd, source },
    ...(state === 'done' ? {} : { state }),
  })
}

const KINDS: readonly unknown[] = ['session', 'neo', 'exec'] satisfies readonly UsageKind[]

/** Null for any other line. */
export function storedOf(value: unknown): StoredCall | null {
  if (typeof value !== 'object' || value === null) return null
  const line = value as Readonly<Record<string, unknown>>
  const { key, model, kind, usd } = line
  const [input, output] = [countOf(line['input']), countOf(line['output'])]
  const [cacheRead, cacheWrite] = [countOf(line['cache_read']), countOf(line['cache_write'])]
  if (line['v'] !== 1 || typeof key !== 'string' || typeof model !== 'string' || !KINDS.includes(kind))
    return null
  const at = timeOf(line['at'])
  if (at === null) return null
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null
  const source = line['source'] === 'estimated' ? 'estimated' : 'told'
  const [room, task, session] = [nameOf(line['room']), nameOf(line['task']), nameOf(line['session'])]
  const usage = { input, cacheRead, cacheWrite, output, source } as const
  const call = { at, room, task, session, kind: kind as UsageKind, model, usage, usd: usdOf(usd) }
  const { state } = line
  return { key, call, state: state === 'open' || state === 'void' ? state : 'done' }
}

/** As `add` writes it: `2026-03-01T09:00:00Z`. */
function timeOf(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : isoSecond(ms)
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null
}

function usdOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
