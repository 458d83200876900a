/** The columns of the usage chart, and which colour is which. */
import type { Column } from '../../parts/bars.tsx'
import {
  daysUntil,
  FIGURE,
  type Figure,
  nameOf,
  type Summary,
  todayIn,
  type UsageRow,
} from './usage-figures.ts'

interface Series {
  readonly shown: readonly (string | null)[]
  readonly hasOthers: boolean
}

interface Layout {
  readonly days: number
  readonly figure: Figure
  readonly split: 'room' | 'model'
  /** Null: columns aren't split. */
  readonly series: Series | null
}

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const LONG_DAY = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: 'short', day: 'numeric', month: 'short' },
  timeZone: 'UTC',
})

export function columnsOf({ rows, zone }: Summary, layout: Layout): readonly Column[] {
  const byDay = new Map(rows.map((row) => [row.name, row]))
  return daysUntil(todayIn(zone), layout.days).map((day) => {
    const row = byDay.get(day)
    const ms = Date.parse(day)
    const values = row === undefined ? [] : valuesOf(row, layout)
    return {
      key: day,
      label: DAY.format(ms),
      values,
      words: `${LONG_DAY.format(ms)}: ${wordsOf(row, layout)}`,
    }
  })
}

function valuesOf(row: UsageRow, { figure, series }: Layout): readonly number[] {
  const { value } = FIGURE[figure]
  if (series === null) return [value(row)]
  const own = series.shown.map((name) => {
    const part = row.parts.find((one) => one.name === name)
    return part === undefined ? 0 : value(part)
  })
  const others = row.parts.filter(({ name }) => !series.shown.includes(name))
  return [...own, others.reduce((sum, part) => sum + value(part), 0)]
}

function wordsOf(row: UsageRow | undefined, { figure, split, series }: Layout): string {
  const { say, value, label } = FIGURE[figure]
  if (row === undefined) return 'nothing'
  const parts = series === null ? [] : row.parts.filter((part) => value(part) > 0)
  const list = parts.map((part) => `${nameOf(part.name, split)} ${say(part)}`).join(', ')
  return `${label.toLowerCase()} ${say(row)}${list === '' ? '' : ` (${list})`}`
}

export function Legend({ series, split }: { readonly series: Series; readonly split: 'room' | 'model' }) {
  return (
    <ul class="legend row small" aria-label="Colours">
      {series.shown.map((name, index) => (
        <li key={name}>
          <span class={`swatch series-${index}`} aria-hidden="true" /> {nameOf(name, split)}
        </li>
      ))}
      {series.hasOthers ? (
        <li>
          <span class={`swatch series-${series.shown.length}`} aria-hidden="true" /> Others
        </li>
      ) : null}
    </ul>
  )
}
