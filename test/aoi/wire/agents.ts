/** Two agents that talk over real sockets of this machine. */
import { onTestFinished } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { openPeerWire } from '../../../src/adapters/peer-wire/peer-wire.ts'
import {
  type AgentRoutes,
  type AgentServerOptions,
  openAgentServer,
} from '../../../src/aoi/wire/agent-server.ts'
import { openPeerClient, type PeerClient, type Receiver } from '../../../src/aoi/wire/peer-client.ts'
import { Verifier } from '../../../src/aoi/wire/verify-request.ts'
import type { Peer } from '../../../src/domain/peer/peer.ts'
import { agent, type TestAgent, wire } from './signed.ts'

export const alice = agent('eng-alice')
export const bob = agent('qa-bob')
export const LIMITS = { id: 1, timeoutMs: 60_000 }

export interface Serving {
  readonly peers?: () => readonly Peer[]
  readonly now?: () => number
  readonly routes?: Partial<AgentRoutes>
  readonly options?: Partial<AgentServerOptions>
  readonly port?: number
  readonly as?: TestAgent
  readonly wire?: typeof wire
}

export interface Bob {
  readonly port: number
  readonly url: string
  /** As alice's file says. */
  readonly receiver: Receiver
  readonly verifier: Verifier
  /** Ids of the peers whose requests reached the route of AOI. */
  readonly reached: string[]
  close(): Promise<void>
}

/** Bob's server, on a free port of 127.0.0.1; it answers with the id of who asks. */
export async function serveBob(of: Serving = {}): Promise<Bob> {
  const { peers = () => [alice.peer], now = Date.now, as = bob, port = 0 } = of
  const verifier = new Verifier({ peers, wire, self: () => 'qa-bob', now })
  const reached: string[] = []
  const listening = await openAgentServer({
    wire: of.wire ?? wire,
    config: { id: 'qa-bob', host: '127.0.0.1', port, tls: 'self' },
    key: as.privateKey,
    certificate: await wire.certificateOf(as.privateKey, 'qa-bob'),
    verify: (incoming, bearer) => verifier.verify(incoming, bearer),
    routes: {
      async rpc(peer, body) {
        reached.push(peer.id)
        const { id } = JSON.parse(body)
        if (id === undefined) return { status: 202, body: '' }
        return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: peer.id }) }
      },
      a2a: async (peer) => ({ status: 200, body: JSON.stringify({ a2a: peer.id }) }),
      card: (peer) => JSON.stringify({ card: peer?.id ?? null }),
      ...of.routes,
    },
    files: openFiles(),
    home: '/',
    ...of.options,
  })
  onTestFinished(() => listening.close())
  const url = `https://127.0.0.1:${listening.port}`
  const receiver = { id: 'qa-bob', endpoint: url, publicKey: bob.peer.publicKey }
  return { port: listening.port, url, receiver, verifier, reached, close: () => listening.close() }
}

/** A client with connections of its own. */
export function clientOf(of: TestAgent, now: () => number = Date.now): PeerClient {
  return openPeerClient({ wire: openPeerWire(), key: () => of.privateKey, self: () => of.peer.id, now })
}
