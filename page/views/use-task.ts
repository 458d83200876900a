/** A task, fetched again when its card changes, or what it waits for. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../store/channels.ts'
import { CODES, call, RpcError } from '../store/rpc.ts'
import type { Card, Inbox, Request, RoomBrief, WholeTask } from '../store/types.ts'

interface UsedTask {
  readonly task: WholeTask | null
  /** Null while there is none. */
  readonly error: string | null
}

/** @param id any name of the task that the hub knows */
export function useTask(id: string): UsedTask {
  const [task, setTask] = useState<WholeTask | null>(null)
  const [error, setError] = useState<string | null>(null)
  const news = useNews(task)
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
  }, [id, ...news])
  return { task, error }
}

interface Cards {
  readonly tasks: Readonly<Record<string, Card>>
  readonly room: Readonly<Record<string, RoomBrief>>
}

/** Values of which one is another when the task has to be fetched again. */
function useNews(task: WholeTask | null): readonly [Card | undefined, string] {
  const { value } = useChannel<Cards>(task === null ? null : `room:${task.roomId}:tasks`)
  const lobby = useChannel<{ readonly rooms: Readonly<Record<string, RoomBrief>> }>('lobby:rooms')
  const requests = useRequests(task)
  const cards = value.value
  const card = task === null ? undefined : cards?.tasks[task.id ?? task.path]
  const asked = requests.map(({ id }) => id).join(' ')
  if (task === null || (task.waitsFor.length === 0 && task.status !== 'pending')) return [card, asked]
  const rooms = Object.values(lobby.value.value?.rooms ?? {})
  const working = rooms.map(({ status, tasks }) => `${status} ${tasks.in_progress ?? 0}`)
  const others = task.waitsFor.flatMap(({ links }) => links.map(({ id }) => cards?.tasks[id]?.status ?? ''))
  return [card, [asked, ...working, ...others].join(',')]
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
