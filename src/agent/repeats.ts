/**
 * Detects a worker that repeats the same failing call. Invariants: 1. failures of one answer count once: the model has
 * not seen the first when it writes the second; 2. checks that fail again after a change are work, not a loop: a
 * successful change or command resets the count.
 */
import type { CallPart, Json, ResultPart } from '../domain/agent/model-message.ts'
import type { Tool } from './tools/tool.ts'

export interface Ended {
  readonly call: CallPart
  readonly result: ResultPart
  /** What the tool does; undefined for an unknown tool. */
  readonly effect: Tool['effect'] | undefined
}

const SAME_FAILURES = 3

/** Counts the failures of one answer; describes the one that has come too often, or null. */
export function stuckOn(failing: Map<string, number>, answer: readonly Ended[]): string | null {
  const keys = new Map<string, Ended>()
  for (const one of answer)
    for (const key of keysOf(one)) {
      if (one.result.isError) keys.set(key, one)
      else failing.delete(key)
    }
  if (answer.some(isProgress)) failing.clear()
  for (const [key, { call, result }] of keys) {
    const times = (failing.get(key) ?? 0) + 1
    failing.set(key, times)
    if (times >= SAME_FAILURES) return `the same call of ${call.name} failed ${times} times: ${result.text}`
  }
  return null
}

function isProgress({ result, effect }: Ended): boolean {
  return !result.isError && (effect === 'changes' || effect === 'runs')
}

/** The same call but for white space and comments; any call of a tool that is not there; the same words of a refusal. */
function keysOf({ call, result, effect }: Ended): readonly string[] {
  if (effect === undefined) return ['unknown tool']
  const same = `call ${call.name} ${plain(call.input)}`
  return effect === 'runs' || !result.isError ? [same] : [same, `reason ${call.name} ${result.text}`]
}

/** The same text for the same arguments, in whatever order their names are. */
function plain(value: Json): string {
  if (typeof value === 'string')
    return JSON.stringify(
      value
        .replaceAll(/(^|\s)#.*$/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${plain(one)}`).join(',')}}`
}
