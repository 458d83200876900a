/** When `neo run` ends, and what it waits for. */
import { NeoError } from '../domain/home/error.ts'
import { waitsForPerson } from '../domain/plan/slots.ts'
import { openTasks } from '../domain/task/readiness.ts'
import type { RoundResult } from './round.ts'

/** Shorter waits are not reported. */
const SHORT_MS = 5_000

export function waitReason({ facts, snapshot, waiting }: RoundResult, now: number): string | null {
  const works = [...facts.sessions.values()].some(({ state }) => state !== 'ended')
  if (works || waiting > 0) return null
  const isPending = [...openTasks(snapshot)].some(({ task }) => task.status === 'pending')
  if (facts.elsewhere !== null && isPending)
    return `nothing starts on this host: work starts on ${facts.elsewhere} only; to change that, set daemon.node in neo.yaml`
  const later = [...openTasks(snapshot)]
    .filter(({ task }) => task.status === 'pending' && Date.parse(task.neo.retryAt ?? '') > now + SHORT_MS)
    .toSorted((a, b) => Date.parse(a.task.neo.retryAt ?? '') - Date.parse(b.task.neo.retryAt ?? ''))
  const [first] = later
  if (first === undefined) return null
  const { retryAt = '', error } = first.task.neo
  const why = error === undefined ? '' : ` (${error})`
  const more = later.length > 1 ? `; ${later.length - 1} more later` : ''
  return `waiting until ${retryAt} for ${first.room}/${first.name}${why}${more}; --timeout limits the wait`
}

/** A run that may do nothing must not look like one without work. */
export function runRefusal(round: RoundResult | null): NeoError | null {
  if (round === null || round.snapshot.git.kind === 'home') return null
  const { git, config } = round.snapshot
  const branch = config.daemon.branch ?? 'main'
  return new NeoError('usage', `Cannot run: ${git.why}`, {
    why: `Neo commits only to the branch "${branch}", with HEAD on it and no merge or rebase in progress`,
    next:
      git.kind === 'busy'
        ? 'finish or abort it, then retry'
        : `git checkout -B ${branch}, as in CI; for another branch set NEO_DAEMON__BRANCH to its name`,
  })
}

/** Nothing runs, settles or waits for a time. Answers of people are not waited for. */
export function isAtRest({ facts, wakeAt, waiting, snapshot }: RoundResult): boolean {
  const tries = [...openTasks(snapshot)].some(
    ({ task }) => task.status === 'pending' && task.neo.retryAt !== undefined,
  )
  const timeless = wakeAt === null || (isPersons(wakeAt, { facts, snapshot }) && !tries)
  const opening = [...facts.pulls.values()].some(({ kind }) => kind === 'opening')
  const thinking = [...facts.neo.turns.values()].some(({ kind }) => kind !== 'waits')
  // An agent that waits for a person continues at the next start. One that was just resumed may have an answer.
  const working = [...facts.sessions.values()].some(
    (fact) =>
      fact.state !== 'ended' &&
      (!waitsForPerson(fact, facts.sessions) || (fact.state === 'live' && fact.idle !== true)),
  )
  return timeless && waiting === 0 && !opening && !thinking && !working
}

/** A time at which only a wait for a person or a forge ends. */
function isPersons(at: number, { facts, snapshot }: Pick<RoundResult, 'facts' | 'snapshot'>): boolean {
  const asks = [...snapshot.asks.values()].map(({ ask }) => Date.parse(ask.expiresAt ?? ''))
  const pulls = [...facts.pulls.values()].flatMap((pull) => (pull.kind === 'failed' ? [pull.at] : []))
  const budgets = [...facts.budgets.values()].map((budget) => budget.at)
  const turns = [...facts.neo.turns.values()].flatMap((turn) => (turn.kind === 'waits' ? [turn.at] : []))
  return [...asks, ...pulls, ...budgets, ...turns].includes(at)
}
