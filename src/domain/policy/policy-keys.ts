/** Keys that not everybody sets: those that nobody does, and those that a model does unasked. Pure. */
import type { Resource } from './policy-acts.ts'
import { ask, type Ruling } from './ruling.ts'

/** Set by nobody through any door. */
export const FIXED_KEYS: readonly string[] = ['id', 'roomId', 'sessionIds', 'neo']
/** What a model may set of a task; everything else is asked for. */
export const MODEL_TASK_KEYS: readonly string[] = [
  'title',
  'description',
  'priority',
  'dependsOn',
  'labels',
  'due',
  'worker',
]
/** What a room's Neo may set of its room. */
export const MODEL_ROOM_KEYS: readonly string[] = ['name', 'description', 'concurrency', 'keep']

/** An ask if a key is set that is set by people only; null if none is. */
export function guardedKeys({ sets = [] }: Resource, free: readonly string[]): Ruling | null {
  const guarded = sets.find((key) => !free.includes(key))
  return guarded === undefined ? null : ask('guarded-keys', `only a person can set ${guarded}`)
}
