/**
 * Settings of `memory:` in neo.yaml, with defaults that more than one place needs. An invalid duration counts as absent.
 */
import type { HomeConfig } from '../domain/home/home-config.ts'
import { msOf } from '../files/values/duration.ts'

/** A key of `memory:` in neo.yaml; undefined if it is absent. */
export function memorySetting(config: HomeConfig, key: string): unknown {
  return (config.rest['memory'] as Readonly<Record<string, unknown>> | undefined)?.[key]
}

/** `memory.sync_every`. */
export function syncEveryMs(config: HomeConfig): number {
  const said = memorySetting(config, 'sync_every')
  return (typeof said === 'string' ? msOf(said) : undefined) ?? SYNC_EVERY_MS
}

const SYNC_EVERY_MS = 600_000

/** `memory.distill_every`. */
export function distillEvery(config: HomeConfig): number {
  return Number(memorySetting(config, 'distill_every') ?? 20)
}
