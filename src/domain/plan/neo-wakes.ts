/**
 * How often a room's Neo may be woken by what he set going himself. Invariant 1: in no hour are there more than
 * WAKES_AN_HOUR such wakes. Invariant 2: people always wake it.
 */
export const WAKES_AN_HOUR = 10
const HOUR_MS = 3_600_000

/**
 * Whom a person stands behind: messages of people, and of schedules that people wrote (files/kinds/schedule-made.ts names the
 * author of every other). The rest comes of tasks, sessions and Neo's own schedules, which it may have made itself.
 */
export function isByPerson(trigger: { readonly kind: string; readonly from: string }): boolean {
  return trigger.kind === 'message' && /^(?:human$|member:|schedule:)/.test(trigger.from)
}

/** The wakes of the last hour. */
export function recentWakes(wakes: readonly number[], now: number): readonly number[] {
  return wakes.filter((at) => at > now - HOUR_MS && at <= now)
}

/** null if it may be woken now; else epoch ms from which on. */
export function wakeAgainAt(wakes: readonly number[], now: number): number | null {
  const oldest = [...recentWakes(wakes, now)].sort((a, b) => a - b).at(-WAKES_AN_HOUR)
  return oldest === undefined ? null : oldest + HOUR_MS
}
