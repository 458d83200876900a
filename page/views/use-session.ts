/** A session, fetched again when its state changes, and what it has used. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../store/channels.ts'
import { CODES, call, RpcError } from '../store/rpc.ts'
import type { Session } from '../store/types.ts'
import type { Cost } from './use-review.ts'

/** What `session:ID:state` carries. */
export interface SessionState {
  readonly status: string
  readonly event?: string
  readonly at?: string
  readonly question?: string
}

interface UsedSession {
  readonly session: Session | null
  readonly state: SessionState | undefined
  readonly error: string | null
}

export function useSession(id: string): UsedSession {
  const channel = useChannel<SessionState>(`session:${id}:state`)
  const state = channel.value.value
  const [session, setSession] = useState<Session | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call<Session>('session.get', { sessionId: id }, stop.signal).then(
      (found) => {
        setSession(found)
        setError(null)
      },
      (failure: Error) => {
        if (stop.signal.aborted) return
        const isGone = failure instanceof RpcError && failure.code === CODES.missing
        setError(isGone ? "This session doesn't exist, or you have no access to its room." : failure.message)
      },
    )
    return () => stop.abort()
  }, [id, state])
  return { session, state, error }
}

interface Summary {
  readonly rows: readonly {
    readonly name: string | null
    readonly tokens: number
    readonly usd: number | null
  }[]
}

/** Null if it called no model. Fetched again after each of its turns. */
export function useSessionCost({ id, roomId, startedAt, turns, status }: Session, turn: string): Cost | null {
  const [cost, setCost] = useState<Cost | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const params = { by: 'session', roomId, from: startedAt }
    call<Summary>('usage.summary', params, stop.signal).then(
      ({ rows }) => {
        const own = rows.find(({ name }) => name === id)
        setCost(own === undefined ? null : { tokens: own.tokens, usd: own.usd })
      },
      () => {},
    )
    return () => stop.abort()
  }, [id, turns, status, turn])
  return cost
}
