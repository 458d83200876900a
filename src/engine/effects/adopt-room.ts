/**
 * Adopts rooms. A new room gets a block, one that has lost its block gets the committed one back, a copy gets a new one.
 * A renamed room keeps its own, and what Neo wrote in the old folder is committed as moved with it.
 */
import { join } from 'node:path'
import { kindOf } from '../../domain/home/home-paths.ts'
import type { RoomFile, Snapshot } from '../../domain/plan/snapshot.ts'
import { editDocument, type Json } from '../../files/edit/edit-header.ts'
import { neoBlockOf } from '../../files/merge/merge-stale.ts'
import { isoSecond } from '../../files/values/times.ts'
import { type FileChange, MAX_BYTES } from '../commit/journal.ts'
import { newId } from '../commit/new-id.ts'
import { type Intent, textAt } from '../commit/transact.ts'
import type { Context } from '../context.ts'
import { roomTrailers, subjectOf } from './commit-words.ts'
import type { Draft } from './task-write.ts'

export async function draftRoom(
  context: Context,
  snapshot: Snapshot,
  decision: { readonly room: string },
): Promise<Draft | null> {
  const room = snapshot.rooms.get(decision.room)
  if (room === undefined) return null
  const text = textAt(context, room.path, room.hash)
  if (text === null) return null
  const before = context.look.tree().get(room.path)
  const isKept = room.room.neo.id !== undefined && !isCopiedRoom(snapshot, room)
  const old = isKept ? neoBlockOf(text) : before === undefined ? null : await blockAt(context, before)
  const neo = old ?? {
    id: newId(context, snapshot, { ...room, prefix: 'r' }),
    created_at: isoSecond(context.world.clock.now()),
  }
  const moved = isKept ? await movedFrom(context, snapshot, room) : []
  const says = `${moved.length > 0 ? 'move' : 'adopt'} room ${room.name}`
  const intent: Intent = {
    kind: 'adopt-room',
    changes: [
      { path: room.path, before: room.hash, after: editDocument(text, { neo: neo as Record<string, Json> }) },
      ...(moved.length > 0 ? moved : emptyFolder(context, `rooms/${room.name}/tasks`)),
    ],
    subject: subjectOf(room.name, says),
    trailers: roomTrailers(room.name, 'adopt-room'),
    author: context.person,
  }
  const event = { kind: moved.length > 0 ? 'move' : 'adopt', text: says, room: room.name }
  return { intent, room: room.name, noun: 'room', name: room.name, event }
}

async function blockAt({ world }: Context, blob: string): Promise<ReturnType<typeof neoBlockOf>> {
  return neoBlockOf((await world.git.blob(blob)).toString('utf8'))
}

function isCopiedRoom({ rooms }: Snapshot, { name, room }: RoomFile): boolean {
  const twins = [...rooms.values()].filter((other) => other.room.neo.id === room.neo.id)
  return twins.some((other) => other.name !== name && (other.gitStatus !== 'new' || other.name < name))
}

/** The deletion of the old ROOM.md of a renamed room, and of what Neo wrote beside it; and the same files in the new folder. */
async function movedFrom(
  context: Context,
  { rooms }: Snapshot,
  { name, room }: RoomFile,
): Promise<readonly FileChange[]> {
  for (const [path, before] of context.look.tree()) {
    const known = path.endsWith('/ROOM.md') ? kindOf(path) : null
    if (known?.kind !== 'room' || rooms.has(known.room) || !isMissing(context, path)) continue
    if ((await blockAt(context, before))?.['id'] === room.neo.id)
      return [{ path, before, after: null }, ...movedFiles(context, `rooms/${known.room}/`, `rooms/${name}/`)]
  }
  return []
}

/** Unchanged files of these folders; others are adopted by themselves, or are the user's. */
const MOVED = /^(?:(?:inbox|asks|memories|sessions|transcripts)\/|tasks\/\.gitkeep$)/
/** The rest of a very large room is left to the user. */
const MOST_MOVED_BYTES = 16 * 1024 * 1024

function movedFiles(context: Context, from: string, to: string): readonly FileChange[] {
  const { home, world, look } = context
  const changes: FileChange[] = []
  let bytes = 0
  for (const [path, before] of look.tree()) {
    const target = to + path.slice(from.length)
    if (!path.startsWith(from) || !MOVED.test(path.slice(from.length)) || look.tree().has(target)) continue
    const read = world.files.read(join(home, target), MAX_BYTES)
    if (read.kind !== 'file' || !isMissing(context, path)) continue
    const after = read.bytes.toString('utf8')
    bytes += read.bytes.length
    if (bytes > MOST_MOVED_BYTES) break
    if (world.git.blobId(Buffer.from(after)) === before)
      changes.push({ path, before, after: null }, { path: target, before, after })
  }
  return changes
}

function isMissing({ home, world }: Context, path: string): boolean {
  return world.files.read(join(home, path), 0).kind === 'missing'
}

/** `.gitkeep`, which keeps the empty folder of a new room in git. */
function emptyFolder({ home, world, look }: Context, folder: string): FileChange[] {
  const path = `${folder}/.gitkeep`
  if (look.tree().has(path)) return []
  const read = world.files.read(join(home, path), 0)
  return read.kind === 'file' ? [{ path, before: world.git.blobId(read.bytes), after: '' }] : []
}
