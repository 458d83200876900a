/** Tells those who wait that something of an agent may have changed: a task, a query, a notification from it. */
import { pause } from '../engine/bell.ts'
import type { Clock } from '../ports/world.ts'

export interface News {
  tell(agentId: string): void
  watch(agentId: string, told: () => void): () => void
  /** Resolves at the next news, after the time, or when the signal aborts. */
  wait(agentId: string, ms: number, signal?: AbortSignal): Promise<void>
  close(): void
}

export function openNews(clock: Clock): News {
  const watchers = new Map<string, Set<() => void>>()
  const tell = (agentId: string): void => {
    for (const told of [...(watchers.get(agentId) ?? [])]) told()
  }
  const watch = (agentId: string, told: () => void): (() => void) => {
    const all = watchers.get(agentId) ?? new Set()
    watchers.set(agentId, all.add(told))
    return () => {
      all.delete(told)
      if (all.size === 0) watchers.delete(agentId)
    }
  }
  return {
    tell,
    watch,
    async wait(agentId, ms, signal = new AbortController().signal) {
      let leave = (): void => {}
      const onWake = (call: () => void) => {
        leave = watch(agentId, call)
      }
      await pause(clock, ms, { signal, onWake }).finally(() => leave())
    },
    close() {
      for (const agentId of [...watchers.keys()]) tell(agentId)
    },
  }
}
