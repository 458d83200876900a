/**
 * Calls to agents of other homes: signed JSON-RPC requests. Invariants: 1. a request is signed for one receiver, and goes
 * only to the machine that holds its key; 2. after a challenge it is signed once more, not more often; 3. what the other
 * side says is data: a reply that is not for this request is trouble.
 */
import { randomBytes } from 'node:crypto'
import { mapIn } from '../../domain/text/is-map.ts'
import type { Peer } from '../../domain/peer/peer.ts'
import type { PeerReply, PeerTrust, PeerWire } from '../../ports/peer-port.ts'
import { signatureBase, signedHeaders } from './signature.ts'

export type Receiver = Pick<Peer, 'id' | 'endpoint' | 'publicKey' | 'certificate'>

export type PeerResult =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: unknown }
  | { readonly kind: 'trouble'; readonly why: string }

export type PeerNotified = { readonly kind: 'sent' } | Exclude<PeerResult, { readonly kind: 'result' }>

export interface CallOptions {
  readonly id: string | number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

type Call = readonly [method: string, params: object, options: CallOptions]
type Notification = readonly [method: string, params: object, options: Omit<CallOptions, 'id'>]

export interface PeerClient {
  call(peer: Receiver, ...call: Call): Promise<PeerResult>
  /** `sent`: it was taken; there is no other answer. */
  notify(peer: Receiver, ...notification: Notification): Promise<PeerNotified>
}

export interface PeerClientOptions {
  readonly wire: Pick<PeerWire, 'send' | 'sign' | 'sha256'>
  /** PEM; asked for each request. */
  readonly key: () => string
  readonly self: () => string
  /** Epoch milliseconds. */
  readonly now: () => number
}

const RPC_PATH = '/aoi/v1/rpc'
const MOST_PEERS = 1024
const EPOCH = /^[A-Za-z0-9_-]{1,64}$/
const SECONDS = /^[1-9]\d{0,11}$/
/** A clock that is further off is not corrected, but mended. */
const MOST_OFFSET_S = 24 * 3600

/** What a server said last. */
interface Known {
  /** `none`, until it has said one: the first request gets a challenge. */
  readonly epoch: string
  readonly offsetS: number
}

interface Place {
  readonly id: string
  readonly url: string
}

type Reply = Extract<PeerReply, { readonly kind: 'reply' }>
type Trouble = Extract<PeerResult, { readonly kind: 'trouble' }>

export function openPeerClient(options: PeerClientOptions): PeerClient {
  const requests = new SignedRequests(options)
  return {
    async call(peer, ...[method, params, { id, ...limits }]) {
      const reply = await requests.send(peer, JSON.stringify({ jsonrpc: '2.0', id, method, params }), limits)
      return reply.kind === 'reply' ? resultIn(reply, id) : reply
    },
    async notify(peer, ...[method, params, limits]) {
      const reply = await requests.send(peer, JSON.stringify({ jsonrpc: '2.0', method, params }), limits)
      if (reply.kind !== 'reply') return reply
      if (reply.status === 202 || reply.status === 204) return { kind: 'sent' }
      const result = resultIn(reply, null)
      return result.kind === 'result' ? trouble('a notification got a result') : result
    },
  }
}

class SignedRequests {
  private readonly known = new Map<string, Known>()

  constructor(private readonly options: PeerClientOptions) {}

  async send(peer: Receiver, body: string, limits: Omit<CallOptions, 'id'>): Promise<Reply | Trouble> {
    const { endpoint } = peer
    if (endpoint === undefined) return trouble(`${peer.id} has no endpoint in its file`)
    if (!URL.canParse(RPC_PATH, endpoint)) return trouble(`the endpoint of ${peer.id} is not an address`)
    const url = new URL(RPC_PATH, endpoint).href
    const until = performance.now() + limits.timeoutMs
    const place = { id: peer.id, url }
    const signedWith = this.knownOf(place)
    const first = await this.sendOnce(peer, { url, body, signedWith }, limits)
    if (first.kind !== 'reply' || !this.learn(place, first, signedWith)) return told(first)
    const timeoutMs = Math.max(1, until - performance.now())
    const learnt = this.knownOf(place)
    const second = await this.sendOnce(peer, { url, body, signedWith: learnt }, { ...limits, timeoutMs })
    if (second.kind === 'reply') this.learn(place, second, learnt)
    return told(second)
  }

