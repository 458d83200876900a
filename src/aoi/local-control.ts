/** Agents of other homes for a program without a daemon: it can ask them, and is asked by none. */
import type { Context } from '../engine/context.ts'
import { HUB_CODES, HubError } from '../hub/hub.ts'
import type { PeerControl } from '../hub/peer-control.ts'
import { openRequests } from './desk/requests.ts'
import { OwnQueries } from './out/own-queries.ts'
import { controlOf, openWay } from './parts.ts'

/** Null if the program has no wire to them. */
export function openLocalControl(context: Context): PeerControl | null {
  const { world, dir } = context
  const { peers: wire, files, clock } = world
  if (wire === undefined) return null
  const way = openWay(context, wire)
  const own = () => new OwnQueries(files, dir, () => clock.now())
  return {
    ...controlOf(way, { requests: () => openRequests(files, dir), own }),
    listening: () => ({ at: null, trouble: 'neo watch is not running' }),
    state: () => ({ status: 'offline', lastSeenAt: null }),
    query(peer, of) {
      if (of.isAsync)
        throw new HubError(
          HUB_CODES.busy,
          'An answer that comes later needs neo watch: start it, or ask without async',
        )
      return way.ask(own(), peer, of)
    },
    // The daemon does it at its next start: its rules refuse the agent.
    revoked: async () => {},
    approved() {
      throw new HubError(HUB_CODES.busy, 'An answer is sent by neo watch: start it')
    },
  }
}
