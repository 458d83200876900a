/**
 * The state machine of a task: which status Neo may turn into which. People may write any status by hand.
 * What has not ended may become a draft, because the copy of a task's file does.
 * The table in test/domain/task/transition.test.ts is the specification.
 */
import type { TaskStatus } from './task.ts'

const NEO_MAY: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  draft: [],
  pending: ['in_progress', 'blocked', 'failed', 'draft'],
  in_progress: ['pending', 'blocked', 'review', 'completed', 'failed', 'draft'],
  blocked: ['pending', 'failed', 'draft'],
  review: ['completed', 'failed', 'pending', 'draft'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** True if Neo may move a task from one status to the other. Staying is no transition and always allowed. */
export function mayMove(from: TaskStatus, to: TaskStatus): boolean {
  return from === to || NEO_MAY[from].includes(to)
}
