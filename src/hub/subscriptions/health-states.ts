/**
 * The channel `health`: how the parts of the home are, and since when. Computed only while somebody follows it: after
 * each round, and when a trouble begins or ends. Invariant: a part keeps its time until its state changes.
 */
import type { HubEnv } from '../env.ts'
import { type HealthItem, healthItems } from '../views/home-health.ts'
import { changeBetween, type State } from './state-change.ts'

export const HEALTH = 'health'

export interface HealthStates {
  /** Looks now, for a new subscriber. */
  look(): Promise<void>
  /** Something may have changed. */
  changed(): void
  state(): State
  close(): void
}

/** @param also is told too when a trouble begins or ends */
export function openHealthStates(env: HubEnv, also: () => void): HealthStates {
  const since = new Map<string, { readonly state: string; readonly at: string }>()
  const startedAt = new Date(env.context.world.clock.now()).toISOString()
  let items: State = {}
  let running: Promise<void> | null = null
  let again = false

  async function look(): Promise<void> {
    const found = await healthItems(env)
    const before = items
    items = { parts: Object.fromEntries(found.map((item, order) => [item.part, { ...dated(item), order }])) }
    const change = changeBetween(before, items)
    if (change !== null) env.channels.publish(HEALTH, change)
  }

  function dated(item: HealthItem) {
    const known = since.get(item.part)
    const now = new Date(env.context.world.clock.now()).toISOString()
    const at = known?.state === item.state ? known.at : known === undefined ? startedAt : now
    since.set(item.part, { state: item.state, at })
    return { ...item, since: item.since ?? at }
  }

  /** One look at a time; what changes meanwhile is looked at afterwards. */
  function changed(): void {
    if (!env.channels.listens(HEALTH)) return
    again = running !== null
    running ??= look()
      .catch(() => {
        // The next round looks again.
      })
      .finally(() => {
        running = null
        if (again) changed()
      })
  }

  const troubled = () => {
    also()
    changed()
  }
  env.context.troubled.add(troubled)
  return {
    look,
    changed,
    state: () => items,
    close: () => void env.context.troubled.delete(troubled),
  }
}
