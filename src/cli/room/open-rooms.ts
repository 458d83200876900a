/** Rooms by name, and their ROOM.md. */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { Problem } from '../../domain/home/problem.ts'
import type { Room } from '../../domain/room/room.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { brokenFile, wholeFile } from '../cli-failure.ts'
import type { Call } from '../spec.ts'
import type { TaskLookup } from '../task/task-lookup.ts'
import { roomNames } from '../task/task-paths.ts'

export type RoomRead = { readonly name: string; readonly path: string } & (
  | { readonly kind: 'ok'; readonly room: Room }
  /** A folder with tasks and no ROOM.md: a room with all defaults. */
  | { readonly kind: 'bare' }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] }
)

export function readRoomNamed({ home, files }: Pick<TaskLookup, 'home' | 'files'>, name: string): RoomRead {
  const path = `rooms/${name}/ROOM.md`
  const found = files.read(join(home, path), MAX_BYTES)
  if (found.kind === 'missing') return { kind: 'bare', name, path }
  if (found.kind === 'refused')
    return { kind: 'bad', name, path, problems: [wholeFile(path, `It ${found.why}`)] }
  const read = readRoom(path, found.bytes, name)
  switch (read.kind) {
    case 'ok':
      return { kind: 'ok', name, path, room: read.value }
    case 'bad':
      return { kind: 'bad', name, path, problems: read.problems }
    case 'unfinished':
      return { kind: 'bad', name, path, problems: [wholeFile(path, read.why)] }
  }
}

/** Throws NeoError `missing` without such a folder. */
export function findRoom(lookup: Pick<TaskLookup, 'home' | 'files'>, name: string): string {
  const rooms = roomNames(lookup.home, lookup.files)
  const plain = name.replace(/^rooms\//, '').replace(/\/(ROOM\.md)?$/, '')
  if (rooms.includes(plain)) return plain
  throw new NeoError('missing', `Cannot find the room "${name}": no folder rooms/${plain}`, {
    ...(rooms.length === 0 ? {} : { why: `the rooms are: ${rooms.join(', ')}` }),
    next: 'neo room list',
  })
}

/** The room that `--room` names; null without it. Throws NeoError `missing` without such a folder. */
export function roomOption(call: Call, lookup: Pick<TaskLookup, 'home' | 'files'>): string | null {
  const typed = call.text('room')
  return typed === null ? null : findRoom(lookup, typed)
}

/** Throws NeoError `failed` if ROOM.md is invalid; a bare room has its defaults. */
export function roomOf(
  lookup: Pick<TaskLookup, 'home' | 'files'>,
  name: string,
): { path: string; room: Room } {
  const read = readRoomNamed(lookup, name)
  if (read.kind === 'bad') throw brokenFile(`Cannot read the room "${name}"`, read.problems)
  if (read.kind === 'ok') return read
  const empty = readRoom(read.path, `# ${name}\n`, name)
  if (empty.kind !== 'ok') throw brokenFile(`Cannot read the room "${name}"`, [])
  return { path: read.path, room: { ...empty.value, name, body: '' } }
}
