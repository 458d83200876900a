/**
 * One round: look, plan, apply, until nothing new is decided, and when `neo run` ends. Used by the daemon, `neo run`
 * and, without starting anything, by commands without a daemon. Invariants: 1. rounds are bounded: a home that always
 * changes is reported as a problem; 2. the journal is recovered before anything new is read; 3. a
 * session is not ended because its task's file is missing, until the deletion counts; 4. nothing is done once HEAD has
 * left Neo's branch.
 */
import { NeoError } from '../domain/home/error.ts'
import { type Decision, type Plan, startsWork } from '../domain/plan/decision.ts'
import { homeBranch, wayBack } from '../domain/plan/needs.ts'
import { plan } from '../domain/plan/plan.ts'
import { waitsForPerson } from '../domain/plan/slots.ts'
import type { Facts, Snapshot } from '../domain/plan/snapshot.ts'
import { mayDecide } from '../domain/room/host.ts'
import { openTasks } from '../domain/task/readiness.ts'
import type { World } from '../ports/world.ts'
import { peerWorkOf } from './agents/peer-work.ts'
import { followRooms } from './commit/moved-home.ts'
import { recoverJournal } from './commit/recover-journal.ts'
import { isStillHome } from './commit/transact.ts'
import type { Context } from './context.ts'
import { commitBookkeeping } from './effects/bookkeeping.ts'
import { effectOf } from './effects/effect-table.ts'
import { takeLock } from './lock.ts'
import { openHome } from './open-engine.ts'
import { deliverNotices } from './people/notices.ts'
import { gatherFacts } from './snapshot/facts.ts'

export interface RoundResult {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly plan: Plan
  /** Epoch ms of the next look without any event; null for never. */
  readonly wakeAt: number | null
  /** Intents that wait for git. */
  readonly waiting: number
}

interface RoundOptions {
  /** Which decisions may be carried out. */
  readonly allow: (decision: Decision, snapshot: Snapshot) => boolean
  /** Told of each look, before anything is decided or committed. */
  readonly saw?: (snapshot: Snapshot) => void
}

/** `neo run` of a room, or of a task by path, name or id. */
export interface Chosen {
  readonly room?: string
  readonly task?: string
}

export function isChosen(only: Chosen | undefined, decision: Decision, snapshot: Snapshot): boolean {
  // A session that exists, which has no path here, continues whatever was chosen.
  if (only === undefined || !startsWork(decision) || !('path' in decision)) return true
  const file = snapshot.tasks.get(decision.path)
  if (file === undefined) return false
  if (only.room !== undefined && file.room !== only.room) return false
  const names = [file.path, file.name, `${file.room}/${file.name}`, file.task.neo.id]
  return only.task === undefined || names.includes(only.task)
}

/** More than any chain of reactions needs; after them the home waits for the next event. */
const MOST_ROUNDS = 1000

export async function runRounds(
  context: Context,
  hints: 'all' | ReadonlySet<string>,
  options: RoundOptions,
): Promise<RoundResult> {
  context.world.signing?.use(context.look.config().git.sign)
  let seen: 'all' | ReadonlySet<string> = hints
  const stuck = new Set<string>()
  for (let round = 0; ; round++) {
    const looked = await context.look.look(seen)
    const { waiting, ended } = await recoverJournal(context)
    const { snapshot } = waiting + ended === 0 ? looked : await context.look.look(new Set())
    options.saw?.(snapshot)
    await followRooms(context, snapshot)
    const facts = await gatherFacts(context, snapshot)
    const made = plan(snapshot, facts, context.world.clock.now())
    const due = made.decisions.filter(
      (decision) =>
        mayDecide(decision, snapshot, facts) &&
        options.allow(decision, snapshot) &&
        !stuck.has(keyOf(decision)) &&
        !isTransientlyMissing(context, snapshot, decision) &&
        !needsPeers(context, decision),
    )
    const [next] = due
    if (next === undefined || round >= MOST_ROUNDS || isHeld(snapshot)) {
      if (next !== undefined && round >= MOST_ROUNDS) sayEndless(context, next)
      deliverNotices(context, snapshot)
      return { snapshot, facts, plan: made, waiting, wakeAt: earliest(looked.wakeAt, made.wakeAt) }
    }
    sayDecided(context, due)
    seen = await carryOut(context, snapshot, { ...options, due, stuck })
    deliverNotices(context, snapshot)
  }
}

