/** A task, fetched again when it has changed, or what it waits for. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../../store/channels.ts'
import { CODES, call, RpcError } from '../../store/rpc.ts'
import type { Inbox, Request, WholeTask } from '../../store/types.ts'

interface UsedTask {
  readonly task: WholeTask | null
  /** Null while there is none. */
  readonly error: string | null
  /** Another one when something about the task is new. */
  readonly stamp: string
}

interface Stamped {
  readonly task: Readonly<Record<string, { readonly stamp: string }>>
}

/** @param id any name of the task that the hub knows */
export function useTask(id: string): UsedTask {
  const [task, setTask] = useState<WholeTask | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { value } = useChannel<Stamped>(task === null ? null : `task:${task.id ?? task.path}:state`)
  const stamp = Object.values(value.value?.task ?? {})[0]?.stamp
  useEffect(() => {
    const stop = new AbortController()
    call<WholeTask>('task.get', { taskId: id }, stop.signal).then(
      (found) => {
        setTask(found)
        setError(null)
      },
      (failure: Error) => {
        if (stop.signal.aborted) return
        const isGone = failure instanceof RpcError && failure.code === CODES.missing
        setError(isGone ? "This task doesn't exist, or you have no access to its room." : failure.message)
      },
    )
    return () => stop.abort()
  }, [id, stamp])
  return { task, error, stamp: stamp ?? '' }
}

/** Open requests about the task. */
export function useRequests(task: WholeTask | null): readonly Request[] {
  const { value } = useChannel<Inbox>('inbox')
  if (task === null) return []
  return Object.values(value.value?.requests ?? {}).filter(
    ({ taskId, sessionId }) =>
      (taskId !== null && taskId === task.id) || (sessionId !== null && sessionId === task.sessionId),
  )
}
