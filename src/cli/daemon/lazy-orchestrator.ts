/**
 * An orchestrator that loads at its first use, so that it does not delay the daemon's first look. Invariant 1: it loads
 * once; an error while loading comes back at each use, and the round reports it. Invariant 2: messages that arrive
 * before it is loaded wait for it.
 */
import type { Orchestrator, ScopeOrchestrator } from '../../engine/agents/orchestrator.ts'

/** @param load called once, at the first turn or round */
export function lazyOrchestrator(load: () => Promise<Orchestrator>): Orchestrator {
  let loading: Promise<Orchestrator> | null = null
  let loaded: Orchestrator | null = null
  const get = async (): Promise<Orchestrator> => {
    loading ??= load()
    loaded = await loading
    return loaded
  }
  return {
    turn: async (room, triggers, signal) => (await get()).turn(room, triggers, signal),
    closed: () => loaded?.closed() ?? [],
    scopes: lazyScopes(get, () => loaded),
    afterRound: async (snapshot) => (await get()).afterRound(snapshot),
    close: () => loaded?.close(),
  }
}

function lazyScopes(get: () => Promise<Orchestrator>, loaded: () => Orchestrator | null): ScopeOrchestrator {
  return {
    async talk(turn, signal) {
      const { scopes } = await get()
      return (
        scopes?.talk(turn, signal) ?? { kind: 'waits', reply: '', why: 'conversations are not available' }
      )
    },
    renew: async (scope) => (await get()).scopes?.renew(scope),
    stop: (scope) => loaded()?.scopes?.stop(scope) ?? 'idle',
    closed: (scope) => loaded()?.scopes?.closed(scope) ?? [],
    // Before it is loaded, there is nothing to drop.
    drop: async (scope) => loaded()?.scopes?.drop(scope),
  }
}
