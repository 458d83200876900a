/**
 * The meaning of a text as a vector: the mean of its words' vectors, rare words counting more.
 * Takes a table of words; gives vectors of texts. Leaves to memory/meaning.ts: where the table is from.
 * Invariant 1: the same text and table give the same vector; a text without known words, or
 * in another language than the table's, has none.
 */
import { isEnglish } from './recall-language.ts'
import { plainWordsOf } from './recall-words.ts'

export interface WordTable {
  readonly dimensions: number
  /** Row of a word; commoner words come first. */
  rowOf(word: string): number | undefined
  /** One row a word, unit vectors times 127. */
  readonly numbers: Int8Array
}

/** A word of rank r counts `SMOOTH / (SMOOTH + 1 / (r + 2))`: the ends of the scale are "the" and a rare name. */
const SMOOTH = 0.0012
const MOST_WORDS = 400

/** Null if no word of the text is known, or it is written in another language. */
export function vectorOf(table: WordTable, text: string): Int8Array | null {
  if (!isEnglish(text, (word) => rowOf(table, word) !== undefined)) return null
  const { dimensions, numbers } = table
  const sum = new Float64Array(dimensions)
  let known = 0
  for (const word of plainWordsOf(text).slice(0, MOST_WORDS)) {
    const row = rowOf(table, word)
    if (row === undefined) continue
    known++
    const weight = SMOOTH / (SMOOTH + 1 / (row + 2))
    const from = row * dimensions
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + weight * (numbers[from + at] ?? 0)
  }
  return known === 0 ? null : scaled(sum)
}

/** The word itself, else its singular, else without a possessive. */
function rowOf(table: WordTable, word: string): number | undefined {
  const plain = word.replace(/['’]s?$/, '')
  return table.rowOf(plain) ?? (plain.endsWith('s') ? table.rowOf(plain.slice(0, -1)) : undefined)
}

/** Cosine of two vectors of one table. */
export function cosineOf(a: Int8Array, b: Int8Array): number {
  let dot = 0
  let squareA = 0
  let squareB = 0
  for (let at = 0; at < a.length; at++) {
    const x = a[at] ?? 0
    const y = b[at] ?? 0
    dot += x * y
    squareA += x * x
    squareB += y * y
  }
  return squareA === 0 || squareB === 0 ? 0 : dot / Math.sqrt(squareA * squareB)
}

function scaled(sum: Float64Array): Int8Array | null {
  const length = Math.sqrt(sum.reduce((all, one) => all + one * one, 0))
  if (length === 0) return null
  // The longest number of a unit vector of 100 is seldom over 0.5, so twice the scale keeps more of it.
  return Int8Array.from(sum, (one) => Math.max(-127, Math.min(127, Math.round((one / length) * 254))))
}
