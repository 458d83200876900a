/**
 * One look without acting, for `neo status`, `neo plan` and doctor. The model state of a running daemon replaces that of
 * this process. Writes only the readings for the next look (readings.ts).
 */
import type { Plan } from '../domain/plan/decision.ts'
import type { Facts, Snapshot } from '../domain/plan/snapshot.ts'
import { plan } from '../domain/plan/plan.ts'
import type { World } from '../ports/world.ts'
import { NO_MODEL } from './agents/agents.ts'
import type { Context } from './context.ts'
import { afterAdoption, type Foreseen, foresee } from '../domain/plan/foresee.ts'
import { gatherFacts } from './snapshot/facts.ts'
import { modelOfDaemon } from './health.ts'
import { lockOwner } from './lock.ts'
import { openHome } from './open-engine.ts'

export interface Seen {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly plan: Plan
}

/** @param version of this program; with it, only files that have changed since the last readings are read. */
export async function lookOnce(world: World, home: string, version?: string): Promise<Seen> {
  return (await looked(world, home, version)).seen
}

async function looked(
  world: World,
  home: string,
  version: string | undefined,
): Promise<{ readonly context: Context; readonly seen: Seen }> {
  const context = await openHome({ home, world, settleMs: 0, version, away: 'read' })
  const { snapshot } = await context.look.look('all')
  await context.look.keepReadings()
  const seen = asDaemon(world, home, { snapshot, facts: await gatherFacts(context, snapshot) })
  return { context, seen: { ...seen, plan: plan(seen.snapshot, seen.facts, world.clock.now()) } }
}

/** With what would happen next. */
export interface SeenAhead extends Seen {
  readonly ahead: Foreseen
}

export async function lookAhead(world: World, home: string, version: string): Promise<SeenAhead> {
  const { context, seen } = await looked(world, home, version)
  return aheadOf(context, seen, (after) => asDaemon(world, home, after))
}

/** The same in a running daemon. */
export async function aheadIn(context: Context): Promise<SeenAhead | null> {
  const seen = await seenIn(context)
  return seen === null ? null : aheadOf(context, seen, (after) => after)
}

function aheadOf(context: Context, seen: Seen, model: (after: Looked) => Looked): SeenAhead {
  const scene = { ...seen, now: context.world.clock.now() }
  const snapshot = afterAdoption(scene)
  const facts = { ...seen.facts, ...context.agents.facts(snapshot) }
  return { ...seen, ahead: foresee(scene, model({ snapshot, facts })) }
}

/** With more tasks a daemon relies on its watcher: a full look would block its work. */
const MOST_TASKS = 20_000

/** The same in a running daemon. Null while a file settles: it would be missing here. */
export async function seenIn(context: Context): Promise<Seen | null> {
  const { look, world } = context
  const known = await look.look(new Set())
  const isAll = look.branch() === null || known.snapshot.tasks.size <= MOST_TASKS
  const { snapshot, wakeAt } = isAll ? await look.look('all') : known
  if (wakeAt !== null) return null
  const facts = await gatherFacts(context, snapshot)
  return { snapshot, facts, plan: plan(snapshot, facts, world.clock.now()) }
}

type Looked = Pick<Seen, 'snapshot' | 'facts'>

/** With the model state of the running daemon, whose environment may have another key. */
function asDaemon(world: World, home: string, { snapshot, facts }: Looked): Looked {
  const owner = lockOwner(world.git.gitDir, world)
  const model = owner === null ? null : modelOfDaemon(world.files, home, owner.pid)
  if (model === null) return { snapshot, facts }
  const { ref, error } = model
  const inDaemon = (why: string | null) =>
    why?.startsWith(NO_MODEL) ? error && error + why.slice(NO_MODEL.length) : why
  const cannot = new Map([...facts.cannot].map(([task, why]) => [task, inDaemon(why)] as const))
  return {
    snapshot: { ...snapshot, config: { ...snapshot.config, model: ref } },
    facts: { ...facts, cannot, agent: error === null ? { kind: 'ready' } : { kind: 'none', error } },
  }
}
