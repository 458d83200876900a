/**
 * Restores what a commit of the user undid by accident. Neo holds the index while it commits, so that ref and index move
 * together. If it can't (a lock held for over a second, an index that only git may write, no hard links), a `git commit`
 * in between still has Neo's paths as they were before. Only versions in the branch's history that are newer than HEAD's
 * are restored: an outdated save, a revert or a reset is not.
 */
import { join } from 'node:path'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { type Context, NEO } from '../context.ts'
import { type FileChange, MAX_BYTES } from '../commit/file-change.ts'
import { type Transacted, transact } from '../commit/transact.ts'
import { subjectOf, taskTrailers } from './commit-words.ts'

/**
 * @param history versions of the path, newest first
 * True if the bytes on disk were committed after the version that HEAD has again.
 */
export function isUndone(
  history: readonly { readonly blob: string }[],
  { head, disk }: { readonly head: string; readonly disk: string },
): boolean {
  const at = history.findIndex(({ blob }) => blob === disk)
  return at > 0 && history[0]?.blob === head && history.slice(at + 1).some(({ blob }) => blob === head)
}

export async function restore(context: Context, file: TaskFile, text: string): Promise<Transacted> {
  const done = await transact(context, {
    kind: 'restore',
    changes: [{ path: file.path, before: file.hash, after: text }, ...sessionChanges(context, file)],
    subject: subjectOf(file.room, `restore ${file.name}`, 'a simultaneous commit had undone it'),
    trailers: taskTrailers(file, 'restore'),
    author: NEO,
  })
  if (done !== 'lost') {
    const said = { room: file.room, task: file.task.neo.id ?? file.path }
    context.emit({
      kind: 'restore',
      text: `restore ${file.name} (a simultaneous commit had undone it)`,
      ...said,
    })
  }
  return done
}

/** The files of the task's session were undone by the same commit. */
function sessionChanges(context: Context, { room, task }: TaskFile): FileChange[] {
  const id = task.neo.session
  if (id === undefined) return []
  const { files, git } = context.world
  const paths = [`rooms/${room}/sessions/${id}.md`, `rooms/${room}/transcripts/${id}.jsonl`]
  return paths.flatMap((path) => {
    const read = files.read(join(context.home, path), MAX_BYTES)
    if (read.kind !== 'file') return []
    const before = git.blobId(read.bytes)
    return context.look.tree().get(path) === before
      ? []
      : [{ path, before, after: read.bytes.toString('utf8') }]
  })
}
