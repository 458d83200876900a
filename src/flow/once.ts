/**
 * One look without acting: what the home is, and what would be done now. For `neo status`, `neo plan` and doctor.
 * Writes nothing.
 */
import type { Plan } from '../core/model/decision.ts'
import type { Facts, Snapshot } from '../core/model/snapshot.ts'
import { plan } from '../core/rules/plan.ts'
import type { World } from '../ports.ts'
import { gatherFacts } from './facts.ts'
import { openHome } from './open.ts'

export interface Seen {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly plan: Plan
}

export async function lookOnce(world: World, home: string): Promise<Seen> {
  const context = await openHome({ home, world, settleMs: 0 })
  const { snapshot } = await context.look.look('all')
  const facts = await gatherFacts(context, snapshot)
  return { snapshot, facts, plan: plan(snapshot, facts, world.clock.now()) }
}
