/**
 * `neo room edit`: opens the room's ROOM.md in your editor, and checks it afterwards. Invariant 1: what the editor saves
 * stays; if it is invalid, that is an error, and the last valid version stays in force.
 */
import { join } from 'node:path'
import { brokenFile } from '../cli-failure.ts'
import { type Call, firstOf } from '../spec.ts'
import { inEditor } from '../editor.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { findRoom, readRoomNamed } from './open-rooms.ts'

export async function editRoom(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const name = findRoom(lookup, firstOf(call))
  const path = `rooms/${name}/ROOM.md`
  inEditor(call, { file: join(lookup.home, path), what: 'the room', next: `edit ${path} in any editor` })
  const read = readRoomNamed(lookup, name)
  if (read.kind === 'bad') throw brokenFile('Cannot use what was saved', read.problems)
  call.out.data('room.edit', { name, path })
  call.out.line(path)
  return 0
}
