/** What all models of an opening share, and the flags that mean the same for each wire. */
import type { Provider } from '../../ports/model-port.ts'

export interface Setting {
  /** How long nothing at all may come. */
  readonly idleMs: number
  readonly now: () => number
}

/** Servers ping every few seconds; local ones may be silent while they read a long prompt. */
export const IDLE_MS = 120_000

export function idleMsOf({ flags }: Provider, { idleMs }: Setting): number {
  const seconds = flags['idle_seconds']
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : idleMs
}

export function windowOf({ flags }: Provider): number | null {
  const { window } = flags
  return typeof window === 'number' && window > 0 ? window : null
}

/** `flags: { images: true }` says that a model sees, `false` that it does not. */
export function seesOf({ flags }: Provider, otherwise: boolean): boolean {
  const { images } = flags
  return typeof images === 'boolean' ? images : otherwise
}
