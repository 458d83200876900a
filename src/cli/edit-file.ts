/**
 * Files that commands read, and the few that they change themselves (`neo init`, `neo doctor --fix`). Invariant 1: if
 * another program saves the file in between, it is read and changed again; no edit is lost.
 */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NeoError } from '../domain/home/error.ts'
import type { Files } from '../ports/files-port.ts'
import { usage } from './cli-failure.ts'
import type { Call } from './spec.ts'

/** Larger files are refused, as in engine/commit/transact.ts. */
export const MAX_BYTES = 1024 * 1024
/** Each retry needs another writer within microseconds. */
const ROUNDS = 8

/**
 * Changes a file. `change` returns the new text, or null to leave it as it is. Returns true if the file was written.
 * Throws NeoError `missing` if there is no file, `failed` if it can't be read or keeps changing.
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
  throw new NeoError('failed', `Cannot change "${path}": another program keeps changing it`, {
    next: 'run the command again',
  })
}

/** Throws NeoError `missing` or `failed`. */
export function bytesAt(files: Files, path: string): Buffer {
  const read = files.read(path, MAX_BYTES)
  if (read.kind === 'missing') throw new NeoError('missing', `Cannot read "${path}": no such file`)
  if (read.kind === 'refused') throw new NeoError('failed', `Cannot read "${path}": it ${read.why}`)
  return read.bytes
}

/** Creates a file; returns false if the path already exists. */
export function createFile(files: Files, home: string, file: { path: string; text: string }): boolean {
  return files.save(join(home, file.path), Buffer.from(file.text), null).kind === 'saved'
}

/** Throws NeoError `usage` if the folder of a file that is to be created is missing. */
export function ensureFolder(action: string, file: string): void {
  const folder = dirname(file)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usage(`${action}: folder "${folder}" not found`, `mkdir -p ${folder}`)
}

/** The git blob id of bytes, by which the file store compares; computed here so that such commands don't start git. */
export function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

interface InEditor {
  readonly file: string
  /** For messages, such as `the task`. */
  readonly what: string
  /** A command that works without an editor. */
  readonly next: string
}

export function inEditor(call: Call, { file, what, next }: InEditor): void {
  const { env, stdin } = call.around
  const editor = env['VISUAL'] || env['EDITOR'] || ''
  if (editor === '' || stdin.isTTY !== true || !call.out.isTerminal)
    throw usage(`Cannot edit ${what}: no field was given, and there is no terminal with $EDITOR`, next)
  const ended = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (ended.status !== 0)
    throw new NeoError(
      'failed',
      `Cannot edit ${what}: the editor "${editor}" failed (${ended.status ?? ended.signal ?? 'no exit code'})`,
    )
}
