/**
 * The messages of each peer, by the task that each started: for history and conversations (`contextId`), which the core
 * doesn't keep. In memory only: after a restart, tasks are found without them. Oldest ones are dropped first.
 */
import type { TaskState } from './task-object.ts'

export interface SentMessage {
  readonly taskId: string
  readonly contextId: string
  readonly kind: 'query' | 'task' | 'rejected'
  readonly messageId: string
  readonly parts: readonly object[]
  /** Why it was refused. */
  readonly refused?: string
  /** When its state was first seen as it is now, ISO 8601. */
  at: string
  state: TaskState | null
}

export interface SentMessages {
  /** Keeps the first of the same task. */
  add(peer: string, message: SentMessage): void
  get(peer: string, taskId: string): SentMessage | undefined
  /** Queries and refused messages: tasks are listed by the core. */
  unlisted(peer: string): readonly SentMessage[]
}

/** Of one peer. */
const MOST = 200
/** UTF-16 units of the parts of one peer. */
const LENGTH = 1024 * 1024

interface Kept {
  readonly message: SentMessage
  readonly length: number
}

export function openSentMessages(): SentMessages {
  const peers = new Map<string, { readonly kept: Map<string, Kept>; length: number }>()

  function of(peer: string): { readonly kept: Map<string, Kept>; length: number } {
    const known = peers.get(peer) ?? { kept: new Map<string, Kept>(), length: 0 }
    peers.set(peer, known)
    return known
  }

  return {
    add(peer, message) {
      const own = of(peer)
      if (own.kept.has(message.taskId)) return
      const length = JSON.stringify(message.parts).length
      own.kept.set(message.taskId, { message, length })
      own.length += length
      for (const [id, oldest] of own.kept) {
        if (own.kept.size <= MOST && own.length <= LENGTH) break
        own.kept.delete(id)
        own.length -= oldest.length
      }
    },
    get: (peer, taskId) => peers.get(peer)?.kept.get(taskId)?.message,
    unlisted: (peer) =>
      [...(peers.get(peer)?.kept.values() ?? [])]
        .map(({ message }) => message)
        .filter(({ kind }) => kind !== 'task'),
  }
}
