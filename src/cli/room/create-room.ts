/**
 * `neo room new`: a folder with ROOM.md, empty or from `templates/rooms/<name>/`. Invariant 1: it never replaces a file.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { isRoomName, type NewRoom, newRoomFiles } from '../../engine/commit/new-room.ts'
import type { Files } from '../../ports/world.ts'
import { createFile } from '../edit-file.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { roomNames } from '../task/task-paths.ts'

export async function newRoom(call: Call): Promise<number> {
  const { home, files } = await openTaskLookup(call)
  const name = checkedName(firstOf(call))
  const path = freePath(home, files, name)
  const given = {
    description: call.text('description'),
    defaultWorkspace: call.text('workspace'),
    worker: call.text('worker'),
    template: call.text('template'),
  }
  const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  await withHub(call, (hub) => hub.call('room.create', { name, ...params }, 'neo room new --help'))
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
