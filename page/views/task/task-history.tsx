/** What happened to a task, newest first: commits and decisions. */
import { Timeline } from '../../parts/timeline/timeline.tsx'
import type { Task } from '../../store/types.ts'

export function TaskHistory({ task }: { readonly task: Task }) {
  const kinds = ['git', 'decision']
  return (
    <Timeline about={{ taskId: task.id ?? task.path, kinds }} version={`${task.status} ${task.updatedAt}`} />
  )
}
