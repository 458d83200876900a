/** What a change of status on the board means: the hub method that does it, or why it can't be done by hand. */
import { call } from '../../store/rpc.ts'
import type { Card, TaskStatus } from '../../store/types.ts'

const ENDED: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled'])

/** Null if a person doesn't set this status by hand. */
export function moveTo({ id, status }: Card, to: TaskStatus): (() => Promise<unknown>) | null {
  if (status === to) return null
  switch (to) {
    case 'draft':
      return status === 'pending'
        ? () => call('task.update', { taskId: id, updates: { status: 'draft' } })
        : null
    case 'pending':
      return ENDED.has(status) || status === 'blocked'
        ? () => call('task.retry', { taskId: id })
        : () => call('task.update', { taskId: id, updates: { status: 'pending' } })
    case 'in_progress':
      return status === 'pending' || status === 'blocked' ? () => call('task.start', { taskId: id }) : null
    case 'completed':
      return status === 'in_progress' || status === 'pending'
        ? () => call('task.complete', { taskId: id })
        : null
    case 'cancelled':
      return ENDED.has(status) ? null : () => call('task.cancel', { taskId: id })
    case 'blocked':
    case 'review':
    case 'failed':
      return null
  }
}
