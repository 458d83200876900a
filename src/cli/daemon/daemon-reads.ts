/** What `neo status` and `neo plan` show, made in the daemon: it knows the home already. */
import type { Reads } from '../../servers/http/reads.ts'
import type { Context } from '../../engine/context.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { ReadName } from '../../client/hub-client.ts'

type Read = (context: Context) => Promise<unknown>

const READS: Readonly<Record<ReadName, Read>> = {
  status: async (context) => {
    const { gather } = await import('../status/gather.ts')
    const { seenIn } = await import('../../engine/look-once.ts')
    return gather(context, await settled(context, seenIn), toldIn(context))
  },
  plan: async (context) => {
    const { planData } = await import('../status/plan-data.ts')
    const { aheadIn } = await import('../../engine/look-once.ts')
    return planData(context, await settled(context, aheadIn), toldIn(context))
  },
}

export function readsIn(context: Context): Reads {
  return async (name) => {
    if (!Object.hasOwn(READS, name))
      throw new HubError(HUB_CODES.method, `Cannot read "${name}": this daemon doesn't know it`)
    return await READS[name as ReadName](context)
  }
}

/** Troubles, as the daemon knows them. */
function toldIn({ troubles }: Context) {
  return [...troubles].map(([part, { why }]) => ({ part, why }))
}

/** Between rounds: a picture in the middle of one shows half of a change. */
async function settled<T>(context: Context, see: (context: Context) => Promise<T | null>): Promise<T> {
  const found = await context.exclusive(() => see(context))
  if (found === null)
    throw new HubError(HUB_CODES.busy, 'Cannot tell now: a file that was just saved settles')
  return found
}
