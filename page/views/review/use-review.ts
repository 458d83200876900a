/** What the review of a task shows: its diff, and what was looked at before. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type DiffFile, parseDiff } from '../../parts/diff/diff-parse.ts'
import { draft } from '../../store/drafts.ts'
import { call } from '../../store/rpc.ts'
import type { Task } from '../../store/types.ts'

export interface ReviewDiff {
  readonly branch: string
  readonly base: string
  /** The commit that the diff ends with. */
  readonly head: string
  /** The commit that it begins with; null: all that the branch changes. */
  readonly since: string | null
  /** The commit that it was asked to begin with. */
  readonly asked: string | null
  readonly pullRequest: string | null
  readonly diff: string
  readonly cut: boolean
}

interface UsedDiff {
  readonly review: ReviewDiff | null
  readonly files: readonly DiffFile[]
  readonly error: string | null
}

/** @param since null: the whole diff */
export function useDiff(task: Task, since: string | null): UsedDiff {
  const [review, setReview] = useState<ReviewDiff | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { id, path, status, branch, sessionId, attempt, error: why } = task
  useEffect(() => {
    if (status !== 'review') return
    const stop = new AbortController()
    const params = { taskId: id ?? path, ...(since === null ? {} : { since }) }
    call<Omit<ReviewDiff, 'asked'>>('review.diff', params, stop.signal).then(
      (found) => {
        setReview({ ...found, asked: since })
        setError(null)
      },
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [id, status, branch, sessionId, attempt, why, since])
  const files = useMemo(() => parseDiff(review?.diff ?? ''), [review?.diff])
  return { review, files, error }
}

/**
 * The commit that was looked at last time. It is remembered when a newer one was shown, and stays the same while the
 * review is open, so that a reload doesn't hide what is new.
 */
export function useLastLook(task: Task, head: string | null): string | null {
  const seen = draft(`review ${task.id ?? task.path} seen`)
  const [before] = useState(seen.value)
  useEffect(() => {
    if (head === null || head === '') return
    const keep = () => {
      seen.value = head
    }
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [head])
  return before === '' || head === null || before === head ? null : before
}
