/**
 * Noticing a model that does the same failing thing again and again. Invariant 1: failures of one reply count once,
 * since the model has not seen the first when it writes the second.
 */
import type { JsonObject } from '../agent/model-message.ts'

export interface Failure {
  readonly name: string
  readonly input: JsonObject
  /** What was answered. */
  readonly reason: string
}

/** How often each failing call came, by its key. */
export type Failures = ReadonlyMap<string, number>

export const SAME_FAILURES = 3

/** Adds the failures of one reply. `stuck` is the first that has come too often; null for none. */
export function withFailures(
  before: Failures,
  failures: readonly Failure[],
): { readonly counts: Failures; readonly stuck: Failure | null } {
  const counts = new Map(before)
  const once = new Map(failures.flatMap((failure) => keysOf(failure).map((key) => [key, failure] as const)))
  let stuck: Failure | null = null
  for (const [key, failure] of once) {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count >= SAME_FAILURES) stuck ??= failure
  }
  return { counts, stuck }
}

/** The very same call, or another one that fails for the same reason but for names and numbers in it. */
function keysOf({ name, input, reason }: Failure): readonly string[] {
  const bare = reason.replaceAll(/"[^"]*"|'[^']*'|\b[a-z]-[0-9a-z]{4,}\b|\d+/g, '*').slice(0, 200)
  return [`call ${name} ${stable(input)}`, `reason ${name} ${bare}`]
}

/** The same text for the same object, in whatever order its keys are. */
function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${stable(one)}`).join(',')}}`
}
