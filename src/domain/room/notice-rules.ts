/**
 * Which waiting notices go to a place now: by kind, by hour, and many as one. Pure. Invariant 1: nothing is lost: what
 * is not sent and not unwanted waits. Invariant 2: an ask is never part of a digest, as its buttons belong to it alone.
 * Invariant 3: no more than MOST_A_MINUTE messages a minute but asks.
 */
import type { NoticeKind, NotifyRule } from './notice-kinds.ts'

export interface Waiting {
  readonly key: string
  readonly kind: NoticeKind
  /** ISO 8601, UTC. */
  readonly at: string
}

export interface Now {
  readonly ms: number
  /** Of the home's day. */
  readonly hour: number
  /** Messages that went to the place in the last minute. */
  readonly lately: number
}

export interface Delivery<N> {
  /** Nobody there wants to hear it. */
  readonly unwanted: readonly N[]
  readonly alone: readonly N[]
  /** One message; empty for none. */
  readonly together: readonly N[]
}

/** So many at once are told in one message, and so many messages a minute. */
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