/** Invariant 1. */
function sayEndless({ emit }: Context, next: Decision): void {
  const text = `the home changed ${MOST_ROUNDS} times in a row (next: ${keyOf(next).trim()}); continuing at the next change`
  emit({ kind: 'trouble', text })
}

/** Lines of the debug log for each round. */
const MOST_DEBUG = 50

/** `log.level: debug` prints these events. */
function sayDecided(context: Context, due: readonly Decision[]): void {
  for (const decision of due.slice(0, MOST_DEBUG))
    context.emit({ kind: 'debug', text: `decided: ${keyOf(decision).trim()}` })
  if (due.length > MOST_DEBUG)
    context.emit({ kind: 'debug', text: `decided: ${due.length - MOST_DEBUG} more` })
}

/** Nothing is decided while HEAD is elsewhere, or the user's git is at work: its commit must not find another HEAD. */
function isHeld({ git }: Snapshot): boolean {
  return git.kind !== 'home' || git.held !== undefined
}

/** The file of the session's task is missing (a rename, an editor's backup, a stash), and its deletion doesn't count yet. */
function isTransientlyMissing(context: Context, snapshot: Snapshot, decision: Decision): boolean {
  if (decision.kind !== 'stop' && decision.kind !== 'discard' && decision.kind !== 'halt') return false
  const record = context.sessions.facts().get(decision.session)?.record
  if (record === undefined) return false
  if ([...snapshot.tasks.values()].some(({ task }) => task.neo.id === record.taskId)) return false
  const path = context.look.goneWithId(record.taskId) ?? record.taskPath
  return context.look.tree().has(path) && !snapshot.deleted.some((gone) => gone.path === path)
}

/** Work in another home is stopped by a process that can tell that home: a daemon, once its agent is open. */
function needsPeers({ look, sessions, world }: Context, decision: Decision): boolean {
  if (decision.kind !== 'stop' || world.peers === undefined || peerWorkOf(world) !== null) return false
  const record = sessions.facts().get(decision.session)?.record
  return record?.peer !== undefined && look.config().agent !== null
}

/** Applies the decisions; what changed nothing is looked at again, and not retried for the same version. */
async function carryOut(
  context: Context,
  snapshot: Snapshot,
  of: RoundOptions & { due: readonly Decision[]; stuck: Set<string> },
): Promise<Set<string>> {
  const again = new Set<string>()
  const giveUp = (decision: Decision) => {
    of.stuck.add(keyOf(decision))
    if ('path' in decision) again.add(decision.path)
  }
  const kept = await commitBookkeeping(context, snapshot, of.due)
  for (const path of kept.again) again.add(path)
  for (const decision of kept.lost) giveUp(decision)
  for (const decision of of.due) {
    const effect = effectOf(decision)
    if ('draft' in effect) continue
    if (!of.allow(decision, snapshot) || !(await isStillHome(context))) break
    if ((await effect.apply(context, snapshot, decision)) === 'lost') giveUp(decision)
  }
  return again
}

function keyOf(decision: Decision): string {
  const subject =
    'path' in decision ? decision.path : 'session' in decision ? decision.session : decision.room
  return `${decision.kind} ${subject} ${'hash' in decision ? decision.hash : ''}`
}

function earliest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

/** `held`: a daemon runs, and sees the change by itself. */
export async function settleHome(world: World, home: string): Promise<'settled' | 'held'> {
  const lock = await takeLock(world.git.gitDir, { ...world, version: 'settle' })
  if (lock.kind === 'held') return 'held'
  try {
    await world.git.mend()
    const context = await openHome({ home, world, settleMs: 0 })
    await runRounds(context, 'all', { allow: (decision) => !startsWork(decision) })
    return 'settled'
  } finally {
    await lock.release()
  }
}

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
  const { git } = round.snapshot
  const branch = homeBranch(round.snapshot)
  const other = `git checkout -B ${branch}, as in CI; for another branch set NEO_DAEMON__BRANCH to its name`
  return new NeoError('usage', `Cannot run: ${git.why}`, {
    why: `Neo commits only to the branch "${branch}", with HEAD on it and no merge or rebase in progress`,
    next: git.kind === 'busy' ? `${wayBack(round.snapshot)}, then retry` : other,
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
