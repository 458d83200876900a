/**
 * What `neo run` waits for where nothing runs: tasks that go on at a time. Takes a round; gives one line, or null.
 * Leaves to daemon.ts: saying it, once, and waiting. Short waits are not worth a word.
 */
import { openTasks } from '../core/rules/open-tasks.ts'
import type { Rounds } from './round.ts'

const SHORT_MS = 5_000

export function waitWords({ facts, snapshot, waiting }: Rounds, now: number): string | null {
  const works = [...facts.sessions.values()].some(({ state }) => state !== 'ended')
  if (works || waiting > 0) return null
  const later = [...openTasks(snapshot)]
    .filter(({ task }) => task.status === 'pending' && Date.parse(task.neo.retryAt ?? '') > now + SHORT_MS)
    .toSorted((a, b) => Date.parse(a.task.neo.retryAt ?? '') - Date.parse(b.task.neo.retryAt ?? ''))
  const [first] = later
  if (first === undefined) return null
  const { retryAt = '', error } = first.task.neo
  const why = error === undefined ? '' : ` (${error})`
  const more = later.length > 1 ? `; ${later.length - 1} more later` : ''
  return `waits until ${retryAt} for ${first.room}/${first.name}${why}${more}; --timeout ends it sooner`
}
