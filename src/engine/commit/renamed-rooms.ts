/**
 * Sessions follow a room that was renamed while they ran, so that outcome, transcript and requests go to its new folder.
 * Invariants: 1. a session whose room still exists stays there, wherever its task went; 2. the room is found by its id,
 * else by the task.
 */
import { join } from 'node:path'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { neoBlockOf } from '../../files/merge/merge-stale.ts'
import type { Context } from '../context.ts'

export async function followRooms(context: Context, snapshot: Snapshot): Promise<void> {
  const { world, home, sessions } = context
  for (const { record } of sessions.facts().values()) {
    if (world.files.stat(join(home, 'rooms', record.room), 'folder') !== null) continue
    const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.id === record.taskId)
    const room = (await roomById(context, snapshot, record)) ?? file?.room ?? null
    if (room === null || room === record.room) continue
    sessions.moved(record.id, { room, ...taskIn(record, room, file) })
  }
}

/** The room with the id of the old folder's ROOM.md in HEAD. */
async function roomById(
  { world, look }: Context,
  { rooms }: Snapshot,
  { room }: SessionRecord,
): Promise<string | null> {
  const blob = look.tree().get(`rooms/${room}/ROOM.md`)
  if (blob === undefined) return null
  const id = neoBlockOf((await world.git.blob(blob)).toString('utf8'))?.['id']
  if (id === undefined) return null
  return [...rooms.values()].find((one) => one.room.neo.id === id)?.name ?? null
}

function taskIn(
  { taskPath, taskName, room: old }: SessionRecord,
  room: string,
  file: TaskFile | undefined,
): Pick<SessionRecord, 'taskPath' | 'taskName'> {
  if (file !== undefined) return { taskPath: file.path, taskName: file.name }
  return { taskPath: taskPath.replace(`rooms/${old}/`, () => `rooms/${room}/`), taskName }
}
