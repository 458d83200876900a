/**
 * `neo usage`: what models used, by day, room or model, as a table with bars. Invariant 1: every number above 0 is
 * visible, and no bar is wider than its column.
 */
import {
  dayBounds,
  dayOf,
  summaryOf,
  type UsageBy,
  type UsageSummary,
  type UsageView,
  usdText,
} from '../../domain/budget/usage-sum.ts'
import { counted } from '../../domain/text/counted.ts'
import { openUsage } from '../../engine/agents/usage-ledger.ts'
import { PRICES } from '../../files/config/prices.ts'
import { durationMs } from '../../files/values/duration.ts'
import { instantOf } from '../../files/values/times.ts'
import { usage } from '../cli-failure.ts'
import type { Cell } from '../output.ts'
import { findRoom } from '../room/open-rooms.ts'
import { countText, widthOf } from '../shown-text.ts'
import type { Call, Env } from '../spec.ts'
import { zoneOf } from '../time-zone.ts'
import { withWorld } from '../with-world.ts'

const DAY_MS = 86_400_000
const DEFAULT_SINCE = '30d'

export function showUsage(call: Call): Promise<number> {
  return withWorld(call, async ({ world, home, dir }) => {
    const zone = await zoneOf(home, world.files, call.around.env)
    const since = sinceOf(call, zone, world.clock.now())
    const ledger = openUsage(world.files, dir)
    const typed = call.text('room')
    const isPast = typed !== null && ledger.calls({ room: typed }).length > 0
    const room = typed === null || isPast ? typed : findRoom({ home, files: world.files }, typed)
    const calls = ledger.calls({ since, ...(room === null ? {} : { room }) })
    const summary = summaryOf(calls, byOf(call), zone)
    const from = new Date(since).toISOString().replace('.000Z', 'Z')
    call.out.data('usage', { since: from, zone, room, pricesOf: PRICES.date, ...summary })
    const where = `${room === null ? '' : ` in room ${room}`} since ${dayOf(since, zone)}`
    if (calls.length === 0) call.out.line(`No model was used${where}.`)
    else print(call, summary, `Used${where} (${zone}); bars are ${unitOf(summary.rows)}`)
    const broken = ledger.broken()
    if (broken > 0)
      call.out.note(
        `${counted(broken, 'line')} of the usage log can't be read and ${broken === 1 ? 'is' : 'are'} not counted`,
      )
    return 0
  })
}

/** The start of the period: a date, a time, or a duration before now; whole days start at midnight. */
function sinceOf(call: Call, zone: string, now: number): number {
  const text = call.text('since') ?? DEFAULT_SINCE
  const long = durationMs(text)
  if (long !== null) return long % DAY_MS === 0 ? dayBounds(now - long, zone).from : now - long
  const instant = instantOf(text, zone)
  if (instant !== null) return Date.parse(instant)
  throw usage(
    `Invalid value "${text}" for --since: use a date such as 2026-03-01, or a duration such as 7d`,
    '--since 7d',
  )
}

function byOf(call: Call): UsageBy {
  const by = call.text('by')
  return by === 'room' || by === 'model' ? by : 'day'
}

function print(
  { out, around }: Call,
  { by, rows, total, unpricedModels }: UsageSummary,
  title: string,
): void {
  out.heading(title)
  const named = [
    ...rows.map((row) => ({ ...row, label: row.name ?? (by === 'room' ? 'outside rooms' : '') })),
    { ...total, label: 'total' },
  ]
  const figures = aligned(named.map((row) => [row.label, ...figuresOf(row)]))
  const width = barWidth(figures, around.stdout.columns ?? 80)
  const unit = unitOf(rows)
  const size = (row: UsageView): number => (unit === 'USD' ? row.knownUsd : row.tokens)
  const most = Math.max(...rows.map(size))
  const ink = inkOf(out.isTerminal, around.env)
  const bars = rows.map((row) => bar(most === 0 ? 0 : size(row) / most, width, ink))
  const cells = figures.map((row, index): Cell[] => {
    const drawn = bars[index]
    return drawn === undefined
      ? row.map((text) => ({ text, style: 'bold' }))
      : [...row, { text: drawn, style: 'cyan' }]
  })
  out.table(cells, 0)
  if (total.unpricedCalls > 0)
    out.note(`The price of ${unpricedModels.join(', ')} is unknown; add it to prices: in neo.yaml`)
  if (total.estimatedCalls > 0)
    out.note(`The tokens of ${total.estimatedCalls} of ${counted(total.calls, 'call')} are estimated`)
}

function figuresOf(row: UsageView): readonly string[] {
  const input = row.input + row.cacheRead + row.cacheWrite
  const calls = counted(row.calls, 'call')
  return [`${countText(input)} in`, `${countText(row.output)} out`, calls, usdText(row)]
}

/** USD if all prices are known and something was spent, else tokens. */
function unitOf(rows: readonly UsageView[]): 'USD' | 'tokens' {
  return rows.every(({ usd }) => usd !== null) && rows.some(({ usd }) => usd !== 0) ? 'USD' : 'tokens'
}

/** All columns but the first are aligned to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = columnWidths(rows)
  return rows.map((row) =>
    row.map((text, at) => (at === 0 ? text : ' '.repeat((widths[at] ?? 0) - widthOf(text)) + text)),
  )
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const [first = []] = rows
  return first.map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))))
}

const GAP = 2
const BAR_COLUMNS = { least: 8, most: 40 } as const

/** The width that the numbers leave for bars. */
function barWidth(figures: readonly (readonly string[])[], columns: number): number {
  const taken = columnWidths(figures).reduce((sum, width) => sum + width + GAP, 0)
  return Math.max(BAR_COLUMNS.least, Math.min(BAR_COLUMNS.most, columns - taken))
}

export type Ink = 'blocks' | 'plain'

/** One to seven eighths of a column. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Block characters on a UTF-8 terminal, `#` elsewhere. */
export function inkOf(isTerminal: boolean, env: Env): Ink {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return isTerminal && env['TERM'] !== 'dumb' && /utf-?8/i.test(locale) ? 'blocks' : 'plain'
}

/** `share` is from 0 to 1, of `width` columns. */
export function bar(share: number, width: number, ink: Ink): string {
  if (!(share > 0)) return ''
  const columns = Math.min(1, share) * width
  if (ink === 'plain') return '#'.repeat(Math.max(1, Math.round(columns)))
  const eighths = Math.max(1, Math.round(columns * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
}
