/** Options with a duration or a count. */
import { durationMs } from '../files/values/duration.ts'
import { usage } from './cli-failure.ts'
import type { Call } from './spec.ts'

/** The value of an option such as `--timeout 10m` in milliseconds; null if it is absent. */
export function durationOption(call: Call, option: string): number | null {
  const text = call.text(option)
  if (text === null) return null
  const ms = durationMs(text)
  if (ms === null || ms === 0)
    throw usage(
      `Invalid value "${text}" for --${option}: use a duration such as 30s, 10m or 2h`,
      `--${option} 10m`,
    )
  return ms
}

/** A whole number of at least 1; null if the option is absent. */
export function countOption(call: Call, option: string): number | null {
  const text = call.text(option)
  if (text === null) return null
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usage(`Invalid value "${text}" for --${option}: use a whole number from 1 on`, `--${option} 20`)
  return Number(text)
}
