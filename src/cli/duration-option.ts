/**
 * Durations on the command line: `--timeout 10m`.
 */
import { durationMs } from '../files/values/duration.ts'
import { usage } from './cli-failure.ts'
import type { Call } from './spec.ts'

/** Milliseconds; null where the option was not given. */
export function durationOption(call: Call, option: string): number | null {
  const text = call.text(option)
  if (text === null) return null
  const ms = durationMs(text)
  if (ms === null || ms === 0)
    throw usage(
      `Cannot take --${option} "${text}": want a duration such as 30s, 10m or 2h`,
      `--${option} 10m`,
    )
  return ms
}

/** A whole number of at least 1; null where the option was not given. */
export function countOption(call: Call, option: string): number | null {
  const text = call.text(option)
  if (text === null) return null
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usage(`Cannot take --${option} "${text}": want a number of at least 1`, `--${option} 20`)
  return Number(text)
}
