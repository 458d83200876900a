/**
 * The next slot of a schedule after an instant, the slots of a span, and the days that a cron expression names.
 * node-cron parses expressions, but finds next runs only from its own clock. croner 11 agrees on all cases of a
 * comparison except these: it refuses `L-2`, and moves a skipped time by the length of the gap. Invariants: 1. slots
 * rise strictly and don't depend on the start of the search; 2. a time that a clock change skips is due once, when
 * the clock continues; 3. a time that comes twice is due the first time, and both times if the hour is `*`, so that a
 * run every ten minutes doesn't pause for an hour; 4. if both day of month and day of week are restricted, either is
 * enough, as in crontab(5).
 */
import type { CronFields, When } from './schedule.ts'
import { instantsOf, offsetsNear, steadyOffset, wallOf } from './schedule-zone.ts'

export interface Rhythm {
  readonly when: When
  /** IANA name. */
  readonly zone: string
  /** Epoch ms of the schedule's creation: `every` counts from it. */
  readonly anchor: number
}

/** The first slot after an instant; null for never. */
export function nextSlot({ when, zone, anchor }: Rhythm, after: number): number | null {
  switch (when.kind) {
    case 'at': {
      const at = when.isFixed ? when.wall : (instantsOf(when.wall, zone)[0] ?? when.wall)
      return at > after ? at : null
    }
    case 'every': {
      const steps = Math.max(1, Math.floor((after - anchor) / when.everyMs) + 1)
      return anchor + steps * when.everyMs
    }
    case 'cron':
      return when.fields === null ? null : nextCron(when.fields, zone, after)
  }
}

/** The last `most` slots in (after, until], oldest first; `more` if there are others before them. */
export function slotsIn(
  rhythm: Rhythm,
  span: { readonly after: number; readonly until: number },
  most: number,
): { readonly slots: readonly number[]; readonly more: boolean } {
  for (let width = 3_600_000; ; width *= 8) {
    const from = Math.max(span.after, span.until - width)
    const slots: number[] = []
    for (let at = nextSlot(rhythm, from); at !== null && at <= span.until; at = nextSlot(rhythm, at))
      slots.push(at)
    if (slots.length > most) return { slots: slots.slice(-most), more: true }
    if (from <= span.after) return { slots, more: false }
  }
}

/** The shortest time between two slots of a cron expression, in seconds, as far as below a minute. */
export function leastSeconds({ second }: CronFields): number {
  const sorted = [...new Set(second)].sort((a, b) => a - b)
  const gaps = sorted.map((one, at) => (sorted[at + 1] ?? (sorted[0] ?? 0) + 60) - one)
  return Math.min(60, ...gaps)
}

/** Limit of the search: a 29 February on a Sunday comes once in 28 years, around 2100 once in 40. */
const MOST_DAYS = 366 * 41

function nextCron(fields: CronFields, zone: string, after: number): number | null {
  const times = timesOf(fields)
  // The day before, as a change at midnight may put its end after the start of this one.
  const first = Math.floor(wallOf(after, zone) / DAY_MS) * DAY_MS - DAY_MS
  for (let day = first; day <= first + MOST_DAYS * DAY_MS; day += DAY_MS) {
    const found = firstOn(day, { fields, times, zone, after })
    if (found === null) continue
    const following = firstOn(day + DAY_MS, { fields, times, zone, after })
    return following === null ? found : Math.min(found, following)
  }
  return null
}

interface Times {
  readonly hours: readonly number[]
  readonly minutes: readonly number[]
  readonly seconds: readonly number[]
  /** The hour is not restricted. */
  readonly everyHour: boolean
}

function timesOf({ hour, minute, second }: CronFields): Times {
  const sorted = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b)
  const hours = sorted(hour)
  return { hours, minutes: sorted(minute), seconds: sorted(second), everyHour: hours.length === 24 }
}

interface Wanted {
  readonly fields: CronFields
  readonly times: Times
  readonly zone: string
  readonly after: number
}

