/**
 * How long a session did nothing but wait for people or subagents: that does not count against its time limit.
 */
import { join } from 'node:path'
import type { World } from '../ports/world.ts'

export interface Waited {
  /** Milliseconds up to now, with a wait that has not ended. */
  total(): number
  /** Counts while `wait` runs; waits side by side count once. */
  during<T>(wait: () => Promise<T>): Promise<T>
}

interface Kept {
  readonly ms: number
  /** Epoch ms at which a wait began that has not ended. */
  readonly since: number | null
}

export function openWaited({ files, clock }: Pick<World, 'files' | 'clock'>, dir: string): Waited {
  const path = join(dir, 'waited.json')
  let kept = read(files.readJson(path))
  let waits = 0
  const keep = (next: Kept) => {
    kept = next
    files.writeJson(path, kept)
  }
  const over = () => {
    if (kept.since !== null) keep({ ms: kept.ms + clock.now() - kept.since, since: null })
  }
  return {
    total() {
      // A wait that an earlier process left: whoever asks for the time works again.
      if (waits === 0) over()
      return kept.ms + (kept.since === null ? 0 : clock.now() - kept.since)
    },
    async during(wait) {
      waits++
      if (kept.since === null) keep({ ...kept, since: clock.now() })
      // A run that is stopped or left while it waits leaves the beginning on disk: the next one continues the count.
      const value = await wait()
      waits--
      if (waits === 0) over()
      return value
    },
  }
}

function read(value: unknown): Kept {
  const { ms, since } = (value ?? {}) as { readonly ms?: unknown; readonly since?: unknown }
  return {
    ms: typeof ms === 'number' && ms >= 0 ? ms : 0,
    since: typeof since === 'number' ? since : null,
  }
}
