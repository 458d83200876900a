/** A rate limit that a worker has reached: its task waits until the limit ends, and uses no retry. */
import { toldTime } from '../../domain/agent/model-retry.ts'
import { isoSecond, isZone } from '../../files/values/times.ts'
import type { Ending } from '../../runner/ending.ts'
import type { Run } from '../../runner/run-step.ts'

/** If it isn't said when the limit ends. */
const PAUSE_MS = 15 * 60_000
const SHORTEST_PAUSE_MS = 2_000
/** A time beyond this, or one that passed longer ago than a clock is wrong, is not what a rate limit means. */
const LONGEST_PAUSE_MS = 8 * 24 * 3_600_000
const JUST_PASSED_MS = 60_000

/** @param resetsAt epoch ms, if the program gave a number; else it may be in the words about the limit */
export function rateLimited({ deps }: Run, words: string, resetsAt: number | null = null): Ending {
  const now = deps.world.clock.now()
  const zone = deps.env['TZ'] ?? 'UTC'
  const told = resetsAt ?? toldTime(words, { now, zone, isZone })
  return {
    kind: 'parked',
    by: 'model',
    error: 'the worker reached a rate limit',
    retryAt: resumeAt(told, now),
  }
}

/** When to try again, as ISO time: what the program said, if that is plausible. */
function resumeAt(told: number | null, now: number): string {
  const wait = told === null ? PAUSE_MS : told - now
  const at =
    now + (wait > -JUST_PASSED_MS && wait < LONGEST_PAUSE_MS ? Math.max(wait, SHORTEST_PAUSE_MS) : PAUSE_MS)
  return isoSecond(at)
}
