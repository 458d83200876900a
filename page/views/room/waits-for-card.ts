/** Which task of the same room a card waits for. What else a task waits for is on its own page. */
import type { Card } from '../../store/types.ts'

export type Cards = Readonly<Record<string, Card>>

const byName = new WeakMap<Cards, ReadonlyMap<string, Card>>()

/** The title of the first one that isn't completed; null if there is none, or the task isn't pending. */
export function waitsFor({ status, dependsOn, roomId }: Card, tasks: Cards): string | null {
  if (status !== 'pending' || dependsOn.length === 0) return null
  for (const name of dependsOn) {
    const own = name.startsWith(`${roomId}/`) ? name.slice(roomId.length + 1) : name
    const found = Object.hasOwn(tasks, own) ? tasks[own] : namesOf(tasks).get(own)
    if (found !== undefined && found.status !== 'completed') return found.title
  }
  return null
}

function namesOf(tasks: Cards): ReadonlyMap<string, Card> {
  const known = byName.get(tasks)
  if (known !== undefined) return known
  const made = new Map(Object.values(tasks).map((card) => [card.name, card]))
  byName.set(tasks, made)
  return made
}
