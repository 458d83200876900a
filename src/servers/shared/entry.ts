/**
 * Lets requests in, for routes and for the WebSocket: host and origin, credential, rate limit, in this order. Invariant
 * 1: nothing of a request beyond its head is read before. Invariant 2: clients that guess tokens don't use up the rate
 * of those that have one. Invariant 3: a page of another origin gets nothing, whatever it knows; nor does a name that was
 * rebound to this address.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { type Bucket, take } from '../../domain/peer/rate-limit.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Credential, Credentials } from './credentials.ts'

interface Rate {
  /** Requests at once. */
  readonly burst: number
  readonly perSecond: number
}

const MOST_CLIENTS = 10_000

/** The limiter says whether this request is one too many. */
function openRateLimiter({ burst, perSecond }: Rate): (key: string, now: number) => boolean {
  const buckets = new Map<string, Bucket>()
  const rate = { requests: burst, perMs: (burst / perSecond) * 1000 }
  return (key, now) => {
    const { ok, state } = take(buckets.get(key), now, rate)
    buckets.set(key, state)
    const [oldest] = buckets.keys()
    if (buckets.size > MOST_CLIENTS && oldest !== undefined) buckets.delete(oldest)
    return !ok
  }
}

export interface RequestHead extends Head {
  /** Where the connection comes from. */
  readonly address: string
}

interface EntryOptions {
  readonly place: Place
  readonly credentials: Credentials
  readonly now: () => number
  readonly rates: Rates
}

export interface Rates {
  readonly known: Rate
  readonly unknown: Rate
}

export const RATES: Rates = {
  known: { burst: 2_000, perSecond: 500 },
  unknown: { burst: 60, perSecond: 2 },
}

export type Entered =
  | { readonly kind: 'known'; readonly credential: Credential }
  /** Passed the guard alone. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

export interface Entry {
  /** The guard alone: for what tells nothing. */
  pass(head: RequestHead): Refusal | null
  enter(head: RequestHead): Entered
  /** Whether who came in would be let in still. */
  holds(credential: Credential): boolean
  /** The same, looked at once in a turn of the event loop: an event that goes to many is checked for each. */
  stillHolds(credential: Credential): boolean
}

export function openEntry({ place, credentials, now, rates }: EntryOptions): Entry {
  const known = openRateLimiter(rates.known)
  const unknown = openRateLimiter(rates.unknown)
  const seen = new Map<string, boolean>()
  return {
    pass: (head) => guard(head, place),
    holds: (credential) => credentials.holds(credential),
    stillHolds(credential) {
      if (seen.size === 0) setImmediate(() => seen.clear())
      const holds = seen.get(credential.key) ?? credentials.holds(credential)
      seen.set(credential.key, holds)
      return holds
    },
    enter(head) {
      const refusal = guard(head, place)
      if (refusal !== null) return { kind: 'refused', refusal }
      const credential = credentials.check((name) => head.header(name))
      if (credential === null) {
        if (unknown(head.address, now())) return tooMany()
        return { kind: 'unknown' }
      }
      if (known(credential.key, now())) return tooMany()
      if (credential.by === 'cookie' && mustSayOrigin(head) && !isFromOwnPage(head))
        return refusedWith({
          status: 403,
          says: 'with a cookie, only requests from the page itself are allowed',
        })
      return { kind: 'known', credential }
    },
  }
}

/** Browsers name the page they ask from when they post, and when they open a WebSocket. */
function mustSayOrigin(head: RequestHead): boolean {
  return head.verb !== 'GET' || head.header('upgrade') !== undefined
}

function tooMany(): Entered {
  return refusedWith({ status: 429, says: 'too many requests: wait a moment and try again' })
}

function refusedWith(refusal: Refusal): Entered {
  return { kind: 'refused', refusal }
}