/** The first slot of a day of the wall clock that is later than `after`. */
function firstOn(day: number, { fields, times, zone, after }: Wanted): number | null {
  if (!isDayOf(fields, dayOf(day))) return null
  const offset = steadyOffset(day, zone)
  if (offset !== null) {
    const time = nextTime(times, after + offset - day)
    return time === null ? null : day + time - offset
  }
  const [least, most] = offsetsNear(day, zone)
  let first: number | null = null
  for (let time = nextTime(times, after + least - day); time !== null; time = nextTime(times, time)) {
    if (first !== null && day + time - most > first) break
    const [once = null, ...again] = instantsOf(day + time, zone)
    for (const at of times.everyHour ? [once, ...again] : [once])
      if (at !== null && at > after && (first === null || at < first)) first = at
  }
  return first
}

/** The first time of day, in ms from midnight, after another; null if the day has no more. */
function nextTime({ hours, minutes, seconds }: Times, after: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * 3_600_000 <= after) continue
    for (const minute of minutes) {
      const start = hour * 3_600_000 + minute * 60_000
      if (start + 60_000 <= after) continue
      const second = seconds.find((one) => start + one * 1000 > after)
      if (second !== undefined) return start + second * 1000
    }
  }
  return null
}

interface Day {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

const DAY_MS = 86_400_000

/** The day of a local time. */
function dayOf(wall: number): Day {
  const date = new Date(wall)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

function isDayOf(fields: CronFields, day: Day): boolean {
  if (!fields.month.includes(day.month)) return false
  const anyDay = isFull(fields.dayOfMonth, 31)
  const anyWeekday = isFull(fields.dayOfWeek, 7)
  if (anyDay && anyWeekday) return true
  const isDay = fields.dayOfMonth.some((one) => isMonthDay(one, day))
  const isWeekday = fields.dayOfWeek.some((one) => isWeekdayOf(one, day))
  if (anyDay) return isWeekday
  return anyWeekday ? isDay : isDay || isWeekday
}

/** True if both day of month and day of week are restricted, which reads like "and" and means "or". */
export function isEither(fields: CronFields): boolean {
  return !isFull(fields.dayOfMonth, 31) && !isFull(fields.dayOfWeek, 7)
}

function isFull(values: readonly (number | string)[], size: number): boolean {
  return new Set(values.filter((value) => typeof value === 'number')).size >= size
}

function isMonthDay(one: number | string, of: Day): boolean {
  if (typeof one === 'number') return one === of.day
  const last = lastDay(of)
  if (one === 'L') return of.day === last
  const before = /^L-(\d{1,2})$/.exec(one)?.[1]
  if (before !== undefined) return last - Number(before) === of.day
  const near = /^(\d{1,2}|L)W$/.exec(one)?.[1]
  return near !== undefined && workday(of, near === 'L' ? last : Number(near)) === of.day
}

/** The day from Monday to Friday nearest to a day, in the same month; null for a day that the month lacks. */
function workday(of: Day, day: number): number | null {
  const last = lastDay(of)
  if (day < 1 || day > last) return null
  const weekday = weekdayOf({ ...of, day })
  if (weekday === 6) return day === 1 ? 3 : day - 1
  if (weekday === 0) return day === last ? day - 2 : day + 1
  return day
}

function isWeekdayOf(one: number | string, of: Day): boolean {
  const weekday = weekdayOf(of)
  if (typeof one === 'number') return one % 7 === weekday
  const last = /^([0-7])L$/.exec(one)?.[1]
  if (last !== undefined) return Number(last) % 7 === weekday && of.day > lastDay(of) - 7
  const [, day, nth] = /^([0-7])#([1-5])$/.exec(one) ?? []
  return day !== undefined && Number(day) % 7 === weekday && Math.ceil(of.day / 7) === Number(nth)
}

function weekdayOf({ year, month, day }: Day): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}

function lastDay({ year, month }: Day): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}
