/**
 * Word vectors from data/embeddings/words.bin, shipped with the program. Invariant 1: read once, at the first text that
 * needs it; if the file is missing or broken, search uses words alone.
 */
import { fileURLToPath } from 'node:url'
import { mapIn } from '../../domain/text/is-map.ts'
import { nearnessTo, vectorOf, type WordTable } from '../../domain/memory/recall-rank.ts'
import type { Files } from '../../ports/files-port.ts'

export interface Embeddings {
  /** Name and version of the table: another one sets old vectors aside. */
  readonly name: string
  of(text: string): Int8Array | null
  /** How near a text is to the question, 0 to 1; `cosine` is that of their vectors. */
  nearTo(question: string): (text: string, cosine: number) => number
  /** The table is still to be read, which the first text waits for: some 25 ms. */
  isClosed(): boolean
}

/** The bundle is a folder higher than this file. */
const PATHS = ['../../..', '../..'].map((up) =>
  fileURLToPath(new URL(`${up}/data/embeddings/words.bin`, import.meta.url)),
)
const MOST_BYTES = 16 * 1024 * 1024
/** What a home says under `memory.embeddings` to search by words alone. */
const OFF = new Set(['off', 'none', 'false', ''])

export const NO_MEANING: Embeddings = {
  name: 'none',
  of: () => null,
  nearTo: () => () => 0,
  isClosed: () => false,
}
/** The first line of the table is shorter. */
const MOST_HEAD = 1_000

let table: WordTable | null | undefined
let head: Head | null | undefined
/** Where the table was found. */
let place = PATHS[0] ?? ''

interface Head {
  readonly name: string
  readonly version: string | number
  readonly words: number
  readonly dimensions: number
  /** Bytes of its line. */
  readonly length: number
}

/** `setting`: `memory.embeddings`; anything but `off` is the local table. Of the table only the first line is read. */
export function openEmbeddings(files: Pick<Files, 'read' | 'readPart'>, setting: unknown): Embeddings {
  if (OFF.has(String(setting ?? 'local'))) return NO_MEANING
  head ??= headIn(files)
  if (head === null) return NO_MEANING
  return {
    name: `${head.name}-${head.version}`,
    of(text) {
      const known = loaded(files)
      return known === null ? null : vectorOf(known, text)
    },
    nearTo(question) {
      const known = loaded(files)
      return known === null ? () => 0 : nearnessTo(known, question)
    },
    isClosed: () => table === undefined,
  }
}

function loaded(files: Pick<Files, 'read'>): WordTable | null {
  if (table !== undefined) return table
  const read = files.read(place, MOST_BYTES)
  table = read.kind === 'file' ? tableOf(read.bytes) : null
  return table
}

function headIn(files: Pick<Files, 'readPart'>): Head | null {
  for (const path of PATHS) {
    const found = headOf(files.readPart(path, 0, MOST_HEAD))
    if (found === null) continue
    place = path
    return found
  }
  return null
}

function headOf(bytes: Buffer | null): Head | null {
  const length = (bytes?.indexOf(10) ?? -1) + 1
  const { name, version, words, dimensions } = mapIn(bytes?.toString('utf8', 0, length) ?? '') ?? {}
  if (typeof name !== 'string' || typeof words !== 'number' || typeof dimensions !== 'number') return null
  return { name, version: String(version), words, dimensions, length }
}

function tableOf(bytes: Buffer): WordTable | null {
  const about = headOf(bytes.subarray(0, MOST_HEAD))
  if (about === null) return null
  const { dimensions, length } = about
  const wordsEnd = bytes.indexOf(10, length)
  const from = bytes.byteOffset + wordsEnd + 1
  const numbers = new Int8Array(bytes.buffer, from, bytes.length - wordsEnd - 1)
  const rowOf = openWords(bytes.subarray(length, wordsEnd), about.words)
  return rowOf === null || numbers.length !== about.words * dimensions ? null : { dimensions, numbers, rowOf }
}

const SPACE = 32

/**
 * Words to rows, in a tenth of the memory of a Map: a table of slots over the bytes of the file itself.
 * `null` if there are fewer words.
 */
function openWords(bytes: Buffer, count: number): WordTable['rowOf'] | null {
  const starts = new Uint32Array(count + 1)
  const slots = new Int32Array(1 << Math.ceil(Math.log2(count * 2 + 1))).fill(-1)
  const mask = slots.length - 1
  let row = 0
  let hash = BEGIN
  for (let at = 0; at <= bytes.length && row < count; at++) {
    const byte = bytes[at] ?? SPACE
    if (byte !== SPACE) {
      hash = Math.imul(hash ^ byte, FACTOR)
      continue
    }
    let slot = ended(hash) & mask
    while (slots[slot] !== -1) slot = (slot + 1) & mask
    slots[slot] = row++
    starts[row] = at + 1
    hash = BEGIN
  }
  if (row !== count) return null
  return (word) => {
    for (let slot = hashOf(word) & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] ?? -1
      if (found < 0) return undefined
      const [from, to] = [starts[found] ?? 0, (starts[found + 1] ?? 0) - 1]
      if (to - from === word.length && bytes.toString('latin1', from, to) === word) return found
    }
  }
}

const BEGIN = 0x811c9dc5
const FACTOR = 0x01000193

/** Of the bytes that a word is in latin1. */
function hashOf(word: string): number {
  let hash = BEGIN
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), FACTOR)
  return ended(hash)
}

function ended(hash: number): number {
  return (hash ^ (hash >>> 15)) >>> 0
}
