/** The figures of usage: what each is called, how it is read from a row, and how it is said. */
import { duration, number, usd, visible } from '../../parts/text.ts'

export interface Cells {
  readonly calls: number
  readonly tokens: number
  /** Null if a price is unknown; then `knownUsd` is a lower bound. */
  readonly usd: number | null
  readonly knownUsd: number
  readonly runs: number
  readonly failed: number
  /** The median; null if no run ended. */
  readonly durationMs: number | null
}
export interface UsagePart extends Cells {
  readonly name: string | null
}
export interface UsageRow extends UsagePart {
  readonly parts: readonly UsagePart[]
}
export interface Summary {
  readonly by: 'day' | 'room' | 'model' | 'session'
  readonly zone: string
  readonly rows: readonly UsageRow[]
  readonly total: Cells
  readonly unpricedModels: readonly string[]
}

export const FIGURES = ['tokens', 'cost', 'runs', 'duration', 'failures'] as const
export type Figure = (typeof FIGURES)[number]

interface Row {
  readonly label: string
  readonly value: (cells: Cells) => number
  readonly say: (cells: Cells) => string
  /** A value of the axis. */
  readonly axis: (value: number) => string
}

export const FIGURE: Readonly<Record<Figure, Row>> = {
  tokens: {
    label: 'Tokens',
    value: ({ tokens }) => tokens,
    say: ({ tokens }) => number(tokens),
    axis: short,
  },
  cost: { label: 'Cost', value: ({ knownUsd }) => knownUsd, say: costOf, axis: usd },
  runs: { label: 'Runs', value: ({ runs }) => runs, say: ({ runs }) => number(runs), axis: short },
  duration: {
    label: 'Median duration',
    value: ({ durationMs }) => durationMs ?? 0,
    say: ({ durationMs }) => (durationMs === null ? '–' : duration(durationMs)),
    axis: duration,
  },
  failures: {
    label: 'Failures',
    value: ({ failed }) => failed,
    say: ({ failed, runs }) =>
      failed === 0 ? '0' : `${number(failed)} (${Math.round((failed / runs) * 100)} %)`,
    axis: short,
  },
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

function short(value: number): string {
  return SHORT.format(value)
}

function costOf({ usd: known, knownUsd, calls }: Cells): string {
  if (known !== null) return usd(known)
  return knownUsd === 0 && calls > 0 ? 'unknown' : `at least ${usd(knownUsd)}`
}

/** The days of the answer, today last, also those without anything. */
export function daysUntil(today: string, days: number): readonly string[] {
  const end = Date.parse(`${today}T12:00:00Z`)
  return Array.from({ length: days }, (_, index) =>
    new Date(end - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  )
}

export function todayIn(zone: string): string {
  // Sweden writes dates as ISO does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(Date.now())
}

/** Colours that can be told apart; what is smaller is one series. */
const MOST_SERIES = 6

/** The largest parts of all rows, by a figure; `others` if there are more. */
export function seriesOf(rows: readonly UsageRow[], figure: Figure) {
  const sums = new Map<string | null, number>()
  for (const { name, ...part } of rows.flatMap(({ parts }) => parts))
    sums.set(name, (sums.get(name) ?? 0) + FIGURE[figure].value(part))
  const names = [...sums]
    .filter(([, sum]) => sum > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name)
  const shown = names.length > MOST_SERIES ? names.slice(0, MOST_SERIES - 1) : names
  return { shown, hasOthers: shown.length < names.length }
}

export function nameOf(name: string | null, by: 'room' | 'model' | 'session' | 'day'): string {
  if (name !== null) return visible(name)
  return { room: 'No room', model: 'No model', session: 'No session', day: 'No day' }[by]
}
