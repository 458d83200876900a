/**
 * The files of a new room: ROOM.md from scratch or from `templates/rooms/<name>/`, with the template's other files. A text
 * that can't be read back as a room is refused.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { whereOf } from '../../domain/home/problem.ts'
import { editDocument, type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import type { Files } from '../../ports/files-port.ts'
import { MAX_BYTES } from './journal.ts'

export interface NewRoom {
  /** Folder name. */
  readonly name: string
  readonly template: string | null
  readonly set: Readonly<Record<string, Json>>
  readonly neo?: Readonly<Record<string, Json>>
  /** The room's instructions; absent: the template's, else a hint. */
  readonly body?: string
}

export interface NewFile {
  /** Relative to the home. */
  readonly path: string
  readonly text: string
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u

/** A folder name that is safe in paths, branches and on case-insensitive file systems. */
export function isRoomName(name: string): boolean {
  return NAME.test(name) && !name.endsWith('.') && Buffer.byteLength(name) <= 80
}

/** ROOM.md first. Throws NeoError `missing` without its template, `failed` if it can't be read back. */
export function newRoomFiles(home: string, files: Files, room: NewRoom): readonly [NewFile, ...NewFile[]] {
  const { name, template } = room
  const source = template === null ? [] : templateFiles(home, files, template)
  const path = `rooms/${name}/ROOM.md`
  const text = roomText(room, source.find((file) => file.path === 'ROOM.md')?.text)
  const read = readRoom(path, text, name)
  if (read.kind === 'bad') {
    const [first] = read.problems
    const why = first === undefined ? 'the file cannot be read' : `${whereOf(first)}: ${first.message}`
    const next = first === undefined || first.hint === '' ? 'neo config check' : first.hint
    throw new NeoError('failed', `Cannot write the room: ${why}`, { next })
  }
  const rest = source
    .filter((file) => file.path !== 'ROOM.md')
    .map((file) => ({ path: `rooms/${name}/${file.path}`, text: file.text }))
  const hasTasks = source.some((file) => file.path.startsWith('tasks/'))
  return [{ path, text }, ...rest, ...(hasTasks ? [] : [{ path: `rooms/${name}/tasks/.gitkeep`, text: '' }])]
}

function roomText({ name, set, neo, body }: NewRoom, template: string | undefined): string {
  if (template !== undefined)
    return editDocument(template, {
      set: { name, ...set },
      ...(neo === undefined ? {} : { neo }),
      ...(body === undefined ? {} : { body }),
    })
  return renderDocument(
    { name, status: 'active', ...set, ...(neo === undefined ? {} : { neo: { ...neo } }) },
    body ?? 'Write what everyone who works in this room needs to know here.\n',
  )
}

function templateFiles(home: string, files: Files, template: string): NewFile[] {
  const root = join(home, 'templates/rooms', template)
  const known = files.names(join(home, 'templates/rooms'))
  if (!known.includes(template))
    throw new NeoError(
      'missing',
      `Cannot find the template "${template}": no folder templates/rooms/${template}`,
      {
        why:
          known.length === 0
            ? 'this home has no room templates'
            : `the room templates are ${known.join(', ')}`,
      },
    )
  return files
    .scan(root, () => true)
    .flatMap(({ path, kind }) => {
      const read = kind === 'file' ? files.read(join(root, path), MAX_BYTES) : null
      return read?.kind === 'file' ? [{ path, text: read.bytes.toString('utf8') }] : []
    })
}
