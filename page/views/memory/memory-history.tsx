/** The commits of a room's memory, or of one file of it with what each changed; an earlier version comes back. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Dialog, Empty, say } from '../../parts/controls.tsx'
import { type DiffLine, lineDiff } from '../../parts/diff/line-diff.ts'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'

interface Change {
  readonly commit: string
  readonly at: string
  readonly author: string
  readonly subject: string
  /** Null: deleted; absent: not given. */
  readonly text?: string | null
}

interface HistoryProps {
  readonly about: { readonly roomId: string } | { readonly path: string }
  readonly title: string
  readonly room: string
  readonly onChange: () => Promise<void>
  readonly onClose: () => void
}

export function MemoryHistory({ about, title, room, onChange, onClose }: HistoryProps) {
  const [changes, setChanges] = useState<readonly Change[] | null>(null)
  const [error, setError] = useState<string | null>(null)
  const path = 'path' in about ? about.path : null
  useEffect(() => {
    const params = path === null ? about : { path, texts: true }
    call<readonly Change[]>('memory.log', params).then(setChanges, (failure: Error) =>
      setError(failure.message),
    )
  }, [])
  const restore = async (commit: string) => {
    await call('memory.restore', { path, commit })
    say('That version is back.')
    onClose()
    await onChange()
  }
  const canRestore = path !== null && may('forget', room)
  return (
    <Dialog title={title} onClose={onClose}>
      {error === null ? null : <p class="bad-text">{error}</p>}
      {changes === null && error === null ? <div aria-busy="true" /> : null}
      {changes?.length === 0 ? <Empty title="No commit has it yet." /> : null}
      <ol class="memory-history">
        {changes?.map((change, at) => (
          <ChangeItem
            key={change.commit}
            change={change}
            before={changes[at + 1]?.text ?? null}
            onRestore={canRestore && at > 0 && typeof change.text === 'string' ? restore : null}
          />
        ))}
      </ol>
    </Dialog>
  )
}

interface ItemProps {
  readonly change: Change
  readonly before: string | null
  readonly onRestore: ((commit: string) => Promise<void>) | null
}

function ChangeItem({ change, before, onRestore }: ItemProps) {
  const { commit, at, author, subject, text } = change
  const lines = text === undefined ? [] : changedLines(lineDiff(bodyOf(before ?? ''), bodyOf(text ?? '')))
  return (
    <li class="stack">
      <p class="wrap">{visible(subject)}</p>
      {lines.length === 0 ? null : (
        <pre class="memory-diff">
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </pre>
      )}
      <p class="row soft small">
        <span>{visible(author)}</span>
        <Time at={at} />
        <code>{commit.slice(0, 8)}</code>
        <span class="grow" />
        {onRestore === null ? null : (
          <Button onClick={() => onRestore(commit)}>Bring this version back</Button>
        )}
      </p>
    </li>
  )
}

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  if (kind === 'add') return <ins>+ {visible(text)}</ins>
  if (kind === 'del') return <del>− {visible(text)}</del>
  return <span>{`  ${visible(text)}`}</span>
}

/** Without Neo's bookkeeping at the end of the header. */
function bodyOf(text: string): string {
  return text.replace(/^---\n([\s\S]*?)\n?neo:(?: .*|(?:\n\s+.*)*)\n---\n/, (_, head: string) =>
    head.trim() === '' ? '' : `${head}\n`,
  )
}

const AROUND = 1

/** Changed lines with a line around them. */
function changedLines(all: readonly DiffLine[]): readonly DiffLine[] {
  const near = (at: number) =>
    all.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same')
  return all.filter((line, at) => near(at) && (line.kind !== 'same' || line.text.trim() !== ''))
}
