/**
 * Files of JSON lines. Invariant 1: a line that is invalid JSON (torn by a crash, zeros after a power cut) is counted and
 * skipped; the whole lines before and after it count.
 */
import { NeoError } from '../domain/home/error.ts'
import type { Files } from '../ports/files-port.ts'

/** Compaction keeps these files near 1 MiB; one that is far larger is not read into memory. */
const MOST_BYTES = 512 * 1024 * 1024

export interface Lines {
  readonly values: readonly unknown[]
  readonly broken: number
  readonly bytes: number
}

/** Empty if the file is missing; throws `NeoError('disk')` if it can't be read. */
export function readLines(files: Pick<Files, 'read'>, path: string): Lines {
  const found = files.read(path, MOST_BYTES)
  if (found.kind === 'missing') return { values: [], broken: 0, bytes: 0 }
  if (found.kind === 'refused') throw new NeoError('disk', `Cannot read "${path}": it ${found.why}`)
  return { ...parseLines(found.bytes.toString('utf8')), bytes: found.bytes.length }
}

/** Each whole line's value; only `\n` ends a line. */
export function parseLines(text: string): { readonly values: readonly unknown[]; readonly broken: number } {
  const values: unknown[] = []
  let broken = 0
  for (const line of text.split('\n')) {
    if (line === '') continue
    try {
      values.push(JSON.parse(line))
    } catch {
      broken += 1
    }
  }
  return { values, broken }
}

/** Replaces the whole file by these values. Returns its size; null if the disk refuses: then the file is as it was. */
export function replaceLines(
  files: Pick<Files, 'save'>,
  path: string,
  values: readonly unknown[],
): number | null {
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  try {
    // The port returns the present hash of a file that is not as expected. Only this process writes this one.
    const first = files.save(path, bytes, 'unknown')
    const result = first.kind === 'changed' ? files.save(path, bytes, first.hash) : first
    return result.kind === 'saved' ? bytes.length : null
  } catch (error) {
    if (error instanceof NeoError && error.code === 'disk') return null
    throw error
  }
}
