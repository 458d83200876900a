/** A clock that is moved by hand: `pass` fires what falls due, in order. */
import type { Clock } from '../../src/ports/world.ts'

export interface HandClock extends Clock {
  pass(ms: number): void
  /** How many timers wait. */
  waiting(): number
}

export function handClock(at = Date.parse('2026-03-02T09:00:00Z')): HandClock {
  const due = new Map<number, { readonly at: number; readonly call: () => void }>()
  let [now, last] = [at, 0]
  return {
    now: () => now,
    after(ms, call) {
      const id = ++last
      due.set(id, { at: now + ms, call })
      return () => void due.delete(id)
    },
    pass(ms) {
      now += ms
      for (const [id, one] of [...due].sort(([, a], [, b]) => a.at - b.at))
        if (one.at <= now && due.delete(id)) one.call()
    },
    waiting: () => due.size,
  }
}
