/** A commit of a task, as a link to what it changed. */
import { addressOf } from '../../store/routes.ts'
import type { WholeTask } from '../../store/types.ts'

interface CommitLinkProps {
  readonly task: WholeTask
  readonly commit: string | null
}

export function CommitLink({ task, commit }: CommitLinkProps) {
  if (commit === null) return null
  return (
    <a class="small" href={addressOf('commit', `${task.id ?? task.path}/${commit}`)} title="What it changed">
      <code>{commit.slice(0, 8)}</code>
    </a>
  )
}
