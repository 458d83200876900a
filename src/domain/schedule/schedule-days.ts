/**
 * Which days a cron expression names. Pure calendar, without zones. Invariant 1: if both day of month and day of week
 * are restricted, either is enough, as in crontab(5).
 */
import type { CronFields } from './schedule.ts'

export interface Day {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

export const DAY_MS = 86_400_000

/** The day on which a reading of the wall clock lies. */
export function dayOf(wall: number): Day {
  const date = new Date(wall)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

export function isDayOf(fields: CronFields, day: Day): boolean {
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
