/**
 * Parses a cron expression with node-cron. One that never runs, or more often than every ten seconds, is refused.
 */
import { parse, validateDetailed } from 'node-cron'
import type { CronFields } from '../../domain/schedule/schedule.ts'
import { leastSeconds, nextSlot } from '../../domain/schedule/schedule-slots.ts'

/** More often would be a busy loop. */
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
    wrong: `cron "${expression}" runs every ${leastSeconds(fields)} seconds; the minimum is ${LEAST_SECONDS}`,
    hint: `Use five fields, or */${LEAST_SECONDS} as the first of six`,
  }
}

function never(expression: string): CronRead {
  return {
    wrong: `cron "${expression}" never runs: no date matches it`,
    hint: 'Use a day that the month has; L is its last day',
  }
}

function refused(
  expression: string,
  errors: readonly { readonly field: string; readonly value?: string; readonly message: string }[],
): CronRead {
  const [first] = errors
  if (first?.message.includes('impossible day') === true) return never(expression)
  const what =
    first?.value === undefined ? '' : `: ${first.value} is not a valid ${NAMES[first.field] ?? first.field}`
  return {
    wrong: `invalid cron "${expression}"${what}; an example is "0 9 * * 1-5"`,
    hint: 'The fields are minute, hour, day of month, month and day of week; with six fields, seconds come first',
  }
}

const NAMES: Readonly<Record<string, string>> = {
  dayOfMonth: 'day of month',
  dayOfWeek: 'day of week',
}
