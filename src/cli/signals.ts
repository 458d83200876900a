/** Ctrl-C, SIGTERM and a closed terminal: the first one asks for an orderly end, the second one ends the process at once. */
import { INTERRUPTED } from './cli-failure.ts'
import type { Call } from './spec.ts'

export interface Interrupt {
  readonly signal: AbortSignal
  /** Stops listening for signals. */
  release(): void
}

/** @param first a note that is printed at the first signal; empty for none */
export function onInterrupt(call: Call, first: string): Interrupt {
  const abort = new AbortController()
  const release = call.around.onSignal(() => {
    if (abort.signal.aborted) call.around.exit(INTERRUPTED)
    if (first !== '') call.out.note(first)
    abort.abort('interrupted')
  })
  return { signal: abort.signal, release }
}

/** Waits for some milliseconds, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
