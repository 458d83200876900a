/**
 * The last path of each id: `.neo/cache/ids.txt`, one `id path` a line, so that a task is found by its id without reading
 * others. It can be deleted at any time. Invariant 1: a line is valid only while its file has the id; else all files are
 * searched.
 */
import { join } from 'node:path'
import { kindOf } from '../../domain/home/home-paths.ts'
import type { Files } from '../../ports/files-port.ts'
import { blobOf } from '../blob-of.ts'
import { MAX_BYTES } from '../edit-file.ts'

interface Named {
  readonly id: string
  readonly path: string
}

interface Where {
  readonly home: string
  readonly files: Files
}

const MOST_BYTES = 64 * 1024 * 1024

/** Empty if the id is unknown, or its file has changed. */
export function knownPaths({ home, files }: Where, id: string): readonly string[] {
  const read = files.read(fileOf(home), MOST_BYTES)
  if (read.kind !== 'file') return []
  const paths = linesOf(read.bytes, `\n${id} `)
  return paths.every((path) => isTask(path) && says(files, join(home, path), id)) ? paths : []
}

function isTask(path: string): boolean {
  return kindOf(path)?.kind === 'task' && !path.split('/').includes('..')
}

/** The ends of the lines that begin with `start`, found without splitting 100,000 lines. */
function linesOf(bytes: Buffer, start: string): readonly string[] {
  const found: string[] = []
  for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
    const end = bytes.indexOf('\n', at + 1)
    found.push(bytes.toString('utf8', at + Buffer.byteLength(start), end < 0 ? bytes.length : end))
  }
  return found
}

/** In its `neo:` block, as Neo writes it. */
function says(files: Files, path: string, id: string): boolean {
  const read = files.read(path, MAX_BYTES)
  return read.kind === 'file' && new RegExp(`^ +id: "?${id}"?\\s*$`, 'm').test(read.bytes.toString('utf8'))
}

export function keepIds({ home, files }: Where, all: readonly Named[]): void {
  const lines = all.filter(({ path }) => !path.includes('\n')).map(({ id, path }) => `${id} ${path}`)
  const path = fileOf(home)
  try {
    const old = files.read(path, MOST_BYTES)
    const before = old.kind === 'file' ? blobOf(old.bytes) : null
    files.save(path, Buffer.from(`\n${lines.join('\n')}\n`), before)
  } catch {
    // A full disk, or no write access: ids are searched for in the files.
  }
}

function fileOf(home: string): string {
  return join(home, '.neo', 'cache', 'ids.txt')
}
