/** A commit of a task: who made it, and what it changed. Read only. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { Counts, Diff } from '../../parts/diff/diff.tsx'
import { NO_COMMENTS } from '../../parts/diff/diff-comments.ts'
import { parseDiff } from '../../parts/diff/diff-parse.ts'
import { Icon } from '../../parts/icons.tsx'
import { count, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import { CODES, call, RpcError } from '../../store/rpc.ts'
import { Loading } from '../inbox/inbox.tsx'

interface Commit {
  readonly commit: string
  readonly at: string
  readonly author: string
  readonly subject: string
  readonly diff: string
  readonly cut: boolean
}

/** @param id the task and the commit, as `t-abc/0123…` */
export function CommitView({ id }: { readonly id: string }) {
  const end = id.lastIndexOf('/')
  const [taskId, hash] = [id.slice(0, end), id.slice(end + 1)]
  const { commit, error } = useCommit(taskId, hash)
  const files = useMemo(() => parseDiff(commit?.diff ?? ''), [commit])
  if (error !== null) return <Empty title={error} />
  if (commit === null) return <Loading />
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  return (
    <article class="view task" aria-label="Commit">
      <p class="soft small wrap">
        <a href={addressOf('task', taskId)}>Task</a> / commit <code>{hash.slice(0, 8)}</code>
      </p>
      <h1 class="wrap">{visible(commit.subject.replace(/^neo(?:\([^)]*\))?: /, ''))}</h1>
      <p class="row">
        <span>{visible(commit.author)}</span>
        <span class="soft">
          <Time at={commit.at} />
        </span>
        <span class="strong">{count(files.length, 'file')}</span>
        <Counts file={{ added, removed }} />
      </p>
      {files.length === 0 ? (
        <p class="card soft">It changed no file of this room.</p>
      ) : (
        <Diff files={files} layout="inline" comments={NO_COMMENTS} />
      )}
      {commit.cut ? (
        <p class="card wait-text">
          <Icon name="warning" /> The diff is longer than 1 MB. Only its beginning is shown.
        </p>
      ) : null}
    </article>
  )
}

function useCommit(taskId: string, commit: string) {
  const [found, setFound] = useState<Commit | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call<Commit>('commit.get', { taskId, commit }, stop.signal).then(setFound, (failure: Error) => {
      if (stop.signal.aborted) return
      const isGone = failure instanceof RpcError && failure.code === CODES.missing
      setError(
        isGone ? 'This commit is not one of this task, or you have no access to its room.' : failure.message,
      )
    })
    return () => stop.abort()
  }, [taskId, commit])
  return { commit: found, error }
}
