/** A commit of a task, as a link to what it changed. */
import type { WholeTask } from '../store/types.ts'

interface CommitLinkProps {
  readonly task: WholeTask
  readonly commit: string | null
}

export function CommitLink({ commit }: CommitLinkProps) {
  return commit === null ? null : <code class="soft small">{commit.slice(0, 8)}</code>
}
