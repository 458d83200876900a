/** Agents with real keys, and requests that they sign. */
import { randomBytes } from 'node:crypto'
import { openPeerWire } from '../../../src/adapters/peer-wire/peer-wire.ts'
import { type SignedParts, signatureBase, signedHeaders } from '../../../src/aoi/wire/signature.ts'
import type { Peer } from '../../../src/domain/peer/peer.ts'
import type { PeerIncoming } from '../../../src/ports/peer-port.ts'

export const wire = openPeerWire()
/** A fixed time, epoch milliseconds. */
export const NOW = 1_900_000_000_000

export interface TestAgent {
  readonly privateKey: string
  readonly peer: Peer & { readonly publicKey: string }
}

export function agent(id: string, more: Partial<Peer> = {}): TestAgent {
  const { privateKey, publicKey } = wire.newKey()
  return {
    privateKey,
    peer: {
      id,
      publicKey,
      capabilities: [],
      contexts: [],
      revoked: false,
      body: '',
      ...more,
    } as TestAgent['peer'],
  }
}

/** Of the server to which a request goes, and what is signed instead of the usual. */
type Parts = Pick<SignedParts, 'epoch'> & Partial<SignedParts>

/** A request as `from` signs it, to `qa-bob`. */
export function signed(from: TestAgent, parts: Parts, body = '{}'): PeerIncoming {
  const all: SignedParts = {
    ...{ method: 'POST', path: '/aoi/v1/rpc', digest: wire.sha256(body), to: 'qa-bob' },
    ...{ created: NOW / 1000, nonce: randomBytes(16).toString('base64url'), keyid: from.peer.id },
    ...parts,
  }
  const headers = signedHeaders(all, wire.sign(from.privateKey, signatureBase(all)))
  return incoming({ method: all.method, path: all.path, headers, body })
}

export function incoming(more: Partial<PeerIncoming> = {}): PeerIncoming {
  return {
    ...{ method: 'POST', path: '/aoi/v1/rpc', headers: {}, body: '{}', remoteAddress: '192.0.2.1' },
    signal: new AbortController().signal,
    ...more,
  }
}
