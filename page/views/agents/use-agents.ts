/** Agents, rules, requests and questions, asked for again when one of them may have changed. */
import { useState } from 'preact/hooks'
import { useRefresh } from '../../parts/use-refresh.ts'
import { useChannel } from '../../store/channels.ts'
import { call } from '../../store/rpc.ts'
import type { AgentList, AskedQuestion, IncomingRequest, Rules } from './agent-types.ts'

export interface AgentsData {
  readonly list: AgentList
  readonly rules: Rules
  readonly requests: readonly IncomingRequest[]
  readonly asked: readonly AskedQuestion[]
}

const PAUSE_MS = 500
const LIMIT = { limit: 50 }

/** @param on false asks nothing */
export function useAgents(on: boolean): { readonly data: AgentsData | null; readonly error: string | null } {
  const [data, setData] = useState<AgentsData | null>(null)
  const [error, setError] = useState<string | null>(null)
  const version = useVersion(on)
  const ask = async (signal: AbortSignal) => {
    try {
      const [list, rules, requests, asked] = await Promise.all([
        call<AgentList>('agent.list', {}, signal),
        call<Rules>('access.rules', {}, signal),
        call<readonly IncomingRequest[]>('agent.requests', LIMIT, signal),
        call<readonly AskedQuestion[]>('agent.asked', LIMIT, signal),
      ])
      setData({ list, rules, requests, asked })
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
