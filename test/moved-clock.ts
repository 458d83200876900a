/** Time that a test moves: what is due runs then, in its order. */
import type { Clock } from '../src/ports/world.ts'

export class MovedClock implements Clock {
  private readonly due = new Map<object, { readonly at: number; readonly call: () => void }>()

  constructor(private at = Date.UTC(2026, 0, 5, 12)) {}

  now(): number {
    return this.at
  }

  after(ms: number, call: () => void): () => void {
    const key = {}
    this.due.set(key, { at: this.at + ms, call })
    return () => void this.due.delete(key)
  }

  /** How many wait. */
  get waiting(): number {
    return this.due.size
  }

  async move(ms: number): Promise<void> {
    await settled()
    const end = this.at + ms
    for (;;) {
      const [next] = [...this.due].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)
      if (next === undefined) break
      this.due.delete(next[0])
      this.at = Math.max(this.at, next[1].at)
      next[1].call()
      await settled()
    }
    this.at = end
  }
}

/** What follows without waiting for the world has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}
