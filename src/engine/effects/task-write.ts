/**
 * Drafts of what one decision would write, commit and print, and the one way in which effects change a task file: patch
 * the text that was decided on, commit, report. Making a draft changes nothing, so that drafts can share a commit
 * (bookkeeping.ts).
 */
import { NeoError } from '../../domain/home/error.ts'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { mayMove, type TaskStatus } from '../../domain/task/task.ts'
import { editDocument, type Json } from '../../files/edit/edit-header.ts'
import type { Person } from '../../ports/git-port.ts'
import type { FileChange } from '../commit/journal.ts'
import { noteGone } from '../commit/new-id.ts'
import { type Intent, type Transacted, textAt, transact } from '../commit/transact.ts'
import { type Context, type Event, NEO } from '../context.ts'
import { coAuthor, messageOf, oneLine, type Trailers, taskTrailers, verbPhrase } from './commit-words.ts'

export interface TaskWrite {
  /** Absent: unchanged. */
  readonly status?: TaskStatus
  readonly neo: Readonly<Record<string, Json | undefined>>
  readonly body?: string
  /** `start`, or with a place for the task's name: `assign * to human`. */
  readonly verb: string
  readonly says: string
  /** `Neo-Event` and the kind of the printed event. */
  readonly event: string
  readonly trailers?: Trailers
  readonly author?: Person
  readonly more?: readonly FileChange[]
}

/** `lost` if the file has changed since the decision. */
export async function writeTask(context: Context, file: TaskFile, write: TaskWrite): Promise<Transacted> {
  return commitDraft(context, draftTask(context, file, write))
}

/** What `writeTask` would do; null if the file has changed since the decision. */
export function draftTask(context: Context, file: TaskFile, write: TaskWrite): Draft | null {
  const text = textAt(context, file.path, file.hash)
  if (text === null) return null
  if (write.status !== undefined && !mayMove(file.task.status, write.status))
    throw new NeoError(
      'internal',
      `Cannot move ${file.path} from ${file.task.status} to ${write.status}: Neo does not make this transition`,
    )
  const after = editDocument(text, {
    ...(write.status === undefined || write.status === file.task.status
      ? {}
      : { set: { status: write.status } }),
    neo: shortened(write.neo),
    ...(write.body === undefined ? {} : { body: write.body }),
  })
  const intent: Intent = {
    kind: write.event,
    changes: [{ path: file.path, before: file.hash, after }, ...(write.more ?? [])],
    ...messageOf(file.room, verbPhrase(write.verb, file.name), write.says),
    trailers: taskTrailers(file, write.event, [...(write.trailers ?? []), ...coAuthor(file, context.person)]),
    author: write.author ?? NEO,
  }
  return { intent, room: file.room, noun: 'task', name: file.name, event: eventOf(file, write) }
}

function eventOf(file: TaskFile, { event, verb, says }: TaskWrite): Draft['event'] {
  const session = file.task.neo.session
  return {
    kind: event,
    text: `${verbPhrase(verb, file.name)}${says === '' ? '' : `: ${oneLine(says)}`}`,
    room: file.room,
    task: file.task.neo.id ?? file.path,
    ...(session === undefined ? {} : { session }),
  }
}

/** Result and error are one line in the task file; the session's file has all of it. */
function shortened(neo: Readonly<Record<string, Json | undefined>>): Record<string, Json | undefined> {
  const entries = Object.entries(neo).map(([key, value]) =>
    (key === 'result' || key === 'error') && typeof value === 'string' ? [key, oneLine(value)] : [key, value],
  )
  return Object.fromEntries(entries) as Record<string, Json | undefined>
}

export interface Draft {
  /** For a commit of its own. */
  readonly intent: Intent
  readonly room: string
  /** For the subject of a shared commit. */
  readonly noun: 'room' | 'schedule' | 'task'
  readonly name: string
  readonly event: Omit<Event, 'at'>
  /** The id of a deleted task, which is not used again. */
  readonly gone?: string
}

/** Null: the file has changed since the decision. */
export async function commitDraft(context: Context, draft: Draft | null): Promise<Transacted> {
  if (draft === null) return 'lost'
  const done = await transact(context, draft.intent)
  if (done === 'lost') return done
  noteGone(context, goneIn([draft]))
  context.emit(draft.event)
  return done
}

export function goneIn(drafts: readonly Draft[]): readonly string[] {
  return drafts.flatMap(({ gone }) => gone ?? [])
}
