/**
 * The one way in which effects change a task file: patch the text that was decided on, commit, say it.
 * Takes the task, the patch and the words; gives whether it was done. Leaves to the callers: what to change.
 */
import { mayMove } from '../../core/rules/transition.ts'
import type { TaskStatus } from '../../core/model/task.ts'
import type { TaskFile } from '../../core/model/snapshot.ts'
import { NeoError } from '../../core/model/error.ts'
import { editDocument, type Json } from '../../formats/edit.ts'
import type { Person } from '../../ports.ts'
import { type Context, NEO } from '../context.ts'
import { type FileChange, textAt, transact, type Transacted } from '../transact.ts'
import { coAuthor, oneLine, subjectOf, taskTrailers, type Trailers } from './words.ts'

export interface TaskWrite {
  /** Absent: the status stays. */
  readonly status?: TaskStatus
  readonly neo: Readonly<Record<string, Json | undefined>>
  readonly body?: string
  readonly verb: string
  readonly says: string
  /** `Neo-Event` and the kind of the printed event. */
  readonly event: string
  readonly trailers?: Trailers
  readonly author?: Person
  readonly more?: readonly FileChange[]
}

/** Writes and commits a task's change. `lost` where the file is no longer the version that was decided on. */
export async function writeTask(context: Context, file: TaskFile, write: TaskWrite): Promise<Transacted> {
  const text = textAt(context, file.path, file.hash)
  if (text === null) return 'lost'
  if (write.status !== undefined && !mayMove(file.task.status, write.status))
    throw new NeoError(
      'internal',
      `Cannot move ${file.path} from ${file.task.status} to ${write.status}: that is no transition of Neo's`,
    )
  const after = editDocument(text, {
    ...(write.status === undefined || write.status === file.task.status
      ? {}
      : { set: { status: write.status } }),
    neo: shortened(write.neo),
    ...(write.body === undefined ? {} : { body: write.body }),
  })
  const done = await transact(context, {
    kind: write.event,
    changes: [{ path: file.path, before: file.hash, after }, ...(write.more ?? [])],
    subject: subjectOf(file.room, `${write.verb} ${file.name}`, write.says),
    trailers: taskTrailers(file, write.event, [...(write.trailers ?? []), ...coAuthor(file, context.person)]),
    author: write.author ?? NEO,
  })
  if (done !== 'lost') sayTask(context, file, write)
  return done
}

function sayTask({ emit }: Context, file: TaskFile, { event, verb, says }: TaskWrite): void {
  const session = file.task.neo.session
  emit({
    kind: event,
    text: `${verb} ${file.name}${says === '' ? '' : ` — ${oneLine(says)}`}`,
    room: file.room,
    task: file.task.neo.id ?? file.path,
    ...(session === undefined ? {} : { session }),
  })
}

/** Result and error are one line in the task file; the long form is in the session's. */
function shortened(neo: Readonly<Record<string, Json | undefined>>): Record<string, Json | undefined> {
  const entries = Object.entries(neo).map(([key, value]) =>
    (key === 'result' || key === 'error') && typeof value === 'string' ? [key, oneLine(value)] : [key, value],
  )
  return Object.fromEntries(entries) as Record<string, Json | undefined>
}
