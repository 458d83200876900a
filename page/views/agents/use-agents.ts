/** Agents, rules and requests, asked for again when one of them may have changed. */
import { useState } from 'preact/hooks'
import { useRefresh } from '../../parts/use-refresh.ts'
import { useChannel } from '../../store/channels.ts'
import { call } from '../../store/rpc.ts'
import type { AgentList, IncomingRequest, Rules } from './agent-types.ts'

export interface AgentsData {
  readonly list: AgentList
  readonly rules: Rules
  readonly requests: readonly IncomingRequest[]
}

const PAUSE_MS = 500
const MOST_REQUESTS = 50

/** @param on false asks nothing */
export function useAgents(on: boolean): { readonly data: AgentsData | null; readonly error: string | null } {
  const [data, setData] = useState<AgentsData | null>(null)
  const [error, setError] = useState<string | null>(null)
  const version = useVersion(on)
  const ask = async (signal: AbortSignal) => {
    try {
      const [list, rules, requests] = await Promise.all([
        call<AgentList>('agent.list', {}, signal),
        call<Rules>('access.rules', {}, signal),
        call<readonly IncomingRequest[]>('agent.requests', { limit: MOST_REQUESTS }, signal),
      ])
      setData({ list, rules, requests })
      setError(null)
    } catch (failed) {
      if (!signal.aborted) setError(failed instanceof Error ? failed.message : String(failed))
    }
  }
  useRefresh(ask, { key: on ? 'agents' : null, version, pauseMs: PAUSE_MS })
  return { data, error }
}

interface Decision {
  readonly act?: string
  readonly hash?: string
}

/** Agents and their requests tell of themselves; files of agents and neo.yaml change with a commit or a decision. */
function useVersion(on: boolean): string {
  const agents = useChannel<{ readonly count: number }>(on ? 'agents' : null)
  const activity = useChannel<unknown>(on ? 'activity' : null)
  const audit = useChannel<readonly Decision[]>(on ? 'audit' : null)
  const last = audit.value.value?.findLast(({ act }) => act !== undefined && !act.startsWith('see'))
  return JSON.stringify([agents.value.value ?? null, activity.value.value ?? null, last?.hash ?? null])
}
