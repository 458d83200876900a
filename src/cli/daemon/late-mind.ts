/**
 * A mind that loads when it is first needed: after the daemon has looked once, so that it is ready as soon as without
 * one. Invariant 1: it is loaded once; what fails at loading fails again at each use, and is said by the round.
 * Invariant 2: who speaks before it is loaded waits for it, and is not told that nobody listens.
 */
import type { Orchestrator, ScopeOrchestrator } from '../../engine/agents/orchestrator.ts'

/** @param load called once, at the first turn or round */
export function lateMind(load: () => Promise<Orchestrator>): Orchestrator {
  let loading: Promise<Orchestrator> | null = null
  let loaded: Orchestrator | null = null
  const mind = async (): Promise<Orchestrator> => {
    loading ??= load()
    loaded = await loading
    return loaded
  }
  return {
    turn: async (room, triggers, signal) => (await mind()).turn(room, triggers, signal),
    closed: () => loaded?.closed() ?? [],
    scopes: lateScopes(mind, () => loaded),
    afterRound: async (snapshot, hints) => (await mind()).afterRound(snapshot, hints),
    close: () => loaded?.close(),
  }
}

function lateScopes(mind: () => Promise<Orchestrator>, loaded: () => Orchestrator | null): ScopeOrchestrator {
  return {
    async talk(turn, signal) {
      const { scopes } = await mind()
      return scopes?.talk(turn, signal) ?? { kind: 'waits', reply: '', why: 'nobody listens here' }
    },
    renew: async (scope) => (await mind()).scopes?.renew(scope),
    stop: (scope) => loaded()?.scopes?.stop(scope) ?? 'idle',
    closed: (scope) => loaded()?.scopes?.closed(scope) ?? [],
    // Before it is loaded, nothing is held in memory.
    drop: async (scope) => loaded()?.scopes?.drop(scope),
  }
}
