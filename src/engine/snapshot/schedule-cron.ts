/**
 * What a cron expression means: fields as lists, or why it is none, by node-cron's reading of it. Invariant 1: an
 * expression that would never be due, or more often than every ten seconds, is refused with words.
 */
import { parse, validateDetailed } from 'node-cron'
import type { CronFields } from '../../domain/schedule/schedule.ts'
import { leastSeconds, nextSlot } from '../../domain/schedule/schedule-slots.ts'

/** What comes oftener is a busy loop. */
const LEAST_SECONDS = 10

export type CronRead = CronFields | { readonly wrong: string; readonly hint: string }

export function cronFields(expression: string): CronRead {
  const { valid, errors } = validateDetailed(expression)
  if (!valid) return refused(expression, errors)
  const fields = parse(expression)
  const when = { kind: 'cron', cron: expression, fields } as const
  if (nextSlot({ when, zone: 'UTC', anchor: 0 }, 0) === null) return never(expression)
  if (leastSeconds(fields) >= LEAST_SECONDS) return fields
  return {
    wrong: `cron is "${expression}", which is due every ${leastSeconds(fields)} seconds, want ${LEAST_SECONDS} or more`,
    hint: `Write five fields, for minutes, or */${LEAST_SECONDS} in the first of six`,
  }
}

function never(expression: string): CronRead {
  return {
    wrong: `cron is "${expression}", which no day of any year is, so it would never run`,
    hint: 'Name a day that the month has; L is its last one',
  }
}

function refused(
  expression: string,
  errors: readonly { readonly field: string; readonly value?: string; readonly message: string }[],
): CronRead {
  const [first] = errors
  if (first?.message.includes('impossible day') === true) return never(expression)
  const what = first?.value === undefined ? '' : `: ${first.value} is no ${NAMES[first.field] ?? first.field}`
  return {
    wrong: `cron is "${expression}"${what}, want an expression such as "0 9 * * 1-5"`,
    hint: 'The fields are minute, hour, day of month, month and day of week; with six, seconds come first',
  }
}

const NAMES: Readonly<Record<string, string>> = {
  dayOfMonth: 'day of a month',
  dayOfWeek: 'day of the week',
}
