/**
 * Hints on their way out: the several events of one save become one hint, and a burst becomes one hint at the home.
 * Invariant: a hint is late by at most one turn of the event loop, except the one that ends a burst.
 */

/** More paths than this at once are not worth telling one by one: who hears it has to look everywhere anyway. */
const MANY = 1_000
/** The kernel's queue overflows without a word (inotify: 16,384 events); after this many, one look everywhere. */
const BURST_EVENTS = 4_000
const BURST_MS = 1_000
/** A burst has ended when nothing came for this long. */
const QUIET_MS = 250

export interface Hints {
  add(path: string): void
  stop(): void
}

/** `told` hears each hint; `afterBurst` is called when a burst, in which events may be lost, has ended. */
export function collectHints(told: (path: string) => void, afterBurst: () => void): Hints {
  const waiting = new Set<string>()
  const burst = { events: 0, since: 0 }
  let flush: NodeJS.Immediate | undefined
  let quiet: NodeJS.Timeout | undefined
  const send = () => {
    flush = undefined
    const paths = waiting.size > MANY ? [''] : [...waiting]
    waiting.clear()
    for (const path of paths) told(path)
  }
  const count = () => {
    const now = performance.now()
    if (now - burst.since > BURST_MS) Object.assign(burst, { events: 0, since: now })
    burst.events += 1
    if (quiet !== undefined) quiet.refresh()
    else if (burst.events === BURST_EVENTS) quiet = setTimeout(end, QUIET_MS)
  }
  const end = () => {
    quiet = undefined
    afterBurst()
  }
  return {
    add(path) {
      waiting.add(path)
      count()
      flush ??= setImmediate(send)
    },
    stop() {
      clearImmediate(flush)
      clearTimeout(quiet)
    },
  }
}
