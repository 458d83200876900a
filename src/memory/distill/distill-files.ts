/**
 * The files of distilling: MEMORY.md, HISTORY.md and notes. Invariant 1: a file that can't be read, is not text or contains
 * merge conflict markers stops the run; it is never overwritten.
 */
import { join } from 'node:path'
import type { Said, Texts } from '../../domain/memory/distill-rules.ts'
import { memoryFolderOf } from '../../domain/memory/memory-context.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import type { Context } from '../../engine/context.ts'

export interface OpenTexts extends Texts {
  readonly folder: string
  /** Blob ids by path; `null` if there is no file. */
  readonly hashes: ReadonlyMap<string, string | null>
}

const MOST_BYTES = 8 * 1024 * 1024
const BINARY_LOOK = 8_000
const MERGE_MARK = /^(?:<{7}|>{7}) /m

/** @param said names the days whose notes are wanted */
export function openTexts(context: Context, room: string, said: readonly Said[]): OpenTexts {
  return openTextsAt(context, { root: context.home, folder: memoryFolderOf(room) }, said)
}

/** The same of any folder; paths are relative to `root`. */
export function openTextsAt(
  { world }: Pick<Context, 'world'>,
  { root, folder }: { readonly root: string; readonly folder: string },
  said: readonly Said[],
): OpenTexts {
  const hashes = new Map<string, string | null>()
  const text = (name: string): string => {
    const { kind, bytes, why } = readAt(world.files, join(root, folder, name))
    if (why !== '') throw new Error(`Cannot distil into ${folder}/${name}: ${why}`)
    hashes.set(`${folder}/${name}`, kind === 'file' ? world.git.blobId(bytes) : null)
    return bytes.toString('utf8')
  }
  const days = [...new Set(said.map(({ day }) => day))]
  const notes = new Map(days.map((day) => [day, text(`${day}.md`)]))
  return { folder, memory: text('MEMORY.md'), history: text('HISTORY.md'), notes, hashes }
}

function readAt(
  files: Context['world']['files'],
  path: string,
): { readonly kind: 'file' | 'missing'; readonly bytes: Buffer; readonly why: string } {
  const read = files.read(path, MOST_BYTES)
  if (read.kind !== 'file')
    return { kind: 'missing', bytes: Buffer.alloc(0), why: read.kind === 'refused' ? read.why : '' }
  const { bytes } = read
  if (bytes.subarray(0, BINARY_LOOK).includes(0)) return { kind: 'file', bytes, why: 'it is not a text file' }
  const isText = Buffer.compare(Buffer.from(bytes.toString('utf8')), bytes) === 0
  if (!isText) return { kind: 'file', bytes, why: 'it is not UTF-8' }
  const isConflict = MERGE_MARK.test(bytes.toString('utf8'))
  return { kind: 'file', bytes, why: isConflict ? 'it contains merge conflict markers' : '' }
}

export function changesOf(
  before: OpenTexts,
  { memory, history, notes }: Pick<Texts, 'memory' | 'history' | 'notes'>,
): readonly FileChange[] {
  const changed = (name: string, was: string, after: string): readonly FileChange[] => {
    const path = `${before.folder}/${name}`
    return was === after ? [] : [{ path, before: before.hashes.get(path) ?? null, after }]
  }
  return [
    ...changed('MEMORY.md', before.memory, memory),
    ...changed('HISTORY.md', before.history, history),
    ...[...notes].flatMap(([day, text]) => changed(`${day}.md`, before.notes.get(day) ?? '', text)),
  ]
}
