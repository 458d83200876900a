/**
 * Wakes the daemon's loop: collects hints and due times while the loop works, and hands them over at once. A ring during
 * work is never lost: the next wait ends at once.
 */
import type { Clock } from '../ports/world.ts'

export interface Bell {
  /** Wakes the loop, to look at this path. */
  ring(path?: string): void
  /** Wakes the loop for a full look. */
  ringAll(): void
  /** Resolves with the paths to look at: at the next ring, at `at` (epoch ms), or when the signal aborts. */
  wait(at: number | null, signal: AbortSignal): Promise<'all' | ReadonlySet<string>>
}

/** More hinted paths (a checkout) make one full look cheaper. */
const BURST = 500

export function openBell(clock: Clock): Bell {
  let hints = new Set<string>()
  let all = false
  let rung = false
  let wake: (() => void) | null = null

  function ring(): void {
    rung = true
    wake?.()
  }

  return {
    ring(path) {
      if (path !== undefined) hints.add(path)
      if (hints.size > BURST) all = true
      ring()
    },
    ringAll() {
      all = true
      ring()
    },
    async wait(at, signal) {
      const ms = at === null ? null : at - clock.now()
      if (!rung) await pause(clock, ms, { signal, onWake: (call) => (wake = call) })
      wake = null
      rung = false
      const seen = all ? 'all' : hints
      all = false
      hints = new Set()
      return seen
    },
  }
}

/** Resolves after `ms` (null: never by itself), when the signal aborts, or at the call that `onWake` gets. */
export function pause(
  clock: Clock,
  ms: number | null,
  { signal, onWake }: { readonly signal: AbortSignal; readonly onWake?: (call: () => void) => void },
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel?.()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = ms === null ? null : clock.after(Math.max(0, ms), end)
    signal.addEventListener('abort', end)
    onWake?.(end)
    if (signal.aborted) end()
  })
}
