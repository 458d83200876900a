/**
 * How often a client may ask: a bucket of tokens each, filled again with time. Pure but for what it counts. Invariant 1:
 * memory is bounded: of more clients than are counted, the ones longest unseen are forgotten.
 */
export interface Rate {
  /** Requests at once. */
  readonly burst: number
  readonly perSecond: number
}

export interface RateLimiter {
  /** False: too many. */
  take(key: string, now: number): boolean
}

const MOST_CLIENTS = 10_000

export function openRateLimiter({ burst, perSecond }: Rate): RateLimiter {
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
