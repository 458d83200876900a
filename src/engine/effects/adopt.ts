/**
 * New tasks get their `neo:` block, a copy gets a new one, outdated saves are merged, and the user's deletions
 * and changes of status are committed as theirs, before anything acts on them. What a commit of the user undid by
 * accident is restored: Neo holds the index while it commits, but if it can't (a lock held for over a second, an index
 * that only git may write, no hard links), a `git commit` in between still has Neo's paths as they were before. Only
 * versions in the branch's history that are newer than HEAD's are restored: an outdated save, a revert or a reset is
 * not.
 */
import { join } from 'node:path'
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { ENDED } from '../../domain/task/task.ts'
import type { Json } from '../../files/edit/edit-header.ts'
import { closestBase, mergeStale, neoBlockOf } from '../../files/merge/merge-stale.ts'
import { isoSecond } from '../../files/values/times.ts'
import { type FileChange, MAX_BYTES } from '../commit/journal.ts'
import { newId } from '../commit/new-id.ts'
import { type Intent, type Transacted, textAt, transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { notifyConflict } from '../people/notices.ts'
import { roomTrailers, subjectOf, taskTrailers } from './commit-words.ts'
import { commitDraft, type Draft, draftTask, writeTask } from './task-write.ts'

export function adopt(
  context: Context,
  snapshot: Snapshot,
  of: { readonly file: TaskFile; readonly id: 'new' | 'keep' },
): Promise<Transacted> {
  return commitDraft(context, draftAdoption(context, snapshot, of))
}

/** A copy becomes a draft: it runs when a person sets it to pending. */
export function draftAdoption(
  context: Context,
  snapshot: Snapshot,
  { file, id }: { readonly file: TaskFile; readonly id: 'new' | 'keep' },
): Draft | null {
  const { neo } = file.task
  const copy = id === 'new' && neo.id !== undefined
  const at = isoSecond(context.world.clock.now())
  const moved = id === 'keep' && neo.id !== undefined ? removal(context, context.look.goneWithId(neo.id)) : []
  const block: Record<string, Json | undefined> = copy
    ? {
        ...cleared(textAt(context, file.path, file.hash)),
        id: newId(context, snapshot, { ...file, prefix: 't' }),
        created_at: at,
        created_by: neo.createdBy ?? 'human',
      }
    : {
        id: neo.id ?? newId(context, snapshot, { ...file, prefix: 't' }),
        created_at: neo.createdAt ?? at,
        created_by: neo.createdBy ?? 'human',
      }
  const shown = { ...file, task: { ...file.task, neo: { ...neo, id: block['id'] as string } } }
  const draft = copy && file.task.status !== 'draft'
  return draftTask(context, shown, {
    ...(draft ? { status: 'draft' as const } : {}),
    neo: block,
    verb: copy ? 'adopt copy' : moved.length > 0 ? 'move' : 'adopt',
    says: draft ? 'a copy starts as a draft; to run it, set status: pending' : '',
    event: moved.length > 0 ? 'move' : 'adopt',
    author: context.person,
    more: moved,
  })
}

/** A copy keeps nothing that Neo wrote into the original's block. */
function cleared(text: string | null): Record<string, undefined> {
  const block = text === null ? null : neoBlockOf(text)
  return Object.fromEntries(Object.keys(block ?? {}).map((key) => [key, undefined]))
}

function removal(context: Context, path: string | null): FileChange[] {
  const before = path === null ? undefined : context.look.tree().get(path)
  return path === null || before === undefined ? [] : [{ path, before, after: null }]
}

/** Merges an outdated save three ways, from the version that it was made of. */
export async function reconcile(context: Context, file: TaskFile): Promise<Transacted> {
  const theirs = textAt(context, file.path, file.hash)
  const head = context.look.tree().get(file.path)
  if (theirs === null || head === undefined) return 'lost'
  const { git } = context.world
  const ours = (await git.blob(head)).toString('utf8')
  const history = await git.versions(file.path, VERSIONS)
  if (isUndone(history, { head, disk: file.hash })) return restore(context, file, theirs)
  const versions: string[] = []
  for (const { blob } of history) versions.push((await git.blob(blob)).toString('utf8'))
  const base = closestBase(theirs, versions) ?? ours
  const { text, bodyConflict } = mergeStale(base, ours, theirs)
  const done = await transact(context, {
    kind: 'reconcile',
    changes: [{ path: file.path, before: file.hash, after: text }],
    subject: subjectOf(file.room, `merge edit of ${file.name}`),
    trailers: roomTrailers(file.room, 'reconcile'),
    author: context.person,
  })
  if (done === 'lost') return done
  context.emit({
    kind: 'reconcile',
    text: `merged an outdated save of ${file.name}`,
    room: file.room,
    task: file.path,
  })
  if (bodyConflict) notifyConflict(context, file)
  return done
}

/** How far back the version that a save was made of is searched. */
const VERSIONS = 200

export async function record(
  context: Context,
  file: TaskFile,
  status: DecisionOf<'record'>['status'],
): Promise<Transacted> {
  const ended = ENDED.has(status)
  const at = isoSecond(context.world.clock.now())
  return writeTask(context, file, {
    neo: {
      attempt: context.sessions.lastAttempt(file.task.neo),
      blocked: undefined,
      ...(ended ? { completed_at: at, current_step: undefined, retry_at: undefined } : {}),
    },
    verb: `set * to ${status}`,
    says: 'by hand',
    event: status,
    author: context.person,
  })
}

export async function draftDeletion(
  context: Context,
  gone: { readonly path: string; readonly room: string },
): Promise<Draft | null> {
  const { room, path } = gone
  const before = context.look.tree().get(path)
  if (
    before === undefined ||
    context.world.files.read(join(context.home, path), MAX_BYTES).kind !== 'missing'
  )
    return null
  const [, , folder] = path.split('/')
  const noun = folder === 'schedules' ? 'schedule' : 'task'
  const name = path.slice(`rooms/${room}/${folder}/`.length, -3)
  const says = `delete ${noun === 'schedule' ? `schedule ${name}` : name}`
  const intent: Intent = {
    kind: 'delete',
    changes: [{ path, before, after: null }],
    subject: subjectOf(room, says),
    trailers: roomTrailers(room, 'delete'),
    author: context.person,
  }
  const id = neoBlockOf((await context.world.git.blob(before)).toString('utf8'))?.['id']
  const event = { kind: 'delete', text: says, room, task: path }
  return { intent, room, noun, name, event, ...(typeof id === 'string' ? { gone: id } : {}) }
}

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

async function restore(context: Context, file: TaskFile, text: string): Promise<Transacted> {
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
