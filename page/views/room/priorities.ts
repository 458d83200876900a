/** The order of work inside a column, and how a title is sorted. */
import type { Card, Priority } from '../../store/types.ts'

export const PRIORITIES: readonly Priority[] = ['urgent', 'high', 'normal', 'low']

const natural = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Urgent first, then by title in natural order (`task 2` before `task 10`). */
export function byUrgency(a: Card, b: Card): number {
  const rank = PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority)
  return rank === 0 ? natural.compare(a.title, b.title) : rank
}

/** Ended last first. */
export function byEnd(a: Card, b: Card): number {
  const [one, other] = [a.completedAt ?? '', b.completedAt ?? '']
  return one === other ? 0 : one > other ? -1 : 1
}
