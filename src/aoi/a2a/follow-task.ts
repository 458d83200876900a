/**
 * Waits for changes of a task, for a bounded time: until it is settled, or as a stream of server-sent events.
 * Invariant: what begins to watch ends it, also if the client is gone.
 */
import type { AgentCore } from '../agent-core.ts'
import { type RpcId, resultText } from './a2a-envelope.ts'
import { contextIdOf, findTask, type TaskParts, taskObject } from './a2a-tasks.ts'
import { isSettled, isTerminal, statusObject, type TaskNow } from './task-object.ts'

export interface FollowLimits {
  /** Streams and blocking calls of one peer. */
  readonly perPeer: number
  /** A blocking call gives the task as it is after this time. */
  readonly waitMs: number
  /** A stream ends after this time; the client can subscribe again. */
  readonly streamMs: number
  /** A comment is sent if nothing else was, so that proxies keep the connection open. */
  readonly pingMs: number
}

export const FOLLOW_LIMITS: FollowLimits = {
  perPeer: 16,
  waitMs: 50_000,
  streamMs: 30 * 60_000,
  pingMs: 20_000,
}

/** Whose task is followed, and until when. */
export interface Follow {
  readonly peer: string
  readonly task: TaskNow
  readonly signal: AbortSignal
  readonly limits: FollowLimits
}

/** The task when it is settled, or as it is when the time is over or the client is gone. Throws A2aError. */
export async function untilSettled(parts: TaskParts, follow: Follow): Promise<TaskNow> {
  const { peer, signal, limits } = follow
  let { task } = follow
  if (isSettled(task.state)) return task
  const changes = watchChanges(parts.core, peer, signal)
  const timer = setTimeout(changes.stop, limits.waitMs)
  try {
    do {
      task = (await findTask(parts, peer, task.id)) ?? task
    } while (!isSettled(task.state) && (await changes.next(limits.waitMs)) !== 'over')
    return task
  } finally {
    clearTimeout(timer)
    changes.stop()
  }
}

/** Events until the task has ended. The first has the whole task. */
export async function* taskEvents(
  parts: TaskParts,
  follow: Follow & { readonly id: RpcId },
): AsyncGenerator<string> {
  const { peer, signal, limits, id } = follow
  const changes = watchChanges(parts.core, peer, signal)
  const timer = setTimeout(changes.stop, limits.streamMs)
  try {
    let task = (await findTask(parts, peer, follow.task.id)) ?? follow.task
    yield sse(id, { task: taskObject(parts, peer, { task, artifacts: true }) })
    while (!isTerminal(task.state)) {
      const what = await changes.next(limits.pingMs)
      if (what === 'over') return
      if (what === 'quiet') {
        yield ': ping\n\n'
        continue
      }
      const later = await findTask(parts, peer, task.id)
      if (later === null) return
      for (const update of updatesBetween([task, later], contextIdOf(parts, peer, task.id)))
        yield sse(id, update)
      task = later
    }
  } finally {
    clearTimeout(timer)
    changes.stop()
  }
}

function sse(id: RpcId, result: object): string {
  return `data: ${resultText(id, result)}\n\n`
}

/** Artifacts first: after a terminal state, nothing follows. */
function updatesBetween([before, after]: readonly [TaskNow, TaskNow], contextId: string): readonly object[] {
  const updates: object[] = []
  const known = new Set(before.artifacts.map((artifact) => JSON.stringify(artifact)))
  for (const artifact of after.artifacts)
    if (!known.has(JSON.stringify(artifact)))
      updates.push({
        artifactUpdate: { taskId: after.id, contextId, artifact, append: false, lastChunk: true },
      })
  if (after.state !== before.state || after.text !== before.text)
    updates.push({ statusUpdate: { taskId: after.id, contextId, status: statusObject(after, contextId) } })
  return updates
}

interface Changes {
  /** `over`: stopped, or the client is gone. Changes between two calls are one. */
  next(ms: number): Promise<'changed' | 'quiet' | 'over'>
  stop(): void
}

function watchChanges(core: AgentCore, peer: string, signal: AbortSignal): Changes {
  let isChanged = false
  let isOver = signal.aborted
  let wake = (): void => {}
  const unwatch = core.watch(peer, () => {
    isChanged = true
    wake()
  })
  const stop = (): void => {
    isOver = true
    unwatch()
    signal.removeEventListener('abort', stop)
    wake()
  }
  signal.addEventListener('abort', stop)
  return {
    stop,
    async next(ms) {
      if (!isChanged && !isOver)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      if (isOver) return 'over'
      const what = isChanged ? 'changed' : 'quiet'
      isChanged = false
      return what
    },
  }
}

/** Streams and blocking calls that a peer has open. */
export interface OpenFollows {
  /** Null: too many. Gives what ends it, which may be called twice. */
  begin(peer: string): (() => void) | null
}

export function countFollows(most: number): OpenFollows {
  const open = new Map<string, number>()
  return {
    begin(peer) {
      const count = open.get(peer) ?? 0
      if (count >= most) return null
      open.set(peer, count + 1)
      let isOpen = true
      return () => {
        if (!isOpen) return
        isOpen = false
        const left = (open.get(peer) ?? 1) - 1
        if (left === 0) open.delete(peer)
        else open.set(peer, left)
      }
    },
  }
}