export function requestHead(incoming: IncomingMessage): RequestHead {
  return {
    verb: incoming.method ?? 'GET',
    path: (incoming.url ?? '/').split('?', 1)[0] ?? '/',
    address: incoming.socket.remoteAddress ?? '',
    header(name) {
      const value = incoming.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

/** Says for whom a client acts. It makes less of a credential, never more. */
export const AS_HEADER = 'neo-as'

/** Who calls: the person whose credential it is, or the model that their editor runs. */
export function principalOf(head: RequestHead, who: Principal): Principal | Refusal {
  const as = head.header(AS_HEADER)
  if (as === undefined) return who
  if (as !== 'editor') return { status: 403, says: `invalid ${AS_HEADER} header: want "editor"` }
  return who.kind === 'human' ? { kind: 'editor' } : NO_EDITOR
}

/** A model of an editor acts in all rooms: that would be more than a member may. */
export const NO_EDITOR: Refusal = { status: 403, says: "editors need the owner's token" }

/** True if it comes from this machine, and through no proxy that says otherwise. */
export function isFromHere(head: RequestHead): boolean {
  const address = head.address.replace(/^::ffff:/, '')
  const near = address === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address)
  return (
    near && ['forwarded', 'x-forwarded-for', 'x-real-ip'].every((name) => head.header(name) === undefined)
  )
}

interface Place {
  /** As it was asked to listen on. */
  readonly host: string
  readonly port: number
}

interface Head {
  readonly verb: string
  /** Without the query. */
  readonly path: string
  header(name: string): string | undefined
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 426 | 429
  readonly says: string
}

/** Bytes of a body. */
export const MOST_BODY = 1024 * 1024
/** Bytes of a file for a message. */
export const MOST_UPLOAD = 20 * 1024 * 1024
const UPLOADS = /^\/chat-files\/[^/]+$/

/** The checks that need no credential, in order. */
function guard(head: Head, place: Place): Refusal | null {
  const host = head.header('host')
  if (host === undefined || !isOurHost(host.toLowerCase(), place))
    return { status: 403, says: 'unknown Host header: use the address that neo open prints' }
  if (!isOurOrigin(head, host)) return { status: 403, says: 'cross-origin requests are not allowed' }
  return bodyRefusal(head)
}

/** The origin of our own page as this request knows us. */
function ownOrigin(head: Pick<Head, 'header'>): string {
  return `http://${head.header('host') ?? ''}`.toLowerCase()
}

/** Whether it comes from our own page by what browsers alone can say. */
function isFromOwnPage(head: Pick<Head, 'header'>): boolean {
  return head.header('origin')?.toLowerCase() === ownOrigin(head)
}

function isOurHost(host: string, place: Place): boolean {
  const [, name = '', port = '80'] = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(host) ?? []
  if (Number(port) !== place.port) return false
  const own = place.host.toLowerCase()
  if (name === '127.0.0.1' || name === 'localhost' || name === own || name === `[${own}]`) return true
  if (name === '[::1]') return isEverywhere(own)
  // A rebound name is a name; an address can only be reached as itself.
  return isEverywhere(own) && isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function isOurOrigin(head: Head, host: string): boolean {
  const origin = head.header('origin')
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return false
  const site = head.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  return isFollowedLink(head)
}

/** A link to the page somewhere else: it shows the sign-in page, since no cookie comes along. */
function isFollowedLink(head: Head): boolean {
  return (
    head.verb === 'GET' &&
    head.path === '/' &&
    head.header('sec-fetch-mode') === 'navigate' &&
    head.header('sec-fetch-dest') === 'document'
  )
}

function bodyRefusal(head: Head): Refusal | null {
  const said = head.header('content-length')
  const length = said === undefined ? 0 : Number(said)
  const most = head.verb === 'POST' && UPLOADS.test(head.path) ? MOST_UPLOAD : MOST_BODY
  if (!(length <= most)) return { status: 413, says: `the body is too large: at most ${most} bytes` }
  const takesNone = head.verb !== 'POST'
  if (takesNone && (length > 0 || head.header('transfer-encoding') !== undefined))
    return { status: 413, says: 'this request must not have a body' }
  return null
}
