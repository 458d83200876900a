/**
 * One look without acting: what the home is, and what would be done now. For `neo status`, `neo plan` and doctor.
 * What a running daemon says of its model stands for what this process would find. Writes nothing.
 */
import type { Plan } from '../core/model/decision.ts'
import type { Facts, Snapshot } from '../core/model/snapshot.ts'
import { plan } from '../core/rules/plan.ts'
import type { World } from '../ports.ts'
import { NO_MODEL } from './agents.ts'
import { gatherFacts } from './facts.ts'
import { modelOfDaemon } from './health.ts'
import { lockOwner } from './lock.ts'
import { openHome } from './open.ts'

export interface Seen {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly plan: Plan
}

export async function lookOnce(world: World, home: string): Promise<Seen> {
  const context = await openHome({ home, world, settleMs: 0 })
  const { snapshot } = await context.look.look('all')
  const seen = asDaemon(world, home, { snapshot, facts: await gatherFacts(context, snapshot) })
  return { ...seen, plan: plan(seen.snapshot, seen.facts, world.clock.now()) }
}

type Looked = Pick<Seen, 'snapshot' | 'facts'>

/** With the model of the daemon that runs: a key may be in its environment only, or in ours only. */
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
