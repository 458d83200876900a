/**
 * Many new files at once (a checkout, an unpacked archive): one commit a room and chunk, not one a file.
 * Copies and moves take the plain way of adopt.ts. Invariant 1: as there, committed under the person's name.
 */
import type { Decision } from '../../core/model/decision.ts'
import type { Snapshot, TaskFile } from '../../core/model/snapshot.ts'
import { editDocument } from '../../formats/edit.ts'
import { type Context, isoOf } from '../context.ts'
import { newId } from '../new-id.ts'
import { type FileChange, textAt, transact } from '../transact.ts'
import { adopt } from './adopt.ts'
import { subjectOf } from './words.ts'

/** Files a commit: a journal entry of some hundred KB, and a message that people can still read. */
const CHUNK = 200

type Adoption = Extract<Decision, { kind: 'adopt' }>

/** Gives the paths that have to be looked at again. */
export async function adoptMany(
  context: Context,
  snapshot: Snapshot,
  adoptions: readonly Adoption[],
): Promise<string[]> {
  const again: string[] = []
  const rooms = new Map<string, TaskFile[]>()
  for (const { path, id } of adoptions) {
    const file = snapshot.tasks.get(path)
    if (file === undefined) continue
    if (file.task.neo.id === undefined) rooms.set(file.room, [...(rooms.get(file.room) ?? []), file])
    else if ((await adopt(context, snapshot, { file, id })) === 'lost') again.push(path)
  }
  for (const [room, own] of rooms) {
    for (let at = 0; at < own.length; at += CHUNK)
      again.push(...(await adoptChunk(context, snapshot, { room, files: own.slice(at, at + CHUNK) })))
  }
  return again
}

async function adoptChunk(
  context: Context,
  snapshot: Snapshot,
  { room, files }: { readonly room: string; readonly files: readonly TaskFile[] },
): Promise<string[]> {
  const at = isoOf(context.world.clock.now())
  const changes: FileChange[] = []
  const ids: string[] = []
  const again: string[] = []
  for (const file of files) {
    const text = textAt(context, file.path, file.hash)
    if (text === null) {
      again.push(file.path)
      continue
    }
    const id = newId(context, snapshot, { ...file, prefix: 't' })
    ids.push(id)
    const neo = { id, created_at: at, created_by: file.task.neo.createdBy ?? 'human' }
    changes.push({ path: file.path, before: file.hash, after: editDocument(text, { neo }) })
  }
  if (changes.length === 0) return again
  const done = await transact(context, {
    kind: 'adopt',
    changes,
    subject: subjectOf(room, `adopt ${changes.length} tasks`),
    trailers: [['Neo-Room', room], ...ids.map((id) => ['Neo-Task', id] as const), ['Neo-Event', 'adopt']],
    author: context.person,
  })
  if (done === 'lost') return files.map(({ path }) => path)
  context.emit({ kind: 'adopt', text: `adopt ${changes.length} tasks`, room })
  return again
}
