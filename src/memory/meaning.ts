/**
 * The table of words that meaning is made of: data/embeddings/words.bin, shipped with the program.
 * Takes the file store; gives vectors of texts. Leaves to core/rules/recall-vectors.ts: how words make a sentence.
 * Invariant 1: read once, at the first need; without the file, or with a broken one, words alone are used.
 */
import { fileURLToPath } from 'node:url'
import { vectorOf, type WordTable } from '../core/rules/recall-vectors.ts'
import type { Files } from '../ports.ts'

export interface Meaning {
  /** Name and version of the table: another one sets old vectors aside. */
  readonly name: string
  of(text: string): Int8Array | null
}

const PATH = fileURLToPath(new URL('../../data/embeddings/words.bin', import.meta.url))
const MOST_BYTES = 16 * 1024 * 1024
/** What a home says under `memory.embeddings` to search by words alone. */
const OFF = new Set(['off', 'none', 'false', ''])

const NONE: Meaning = { name: 'none', of: () => null }

let table: WordTable | null | undefined
let name = 'none'

/** `setting`: `memory.embeddings`; anything but `off` is the local table. */
export function openMeaning(files: Pick<Files, 'read'>, setting: unknown): Meaning {
  if (OFF.has(String(setting ?? 'local'))) return NONE
  const known = loaded(files)
  return known === null ? NONE : { name, of: (text) => vectorOf(known, text) }
}

function loaded(files: Pick<Files, 'read'>): WordTable | null {
  if (table !== undefined) return table
  const read = files.read(PATH, MOST_BYTES)
  table = read.kind === 'file' ? tableOf(read.bytes) : null
  return table
}

function tableOf(bytes: Buffer): WordTable | null {
  try {
    const headEnd = bytes.indexOf(10)
    const wordsEnd = bytes.indexOf(10, headEnd + 1)
    const head = JSON.parse(bytes.toString('utf8', 0, headEnd)) as Record<string, unknown>
    const words = bytes.toString('latin1', headEnd + 1, wordsEnd).split(' ')
    const dimensions = Number(head['dimensions'])
    const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + wordsEnd + 1, bytes.length - wordsEnd - 1)
    if (words.length !== head['words'] || numbers.length !== words.length * dimensions) return null
    name = `${String(head['name'])}-${String(head['version'])}`
    return { dimensions, numbers, rows: new Map(words.map((word, row) => [word, row])) }
  } catch {
    return null
  }
}
