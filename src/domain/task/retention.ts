/**
 * Which ended attempts are cleared away: their worktrees and branches. Pure. Invariant 1: what a task still needs
 * stays, whatever the limits say.
 */
import { counted } from '../text/counted.ts'

export interface Kept {
  readonly session: string
  /** Id of its task. */
  readonly task: string
  /** Epoch ms. */
  readonly endedAt: number
  readonly bytes: number
  /** `needed`: work continues on it, or a person is to review it; `done`: a later attempt completed the task. */
  readonly state: 'needed' | 'open' | 'done'
}

export interface Limits {
  /** Worktrees a task. */
  readonly attempts: number
  readonly ageMs: number
  /** Of all of them together. */
  readonly bytes: number
}

export interface Goes {
  readonly session: string
  readonly why: string
}

export function expired(kept: readonly Kept[], limits: Limits, now: number): readonly Goes[] {
  const goes = new Map<string, string>()
  const newest = kept.filter(({ state }) => state !== 'needed').toSorted((a, b) => b.endedAt - a.endedAt)
  const perTask = new Map<string, number>()
  for (const { session, task, state, endedAt } of newest) {
    const before = perTask.get(task) ?? 0
    perTask.set(task, before + 1)
    if (state === 'done') goes.set(session, 'a later attempt completed the task')
    else if (before >= limits.attempts)
      goes.set(session, `more than ${counted(limits.attempts, 'attempt')} of this task`)
    else if (now - endedAt > limits.ageMs) goes.set(session, 'older than retention.age')
  }
  let bytes = kept.reduce((sum, one) => sum + (goes.has(one.session) ? 0 : one.bytes), 0)
  for (const one of newest.toReversed()) {
    if (bytes <= limits.bytes) break
    if (goes.has(one.session)) continue
    goes.set(one.session, 'over retention.size')
    bytes -= one.bytes
  }
  return newest.flatMap(({ session }) => {
    const why = goes.get(session)
    return why === undefined ? [] : [{ session, why }]
  })
}
