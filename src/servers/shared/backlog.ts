/**
 * What waits to be read by a client. Invariant 1: who waits before each text keeps at most HIGH_BYTES and one text in
 * memory, however slow the client is. Invariant 2: when the client is gone, everyone who waits is told.
 */
import type { Writable } from 'node:stream'

export interface Backlog {
  /** Resolves when there is room; rejects when the client is gone. */
  room(): Promise<void>
  free(): boolean
  /** True if nothing was read for too long. */
  stalled(): boolean
  close(): void
}

/** What may wait for one client to read it. */
export const HIGH_BYTES = 256 * 1024

export function backlogOf(stream: Writable, stalledMs: number): Backlog {
  let waiting: { go(): void; gone(why: Error): void }[] = []
  let fullSince: number | null = null
  let closed = false
  const free = (): boolean => stream.writableLength < HIGH_BYTES
  const drained = (): void => {
    fullSince = null
    const now = waiting
    waiting = []
    for (const { go } of now) go()
  }
  stream.on('drain', drained)
  return {
    async room() {
      while (!free() && !closed) {
        fullSince ??= Date.now()
        await new Promise<void>((go, gone) => waiting.push({ go, gone }))
      }
      if (closed) throw new Error('the client is gone')
    },
    free,
    stalled: () => fullSince !== null && Date.now() - fullSince > stalledMs,
    close() {
      closed = true
      stream.off('drain', drained)
      for (const { gone } of waiting.splice(0)) gone(new Error('the client is gone'))
    },
  }
}
