/**
 * The next runs of several schedules on one axis of time, a row each. A run is a button with its exact time, so that a
 * screen reader reads each row as a list; arrow keys move along the row. Runs that are too close become a band.
 */
import { computed } from '@preact/signals'
import { useState } from 'preact/hooks'
import { now } from './time.tsx'

export interface RunRow {
  readonly key: string
  readonly label: string
  /** Under the label. */
  readonly note: string
  readonly kind: 'task' | 'message'
  /** ISO 8601, ascending. */
  readonly runs: readonly string[]
  /** Whether there are more runs after the last one. */
  readonly endless: boolean
  /** Its times in words. */
  readonly words: string
}

interface RunAxisProps {
  readonly rows: readonly RunRow[]
  readonly hours: number
  /** The exact time of a run in words. */
  readonly say: (row: RunRow, at: string) => string
  /** A run was chosen. */
  readonly onPick: (row: RunRow) => void
}

const minute = computed(() => Math.floor(now.value / 60_000) * 60_000)
const HOUR_MS = 3_600_000
/** More runs than this in the axis can't be told apart. */
const MOST_TICKS = 42

export function RunAxis({ rows, hours, say, onPick }: RunAxisProps) {
  const from = minute.value
  const span = hours * HOUR_MS
  const place = (ms: number) => Math.min(100, Math.max(0, ((ms - from) / span) * 100))
  return (
    <div class="run-axis">
      <div class="run-scale" aria-hidden="true">
        {marksOf(from, hours).map(({ at, text, isDay }) => (
          <span key={at} class="run-mark" data-day={isDay} style={{ left: `${place(at)}%` }}>
            {place(at) < 96 ? <span class="small">{text}</span> : null}
          </span>
        ))}
      </div>
      {rows.map((row) => (
        <Row key={row.key} row={row} until={from + span} place={place} say={say} onPick={onPick} />
      ))}
    </div>
  )
}

interface RowProps extends Pick<RunAxisProps, 'say' | 'onPick'> {
  readonly row: RunRow
  readonly until: number
  readonly place: (ms: number) => number
}

function Row({ row, until, place, say, onPick }: RowProps) {
  const [focused, setFocused] = useState(0)
  const inside = row.runs.filter((at) => Date.parse(at) <= until)
  const isBand = inside.length > MOST_TICKS
  const ticks = isBand ? inside.slice(0, 1) : inside
  const isCut = row.endless && inside.length === row.runs.length
  const start = place(Date.parse(inside[0] ?? ''))
  const end = isCut ? 100 : place(Date.parse(inside.at(-1) ?? ''))
  return (
    <div class="run-row">
      <div class="run-label">
        <span class="clip">{row.label}</span>
        <span class="soft small clip">{row.note}</span>
      </div>
      <ol class="run-track" aria-label={`Next runs of ${row.label}: ${row.words}`} onKeyDown={moveFocus}>
        {isBand ? (
          <li class="run-band" style={{ left: `${start}%`, width: `${end - start}%` }}>
            <span class="hidden-text">{row.words}</span>
          </li>
        ) : null}
        {inside.length === 0 && row.runs[0] !== undefined ? (
          <li class="run-later soft small">{say(row, row.runs[0])}</li>
        ) : null}
        {ticks.map((at, index) => (
          <Tick
            key={at}
            row={row}
            left={place(Date.parse(at))}
            text={say(row, at)}
            isFirst={index === Math.min(focused, ticks.length - 1)}
            onFocus={() => setFocused(index)}
            onPick={onPick}
          />
        ))}
      </ol>
    </div>
  )
}

interface TickProps extends Pick<RunAxisProps, 'onPick'> {
  readonly row: RunRow
  /** Percent. */
  readonly left: number
  readonly text: string
  /** Tab stops at it. */
  readonly isFirst: boolean
  readonly onFocus: () => void
}

function Tick({ row, left, text, isFirst, onFocus, onPick }: TickProps) {
  return (
    <li class="run-at" style={{ left: `${left}%` }}>
      <button
        type="button"
        class="run-tick"
        data-kind={row.kind}
        data-side={left > 60 ? 'end' : 'start'}
        tabIndex={isFirst ? 0 : -1}
        aria-label={text}
        onFocus={onFocus}
        onClick={() => onPick(row)}
      >
        <span class="run-tip" aria-hidden="true">
          <span class="strong">{row.label}</span>
          <span>{text}</span>
          <span class="soft small">{row.words}</span>
        </span>
      </button>
    </li>
  )
}

/** Arrow keys, Home and End move along the runs of a row. */
function moveFocus(event: KeyboardEvent): void {
  const track = event.currentTarget as HTMLElement
  const ticks = [...track.querySelectorAll<HTMLElement>('.run-tick')]
  const here = ticks.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: ticks.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  ticks[Math.min(ticks.length - 1, Math.max(0, to))]?.focus()
}

interface Mark {
  readonly at: number
  readonly text: string
  readonly isDay: boolean
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' })
const DATE = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

/** Round times of the person's clock: each third hour of a day, each day of a week, each fifth day of a month. */
function marksOf(from: number, hours: number): readonly Mark[] {
  const until = from + hours * HOUR_MS
  const marks: Mark[] = []
  const date = new Date(from)
  date.setMinutes(0, 0, 0)
  if (hours > 24) date.setHours(0)
  const step = (): number =>
    hours <= 24 ? date.setHours(date.getHours() + 1) : date.setDate(date.getDate() + 1)
  for (let at = step(); at < until; at = step()) {
    const isDay = date.getHours() === 0
    if (hours <= 24 && date.getHours() % 3 !== 0) continue
    if (hours > 24 * 7 && date.getDate() % 5 !== 1) continue
    const text = hours > 24 * 7 ? DATE.format(at) : isDay ? DAY.format(at) : CLOCK.format(at)
    marks.push({ at, text, isDay })
  }
  return marks
}
