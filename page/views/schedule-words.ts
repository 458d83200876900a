/** The time of a schedule in words. */
import cronstrue from 'cronstrue'

/** @param when as the hub gives it: a cron expression, `every 30m`, `at 2026-03-05T09:00` */
export function inWords(when: string): string {
  const expression = when.replace(/^cron\s+/, '')
  if (!/^\S+(?:\s+\S+){4}$/.test(expression)) return when
  try {
    return `${cronstrue.toString(expression, { use24HourTimeFormat: true, verbose: true })} (${expression})`
  } catch {
    return when
  }
}

/** What a typed expression means; null if it is no cron expression of five fields. */
export function cronInWords(expression: string): string | null {
  try {
    if (expression.trim().split(/\s+/).length !== 5) return null
    return cronstrue.toString(expression.trim(), { use24HourTimeFormat: true, verbose: true })
  } catch {
    return null
  }
}