  private knownOf({ id, url }: Place): Known {
    return this.known.get(keyOf(id, url)) ?? { epoch: 'none', offsetS: 0 }
  }

  private sendOnce(
    peer: Receiver,
    { url, body, signedWith }: { readonly url: string; readonly body: string; readonly signedWith: Known },
    { timeoutMs, signal }: Omit<CallOptions, 'id'>,
  ): Promise<PeerReply> {
    const { wire, key, self, now } = this.options
    const { epoch, offsetS } = signedWith
    const parts = {
      ...{ method: 'POST', path: RPC_PATH, digest: wire.sha256(body), to: peer.id, epoch },
      created: Math.floor(now() / 1000) + offsetS,
      nonce: randomBytes(16).toString('base64url'),
      keyid: self(),
    }
    const signed = signedHeaders(parts, wire.sign(key(), signatureBase(parts)))
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...signed }
    return wire.send({ url, method: 'POST', headers, body, trust: trustOf(peer), timeoutMs }, signal)
  }

  /** True if it is a challenge that says something new: compared with what this request was signed with. */
  private learn({ id, url }: Place, { status, headers }: Reply, before: Known): boolean {
    if (status !== 401) return false
    const key = keyOf(id, url)
    const [epoch = '', time = ''] = [headers['neo-epoch'], headers['neo-time']]
    if (!EPOCH.test(epoch) || !SECONDS.test(time)) return false
    const offsetS = Number(time) - Math.floor(this.options.now() / 1000)
    if (Math.abs(offsetS) > MOST_OFFSET_S) return false
    // Seconds that a request is under way are not a wrong clock.
    const isOff = Math.abs(offsetS - before.offsetS) > TOLERATED_S
    if (before.epoch === epoch && !isOff) return false
    this.known.delete(key)
    const [oldest] = this.known.keys()
    if (this.known.size >= MOST_PEERS && oldest !== undefined) this.known.delete(oldest)
    this.known.set(key, { epoch, offsetS: isOff ? offsetS : before.offsetS })
    return true
  }
}

const TOLERATED_S = 5

function keyOf(id: string, url: string): string {
  return `${id} ${url}`
}

function trustOf({ publicKey, certificate }: Receiver): PeerTrust {
  return {
    ...(publicKey === undefined ? {} : { publicKey }),
    ...(certificate === undefined ? {} : { certificate }),
  }
}

function told(reply: PeerReply): Reply | Trouble {
  return reply.kind === 'reply' ? reply : trouble(reply.why)
}

function trouble(why: string): Trouble {
  return { kind: 'trouble', why }
}

/** Errors may come with any status; a result only with 200 and for this id. */
function resultIn({ status, body }: Reply, id: string | number | null): PeerResult {
  const reply = mapIn(body)
  if (reply?.['jsonrpc'] !== '2.0') return trouble(`the server answered HTTP ${status}`)
  const error = reply['error'] as Readonly<Record<string, unknown>> | undefined
  const isOurs = reply['id'] === id || (error !== undefined && reply['id'] === null)
  if (!isOurs) return trouble('the reply is for another request')
  if (typeof error === 'object' && error !== null) return errorIn(error)
  if (status !== 200 || !Object.hasOwn(reply, 'result')) return trouble(`the server answered HTTP ${status}`)
  return { kind: 'result', result: reply['result'] }
}

function errorIn({ code, message, data }: Readonly<Record<string, unknown>>): PeerResult {
  if (!Number.isInteger(code) || typeof message !== 'string')
    return trouble('the error is not as JSON-RPC says')
  return { kind: 'error', code: Number(code), message, data }
}
