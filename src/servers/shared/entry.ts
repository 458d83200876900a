/**
 * Lets requests in, for routes and for the WebSocket: host and origin, credential, rate limit, in this order. Invariant
 * 1: nothing of a request beyond its head is read before. Invariant 2: clients that guess tokens don't use up the rate
 * of those who have one.
 */
import type { Credential, Credentials } from './credentials.ts'
import { guard, type Head, isFromOwnPage, type Place, type Refusal } from './request-checks.ts'

interface Rate {
  /** Requests at once. */
  readonly burst: number
  readonly perSecond: number
}

interface RateLimiter {
  /** False: too many. */
  take(key: string, now: number): boolean
}

const MOST_CLIENTS = 10_000

function openRateLimiter({ burst, perSecond }: Rate): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>()

  function bucketOf(key: string, now: number): { left: number; at: number } {
    const known = buckets.get(key)
    if (known !== undefined) return known
    const made = { left: burst, at: now }
    buckets.set(key, made)
    for (const oldest of buckets.keys()) {
      if (buckets.size <= MOST_CLIENTS) break
      buckets.delete(oldest)
    }
    return made
  }

  return {
    take(key, now) {
      const bucket = bucketOf(key, now)
      bucket.left = Math.min(burst, bucket.left + (Math.max(0, now - bucket.at) / 1000) * perSecond)
      bucket.at = now
      if (bucket.left < 1) return false
      bucket.left -= 1
      return true
    },
  }
}

export interface RequestHead extends Head {
  /** Where the connection comes from. */
  readonly address: string
}

export interface EntryOptions {
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
  /** The same, looked at once in a turn of the event loop: what goes to many is told to each. */
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
        if (!unknown.take(head.address, now())) return tooMany()
        return { kind: 'unknown' }
      }
      if (!known.take(credential.key, now())) return tooMany()
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
