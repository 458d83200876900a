/**
 * Which notices a place wants, and which it gets now: by kind, by hour, alone or as one digest.
 * Invariant 1: nothing is lost: a wanted notice that isn't sent now stays in the queue.
 * Invariant 2: a request is never part of a digest, because its buttons belong to it alone.
 * Invariant 3: at most MOST_A_MINUTE messages a minute, requests aside.
 */

/** `results`: completed work; `words`: messages that Neo sends on its own. */
export const NOTICE_KINDS = ['asks', 'reviews', 'results', 'failures', 'problems', 'words'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export interface NotifyRule {
  /** Null: all. */
  readonly what: readonly NoticeKind[] | null
  /** Hours of the home's day, from the first until the second, in which nothing is sent; `22-7` in files. */
  readonly quiet: readonly [number, number] | null
  /** Collect notices for this time and send them as one message; 0: send each at once. */
  readonly digestMs: number
}

interface Waiting {
  readonly key: string
  readonly kind: NoticeKind
  /** ISO 8601, UTC. */
  readonly at: string
}

interface Now {
  readonly ms: number
  /** Of the home's day. */
  readonly hour: number
  /** Messages that went to the place in the last minute. */
  readonly lately: number
}

interface Delivery<N> {
  /** Not wanted by any rule of the place; dropped. */
  readonly unwanted: readonly N[]
  readonly alone: readonly N[]
  /** One message; empty for none. */
  readonly together: readonly N[]
}

/** Notices beyond this number become one digest; also the limit of messages a minute. */
const MOST_A_MINUTE = 4

export function deliveryOf<N extends Waiting>(
  waiting: readonly N[],
  rulesOf: (notice: N) => readonly NotifyRule[],
  { ms, hour, lately }: Now,
): Delivery<N> {
  const unwanted: N[] = []
  const asks: N[] = []
  const others: N[] = []
  const gathered: N[] = []
  for (const notice of waiting) {
    const rules = rulesOf(notice)
    const { kind } = notice
    if (rules.some(({ what }) => what !== null && !what.includes(kind))) unwanted.push(notice)
    else if (rules.some(({ quiet }) => isQuiet(quiet, hour))) continue
    else if (kind === 'asks') asks.push(notice)
    else if (rules.some(({ digestMs }) => digestMs > 0)) gathered.push(notice)
    else others.push(notice)
  }
  const isDue = gathered.some((notice) => ms - Date.parse(notice.at) >= longest(rulesOf(notice)))
  const ready = isDue ? [...gathered, ...others] : others
  const isFull = lately >= MOST_A_MINUTE
  const isMany = isDue || ready.length >= MOST_A_MINUTE - lately
  return {
    unwanted,
    alone: isMany || isFull ? asks : [...asks, ...ready],
    together: isMany && !isFull ? ready : [],
  }
}

function longest(rules: readonly NotifyRule[]): number {
  return Math.max(0, ...rules.map(({ digestMs }) => digestMs))
}

/** Both hours the same: never. */
export function isQuiet(quiet: readonly [number, number] | null, hour: number): boolean {
  if (quiet === null) return false
  const [from, to] = quiet
  return from <= to ? hour >= from && hour < to : hour >= from || hour < to
}
