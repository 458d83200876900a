/**
 * Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once. What starts returns what stops it.
 */
import { INTERRUPTED } from './cli-failure.ts'
import type { Call } from './spec.ts'

export interface Interrupt {
  readonly signal: AbortSignal
  /** Lets go of the signals. */
  release(): void
}

/** `first` is said at the first one. */
export function onInterrupt(call: Call, first: string): Interrupt {
  const abort = new AbortController()
  const release = call.around.onSignal(() => {
    if (abort.signal.aborted) call.around.exit(INTERRUPTED)
    if (first !== '') call.out.note(first)
    abort.abort('interrupted')
  })
  return { signal: abort.signal, release }
}

/** Waits so long, or until the signal aborts. */
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
