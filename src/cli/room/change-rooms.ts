/**
 * `neo room new, edit, pause, resume, archive`. Invariant 1: a new room, empty or from `templates/rooms/<name>/`, never
 * replaces a file. Invariant 2: what an editor saves stays; if it is invalid, that is an error, and the last valid version
 * stays in force.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { RoomStatus } from '../../domain/room/room.ts'
import { isRoomName, type NewRoom, newRoomFiles } from '../../engine/commit/new-room.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import type { Files } from '../../ports/files-port.ts'
import { brokenFile, usage } from '../cli-failure.ts'
import { createFile, inEditor } from '../edit-file.ts'
import { paramsOf } from '../option-values.ts'
import { type Call, type Command, firstOf } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { roomNames } from '../task/task-paths.ts'
import { withHub } from '../with-hub.ts'
import { findRoom, readRoomNamed, roomOf } from './open-rooms.ts'

export async function newRoom(call: Call): Promise<number> {
  const { home, files } = await openTaskLookup(call)
  const name = checkedName(firstOf(call))
  const path = freePath(home, files, name)
  const params = { name, ...paramsOf<ParamsOf<'room.create'>>(call) }
  await withHub(call, (hub) => hub.call('room.create', params, 'neo room new --help'))
  call.out.data('room.new', { name, path })
  call.out.line(path)
  return 0
}

/** A folder name that is safe everywhere: in paths, branches and on file systems that fold case. */
export function checkedName(name: string): string {
  if (isRoomName(name)) return name
  throw usage(
    `Cannot name a room "${name}": want letters, digits, dashes, dots and underscores, a letter or digit first, at most 80 bytes`,
    'neo room new web-shop',
  )
}

/** In a home that is being created. Throws NeoError `failed` if it exists, `missing` without its template. */
export function makeRoom(home: string, files: Files, room: NewRoom): void {
  freePath(home, files, room.name)
  for (const file of newRoomFiles(home, files, room)) createFile(files, home, file)
}

/** Throws NeoError `failed` if it exists. */
function freePath(home: string, files: Files, name: string): string {
  const twin = roomNames(home, files).find((one) => one.toLowerCase() === name.toLowerCase())
  const path = `rooms/${name}/ROOM.md`
  const isThere = twin !== undefined && (twin !== name || files.read(join(home, path), 0).kind !== 'missing')
  if (!isThere) return path
  throw new NeoError('failed', `Cannot create the room "${name}": rooms/${twin} already exists`, {
    next: `neo room show ${twin}`,
  })
}

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

type RoomVerb = 'pause' | 'resume' | 'archive'

const TO: Readonly<Record<RoomVerb, RoomStatus>> = { pause: 'paused', resume: 'active', archive: 'archived' }

export function setRoomStatus(verb: RoomVerb): Command {
  return async (call) => {
    const lookup = await openTaskLookup(call)
    const names = [...new Set(call.args.map((typed) => findRoom(lookup, typed)))]
    const status = TO[verb]
    const changed: { readonly name: string; readonly isNew: boolean }[] = []
    await withHub(call, async (hub) => {
      for (const name of names) {
        const isSo =
          readRoomNamed(lookup, name).kind !== 'bare' && roomOf(lookup, name).room.status === status
        await hub.call(`room.${verb}`, { roomId: name })
        changed.push({ name, isNew: !isSo })
      }
    })
    call.out.data(
      `room.${verb}`,
      changed.map(({ name }) => ({ name, status })),
    )
    for (const { name, isNew } of changed)
      call.out.line(name, isNew ? `is now ${status}` : `is already ${status}`)
    return 0
  }
}
