/**
 * What reading commands show, made in the daemon.
 */
import type { Reads } from '../../servers/http/reads.ts'
import type { Context } from '../../engine/context.ts'
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import type { ReadName } from './ask-daemon.ts'

export interface DaemonParts {
  readonly context: Context
  /** Of clients from outside. */
  readonly hub: Hub
}

type Read = (parts: DaemonParts, params: unknown) => Promise<unknown>

const READS: Readonly<Record<ReadName, Read>> = {
  status: async ({ context }) => {
    const { gather } = await import('../status/gather.ts')
    const { seenIn } = await import('../../engine/once.ts')
    return gather(context, await settled(context, seenIn), toldIn(context))
  },
  plan: async ({ context }) => {
    const { planData } = await import('../status/plan-data.ts')
    const { aheadIn } = await import('../../engine/once.ts')
    return planData(context, await settled(context, aheadIn), toldIn(context))
  },
  log: ({ hub }, params) => hub.call({ kind: 'human' }, 'audit.timeline', params),
  search: async ({ context, hub }, params) => {
    const { withNote } = await import('../memory/search-note.ts')
    return withNote(context, await hub.call({ kind: 'human' }, 'memory.search', params))
  },
}

export function readsIn(parts: DaemonParts): Reads {
  return async (name, params) => {
    if (!Object.hasOwn(READS, name))
      throw new HubError(HUB_CODES.method, `Cannot read "${name}": this daemon does not know it`)
    return await READS[name as ReadName](parts, params)
  }
}

/** Troubles, as the daemon knows them. */
function toldIn({ troubles }: Context) {
  return [...troubles].map(([part, { why }]) => ({ part, why }))
}

/** Between rounds: a picture in the middle of one shows half of a change. */
async function settled<T>(context: Context, see: (context: Context) => Promise<T | null>): Promise<T> {
  const found = await context.line(() => see(context))
  if (found === null)
    throw new HubError(HUB_CODES.busy, 'Cannot tell now: a file that was just saved settles')
  return found
}
