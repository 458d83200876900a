/**
 * Connections to peers, kept between requests. Invariants: 1. a connection is handed to a request only after its
 * certificate was checked, so no byte of a request goes to another machine; 2. a kept connection serves only requests
 * with the same trust; 3. connecting ends by its time limit. TLS sessions are not resumed: node then has no certificate.
 */
import type { ClientRequestArgs } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { PeerTrust } from '../../ports/peer-port.ts'
import { isPinned, mismatch, type SeenCertificate, seenIn } from './peer-trust.ts'

/** What requests through this agent must carry. */
export interface PinnedOptions extends https.RequestOptions {
  readonly trust: PeerTrust | null
  readonly connectMs: number
}

type Done = (error: Error | null, socket: Duplex) => void

/** The other machine isn't the one that is trusted. */
export class Untrusted extends Error {
  override readonly name = 'Untrusted'
}

const seenOn = new WeakMap<object, SeenCertificate>()

/** Of the machine at the other end; null over plain HTTP. */
export function seenBy(socket: object | null): SeenCertificate | null {
  return socket === null ? null : (seenOn.get(socket) ?? null)
}

export class PinnedAgent extends https.Agent {
  /** The key of the pool (invariant 2). */
  override getName(options?: https.RequestOptions): string {
    const trust = (options as PinnedOptions | undefined)?.trust
    return `${super.getName(options)}:${JSON.stringify([trust?.publicKey, trust?.certificate])}`
  }

  /** Calls back once the machine is known to be the right one (invariant 1). */
  override createConnection(options: ClientRequestArgs, done?: Done): undefined {
    const { trust, connectMs } = options as unknown as PinnedOptions
    const byAuthority = trust !== null && !isPinned(trust)
    const socket = super.createConnection({
      ...options,
      rejectUnauthorized: byAuthority,
    } as never) as TLSSocket
    let isDone = false
    const finish = (error: Error | null) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      if (error !== null) socket.destroy()
      done?.(error, socket)
    }
    const failed = (error: Error) => finish(byAuthority && isOfCertificate(socket) ? untrusted(error) : error)
    const timer = setTimeout(
      () => finish(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      connectMs,
    )
    // It stays: an error must find a listener also before the request has the socket.
    socket.on('error', failed)
    socket.once('close', () => finish(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      const seen = certificate === undefined ? null : seenIn(certificate)
      const why = trust === null || byAuthority ? null : mismatch(trust, seen)
      if (seen !== null) seenOn.set(socket, seen)
      finish(why === null ? null : new Untrusted(why))
    })
  }
}

/** Node says so only in this field, whose type claims that it is always set. */
function isOfCertificate(socket: TLSSocket): boolean {
  return Boolean(socket.authorizationError)
}

function untrusted(error: Error): Untrusted {
  return new Untrusted(error.message.split('\n')[0] ?? 'the certificate is not valid')
}
