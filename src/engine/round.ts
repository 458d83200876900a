/**
 * One round: look, plan, apply, until nothing new is decided. Used by the daemon, `neo run` and commands without a daemon.
 * Invariants: 1. rounds are bounded: a home that never comes to rest is a problem, not a busy loop; 2. the journal is
 * recovered before anything new is looked at; 3. a session is not ended because its task's file is missing, until the
 * deletion counts; 4. nothing is done once HEAD has left Neo's branch.
 */
import type { Decision, Plan } from '../domain/plan/decision.ts'
import type { Facts, Snapshot } from '../domain/plan/snapshot.ts'
import { mayDecide } from '../domain/room/host.ts'
import { plan } from '../domain/plan/plan.ts'
import type { Context } from './context.ts'
import { commitBookkeeping } from './effects/bookkeeping.ts'
import { effectOf } from './effects/effect-table.ts'
import { gatherFacts } from './snapshot/facts.ts'
import { deliverNotices } from './people/deliver-notice.ts'
import { followRooms } from './commit/renamed-rooms.ts'
import { isStillHome, recoverJournal } from './commit/transact.ts'

export interface RoundResult {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly plan: Plan
  /** Epoch ms of the next look without any event; null for never. */
  readonly wakeAt: number | null
  /** Intents that wait for git. */
  readonly waiting: number
}

export interface RoundOptions {
  /** Which decisions may be carried out. */
  readonly allow: (decision: Decision, snapshot: Snapshot) => boolean
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
    await followRooms(context, snapshot)
    const facts = await gatherFacts(context, snapshot)
    const made = plan(snapshot, facts, context.world.clock.now())
    const due = made.decisions.filter(
      (decision) =>
        mayDecide(decision, snapshot, facts) &&
        options.allow(decision, snapshot) &&
        !stuck.has(keyOf(decision)) &&
        !isTransientlyMissing(context, snapshot, decision),
    )
    if (due.length === 0 || round >= MOST_ROUNDS || isHeld(snapshot)) {
      deliverNotices(context, snapshot)
      return { snapshot, facts, plan: made, waiting, wakeAt: earliest(looked.wakeAt, made.wakeAt) }
    }
    sayDecided(context, due)
    seen = await carryOut(context, snapshot, { due, stuck })
    deliverNotices(context, snapshot)
  }
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

/** Applies the decisions; what changed nothing is looked at again, and not retried for the same version. */
async function carryOut(
  context: Context,
  snapshot: Snapshot,
  of: { due: readonly Decision[]; stuck: Set<string> },
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
    if (!(await isStillHome(context))) break
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
