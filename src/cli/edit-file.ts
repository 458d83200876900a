/**
 * Files that commands read, and the few that they change themselves (`neo init`, `neo doctor --fix`): read, patch the
 * lines concerned, compare and swap. Invariant 1: what somebody else saves meanwhile is never lost: then the text is
 * read and patched again.
 */
import { join } from 'node:path'
import { NeoError } from '../domain/home/error.ts'
import type { Files } from '../ports/world.ts'
import { blobOf } from './blob-of.ts'

/** Over this a file of ours is refused (engine/commit/transact.ts says the same). */
export const MAX_BYTES = 1024 * 1024
/** Every further round needs another writer within microseconds. */
const ROUNDS = 8

/**
 * Changes a file. `change` gives the new text, or null to leave it. Gives true where something was written.
 * Throws NeoError `missing` where there is no file, `failed` where it cannot be read or goes on changing.
 */
export function editFile(
  files: Files,
  path: string,
  change: (text: string, bytes: Buffer) => string | null,
): boolean {
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = bytesAt(files, path)
    const text = change(bytes.toString('utf8'), bytes)
    if (text === null) return false
    const saved = files.save(path, Buffer.from(text), blobOf(bytes))
    if (saved.kind === 'saved') return true
  }
  throw new NeoError('failed', `Cannot change "${path}": somebody else goes on changing it`, {
    next: 'the same command again',
  })
}

/** Throws NeoError `missing` or `failed`. */
export function bytesAt(files: Files, path: string): Buffer {
  const read = files.read(path, MAX_BYTES)
  if (read.kind === 'missing') throw new NeoError('missing', `Cannot read "${path}": there is no such file`)
  if (read.kind === 'refused') throw new NeoError('failed', `Cannot read "${path}": it ${read.why}`)
  return read.bytes
}

/** Makes a new file; gives false where something stands there already. */
export function createFile(files: Files, home: string, file: { path: string; text: string }): boolean {
  return files.save(join(home, file.path), Buffer.from(file.text), null).kind === 'saved'
}
