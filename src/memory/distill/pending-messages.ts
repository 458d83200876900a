/**
 * What people have said to a room's Neo and nobody has heard, because no model is configured: messages that wait in the
 * inbox. Invariant 1: a message has one source, made of its path and bytes; the line of a transcript that holds it later
 * names the same one (`also`), so that it is heard once. Invariant 2: what is still being written does not count.
 */
import { join } from 'node:path'
import type { InboxFile, Snapshot } from '../../domain/plan/snapshot.ts'
import type { Said } from '../../domain/memory/distill-rules.ts'
import type { Context } from '../../engine/context.ts'
import { readDocument } from '../../files/header/document.ts'
import { waitingSource, whenOf } from './read-transcripts.ts'

const MOST_BYTES = 256 * 1024
/** Of one run; what is left comes with the next. */
const MOST_SAID = 2_000

/** Nothing where the room has a model: then its conversation holds them. */
export function waitingIn(context: Context, snapshot: Snapshot, room: string): readonly Said[] {
  const model = snapshot.rooms.get(room)?.room?.model ?? context.look.config().model
  if (model !== 'rules') return []
  return [...snapshot.inbox.values()]
    .filter(({ room: of, from }) => of === room && isPerson(from))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap((file) => saidBy(context, file) ?? [])
    .slice(0, MOST_SAID)
}

/** What schedules, sessions and pages send is quoted when Neo hears it. */
function isPerson(from: string): boolean {
  return from === 'human' || from.startsWith('member:')
}

function saidBy({ home, world, look }: Context, { path, hash, from, text }: InboxFile): Said | null {
  const read = world.files.read(join(home, path), MOST_BYTES)
  if (read.kind !== 'file' || world.git.blobId(read.bytes) !== hash) return null
  const document = readDocument(path, read.bytes)
  const at = document.kind === 'ok' ? Date.parse(String(document.value.data['at'])) : Number.NaN
  const { timezone } = look.config()
  const when = whenOf(at, timezone) ?? whenOf(read.stat.mtimeMs, timezone)
  if (when === null) return null
  const source = waitingSource(`inbox:${path}@${hash}`) ?? ''
  return { ...when, speaker: from, isPerson: 'yes', text, source }
}
