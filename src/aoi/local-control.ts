/** Agents of other homes for a program without a daemon: it can ask them, and is asked by none. */
import type { Context } from '../engine/context.ts'
import { HUB_CODES, HubError } from '../hub/hub.ts'
import type { PeerControl } from '../hub/peer-control.ts'
import { openWay } from './parts.ts'
import { viewRequest } from './desk/request-view.ts'
import { openOwnQueries } from './out/own-queries.ts'
import { openRequests } from './desk/requests.ts'

/** Null if the program has no wire to them. */
export function openLocalControl(context: Context): PeerControl | null {
  const { world, dir } = context
  const { peers: wire, files, clock } = world
  if (wire === undefined) return null
  const now = () => clock.now()
  const { key, outgoing, ask } = openWay(context, wire)
  return {
    key: () => key.make(),
    publicKey: () => key.publicKey(),
    listening: () => ({ at: null, trouble: 'neo watch is not running' }),
    state: () => ({ status: 'offline', lastSeenAt: null }),
    requests: (most) => openRequests(files, dir).all().toReversed().slice(0, most).map(viewRequest),
    asked: (most) => openOwnQueries(files, dir, now).all(most),
    inspect: (endpoint) => outgoing.inspect(endpoint),
    discover: (peer) => outgoing.discover(peer, false),
    query(peer, of) {
      if (of.isAsync)
        throw new HubError(
          HUB_CODES.busy,
          'An answer that comes later needs neo watch: start it, or ask without async',
        )
      return ask(openOwnQueries(files, dir, now), peer, of)
    },
    execute: (peer, of) => outgoing.execute(peer, of),
    // The daemon does it at its next start: its rules refuse the agent.
    revoked: async () => {},
    approved() {
      throw new HubError(HUB_CODES.busy, 'An answer is sent by neo watch: start it')
    },
  }
}
