/**
 * `neo room new`: a folder with ROOM.md, from nothing or from `templates/rooms/<name>/`.
 * Takes a name and settings; prints the path. Leaves to the daemon: its id and its commit.
 * Invariant 1: it never replaces a file.
 */
import { join } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import { editDocument, type Json, renderDocument } from '../../formats/edit.ts'
import { readRoom } from '../../formats/room.ts'
import type { Files } from '../../ports.ts'
import { createFile, MAX_BYTES } from '../edit-file.ts'
import { brokenFile, usage } from '../failure.ts'
import { type Call, firstOf } from '../spec.ts'
import { givenWorker } from '../task/fields.ts'
import { openDesk } from '../task/open.ts'
import { roomNames } from '../task/paths.ts'

export interface NewRoom {
  readonly name: string
  readonly template: string | null
  readonly set: Readonly<Record<string, Json>>
}

export async function newRoom(call: Call): Promise<number> {
  const { home, files } = await openDesk(call)
  const room = { name: checkedName(firstOf(call)), template: call.text('template'), set: given(call) }
  const path = makeRoom(home, files, room)
  call.out.data('room.new', { name: room.name, path })
  call.out.line(path)
  return 0
}

/** A folder name that is safe everywhere: in paths, branches and on file systems that fold case. */
export function checkedName(name: string): string {
  if (
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u.test(name) &&
    !name.endsWith('.') &&
    Buffer.byteLength(name) <= 80
  )
    return name
  throw usage(
    `Cannot name a room "${name}": want letters, digits, dashes, dots and underscores, a letter or digit first, at most 80 bytes`,
    'neo room new web-shop',
  )
}

/** Gives the path of its ROOM.md. Throws NeoError `failed` where it exists, `missing` without its template. */
export function makeRoom(home: string, files: Files, { name, template, set }: NewRoom): string {
  const twin = roomNames(home, files).find((one) => one.toLowerCase() === name.toLowerCase())
  const path = `rooms/${name}/ROOM.md`
  const isThere = twin !== undefined && (twin !== name || files.read(join(home, path), 0).kind !== 'missing')
  if (isThere)
    throw new NeoError('failed', `Cannot make the room "${name}": rooms/${twin} is there already`, {
      next: `neo room show ${twin}`,
    })
  const source = template === null ? [] : templateFiles(home, files, template)
  const text = roomText(name, set, source.find((file) => file.path === 'ROOM.md')?.text)
  const read = readRoom(path, text, name)
  if (read.kind === 'bad') throw brokenFile('Cannot write the room', read.problems)
  createFile(files, home, { path, text })
  for (const file of source) {
    if (file.path !== 'ROOM.md')
      createFile(files, home, { path: `rooms/${name}/${file.path}`, text: file.text })
  }
  if (source.every((file) => !file.path.startsWith('tasks/')))
    createFile(files, home, { path: `rooms/${name}/tasks/.gitkeep`, text: '' })
  return path
}

function given(call: Call): Record<string, Json> {
  const worker = givenWorker(call)
  const description = call.text('description')
  const workspace = call.text('workspace')
  return {
    ...(description === null ? {} : { description }),
    ...(workspace === null ? {} : { workspace }),
    ...(worker === null ? {} : { worker }),
  }
}

function roomText(name: string, set: Readonly<Record<string, Json>>, template: string | undefined): string {
  if (template !== undefined) return editDocument(template, { set: { name, ...set } })
  return renderDocument(
    { name, status: 'active', ...set },
    'What holds for everybody who works in this room goes here.\n',
  )
}

function templateFiles(home: string, files: Files, template: string): { path: string; text: string }[] {
  const root = join(home, 'templates/rooms', template)
  const known = files.names(join(home, 'templates/rooms'))
  if (!known.includes(template))
    throw new NeoError(
      'missing',
      `Cannot find the template "${template}": there is no folder templates/rooms/${template}`,
      {
        why: known.length === 0 ? 'this home has no templates of rooms' : `there are: ${known.join(', ')}`,
      },
    )
  return files
    .scan(root, () => true)
    .flatMap(({ path, kind }) => {
      const read = kind === 'file' ? files.read(join(root, path), MAX_BYTES) : null
      return read?.kind === 'file' ? [{ path, text: read.bytes.toString('utf8') }] : []
    })
}
