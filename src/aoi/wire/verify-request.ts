/**
 * Who sends a request. Invariants: 1. no reply and no amount of work tells whether an agent exists: an unknown, revoked or
 * keyless agent, a wrong signature, body or receiver give one text after one signature check; challenges come before the
 * agent is looked up; 2. a request counts once: its nonce is remembered while its time is accepted, and the epoch is as old
 * as this memory; 3. failed attempts are limited by address, which shuts nobody out who shares it and signs rightly; 4. Tailscale headers count only from
 * loopback, if the listener is reached through a proxy.
 */
import { randomBytes } from 'node:crypto'
import type { Peer } from '../../domain/peer/peer.ts'
import type { PeerIncoming, PeerWire } from '../../ports/peer-port.ts'
import { countedAddress, FailedAttempts, isLoopback } from './failed-attempts.ts'
import { SeenNonces, WINDOW_S } from './seen-nonces.ts'
import { parseSignature, type SignedParts, signatureBase } from './signature.ts'

export type Verified =
  | { readonly kind: 'ok'; readonly peer: Peer }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      /** As JSON-RPC errors have it. */
      readonly code: number
      readonly message: string
    }

/** The id of the agent with this token; null: nobody's. */
export type Bearer = (token: string) => string | null

interface VerifierOptions {
  readonly peers: () => readonly Peer[]
  /** The one with an id; absent: looked up in `peers`. */
  readonly peer?: (id: string) => Peer | null
  readonly wire: Pick<PeerWire, 'newKey' | 'verify' | 'sha256'>
  readonly self: () => string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Whether a local Tailscale proxy may be in front; absent: no. */
  readonly tailscale?: () => boolean
}

const DENIED = -32001
const RATE_LIMIT = -32006

export class Verifier {
  /** Random. Each verifier has its own, since it remembers nonces of no other (invariant 2). */
  readonly epoch = randomBytes(18).toString('base64url')
  private readonly nonces = new SeenNonces()
  private readonly failures = new FailedAttempts()
  /** Checked for agents without a key, so that they cost the same (invariant 1). */
  private readonly dummyKey: string

  constructor(private readonly options: VerifierOptions) {
    this.dummyKey = options.wire.newKey().publicKey
  }

  /** @param bearer tokens count as well, on paths for clients that can't sign */
  verify(incoming: PeerIncoming, bearer?: Bearer): Verified {
    const now = this.options.now()
    const address = countedAddress(incoming)
    const waitS = this.failures.waitS(address, now)
    // A signature can't be guessed, so one more is checked. A token is not even looked up.
    const isChecked = waitS === 0 || parseSignature(incoming).kind === 'signed'
    const verified = isChecked ? this.authenticate(incoming, bearer) : 'failed'
    if (verified !== 'failed') return verified
    if (waitS > 0) return tooMany(waitS)
    this.failures.failed(address, now)
    return this.challenge('Authentication failed')
  }

  private authenticate(incoming: PeerIncoming, bearer: Bearer | undefined): Verified | 'failed' {
    const parsed = parseSignature(incoming)
    switch (parsed.kind) {
      case 'signed':
        return this.bySignature(incoming, parsed.parts, parsed.signature)
      case 'malformed':
        return 'failed'
      case 'unsigned':
        return this.byProxy(incoming) ?? this.byToken(incoming, bearer)
    }
  }

  private bySignature(incoming: PeerIncoming, parts: SignedParts, signature: string): Verified | 'failed' {
    const { wire, self } = this.options
    const nowS = Math.floor(this.options.now() / 1000)
    if (parts.epoch !== this.epoch) return this.challenge('Sign again with this epoch')
    if (Math.abs(parts.created - nowS) > WINDOW_S) return this.challenge('Sign again with this time')
    const peer = this.peerOf(parts.keyid)
    const isSigned = wire.verify(peer?.publicKey ?? this.dummyKey, signatureBase(parts), signature)
    const isWhole = wire.sha256(incoming.body) === parts.digest
    if (peer?.publicKey === undefined || !isSigned || !isWhole || parts.to !== self()) return 'failed'
    switch (this.nonces.take(peer.id, parts, nowS)) {
      case 'new':
        return { kind: 'ok', peer }
      case 'late':
        return this.challenge('Sign again with this time')
      case 'seen':
        return 'failed'
    }
  }

  /** Null if no proxy is in front, or it says nothing. */
  private byProxy({ headers, remoteAddress }: PeerIncoming): Verified | 'failed' | null {
    const node = headers['tailscale-node-id']
    if (node === undefined || this.options.tailscale?.() !== true || !isLoopback(remoteAddress)) return null
    const peer = node === '' ? null : this.peerBy(({ tailscaleNodeId }) => tailscaleNodeId === node)
    return peer === null ? 'failed' : { kind: 'ok', peer }
  }

  private byToken({ headers }: PeerIncoming, bearer: Bearer | undefined): Verified | 'failed' {
    const token = /^Bearer ([\w.~+/=-]{16,512})$/i.exec(headers['authorization'] ?? '')?.[1]
    const id = token === undefined ? null : (bearer?.(token) ?? null)
    const peer = id === null ? null : this.peerOf(id)
    return peer === null ? 'failed' : { kind: 'ok', peer }
  }

  private peerOf(id: string): Peer | null {
    if (this.options.peer === undefined) return this.peerBy((one) => one.id === id)
    const found = this.options.peer(id)
    return found === null || found.revoked ? null : found
  }

  /** Null also if it is revoked, or more than one fits. */
  private peerBy(fits: (peer: Peer) => boolean): Peer | null {
    const [first, ...more] = this.options.peers().filter(fits)
    return first === undefined || more.length > 0 || first.revoked ? null : first
  }

  /** Both headers, so that a client that signs again gets both right. */
  private challenge(message: string): Verified {
    const headers = {
      'neo-epoch': this.epoch,
      'neo-time': String(Math.floor(this.options.now() / 1000)),
      'www-authenticate': 'Signature realm="neo"',
    }
    return { kind: 'refused', status: 401, headers, code: DENIED, message }
  }
}

function tooMany(seconds: number): Verified {
  return {
    kind: 'refused',
    status: 429,
    headers: { 'retry-after': String(seconds) },
    code: RATE_LIMIT,
    message: 'Too many failed attempts',
  }
}
