/** A session, fetched again when its state changes: also after each of its turns, which cost something. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../../store/channels.ts'
import { CODES, call, RpcError } from '../../store/rpc.ts'
import type { WholeSession } from '../../store/types.ts'

/** What `session:ID:state` carries. */
export interface SessionState {
  readonly status: string
  readonly event?: string
  readonly at?: string
  readonly question?: string
}

interface UsedSession {
  readonly session: WholeSession | null
  readonly state: SessionState | undefined
  readonly error: string | null
}

export function useSession(id: string): UsedSession {
  const channel = useChannel<SessionState>(`session:${id}:state`)
  const state = channel.value.value
  const [session, setSession] = useState<WholeSession | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call<WholeSession>('session.get', { sessionId: id }, stop.signal).then(
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
