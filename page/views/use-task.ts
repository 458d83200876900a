/** A task, fetched again when its card in the room's channel changes. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../store/channels.ts'
import { CODES, call, RpcError } from '../store/rpc.ts'
import type { Card, Task } from '../store/types.ts'

interface UsedTask {
  readonly task: Task | null
  /** Null while there is none. */
  readonly error: string | null
}

/** @param id any name of the task that the hub knows */
export function useTask(id: string): UsedTask {
  const [task, setTask] = useState<Task | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { value } = useChannel<{ readonly tasks: Readonly<Record<string, Card>> }>(
    task === null ? null : `room:${task.roomId}:tasks`,
  )
  const card = task === null ? undefined : value.value?.tasks[task.id ?? task.path]
  useEffect(() => {
    const stop = new AbortController()
    call<Task>('task.get', { taskId: id }, stop.signal).then(
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
  }, [id, card])
  return { task, error }
}
