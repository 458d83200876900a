/**
 * The meaning of a text as a vector: the mean of its words' vectors, rare words counting more. Invariant 1: the same
 * text and table give the same vector; a text without known words, or in another language than the table's, has none.
 */
import { isLittle, plainWordsOf, scriptsOf } from './recall-words.ts'

/** Below this share of known words a text is not English, or says too much that the table does not know. */
const LEAST_KNOWN = 0.6
/** Characters without spaces that count as one word. */
const WIDE_WORD = 2

/** Frequent short words of other languages that are no English words. */
const FOREIGN: ReadonlySet<string> = new Set(
  `der das und ist nicht ein eine einen einem einer im zum zur mit wird werden wurde wie wo wann wer ich wir ihr sie es auf
bei nach vom aus auch dem den des sich noch nur kein keine hat haben sind oder wenn dass für über
el la los las un una unos que y del por con para se está su sus qué cuál cómo dónde cuándo quién al lo pero es son muy
le les et une du au aux dans pour avec sur est sont ce cette qui où quand nous vous je il elle ils ne pas plus
il gli di che è della dei delle nel nella con sono per una uno chi dove quando si anche
o os um uma do da dos das não em no na nos nas com é são quem onde quando ao pelo pela
het een van voor met wordt niet op zijn naar ook er maar wie waar wanneer hoe bij
w na nie się jest do że jak kto gdzie kiedy przez są dla ale po od
och att det som inte är för av till hur när var och på`.split(/\s+/),
)

/** Some words of other languages look like English ones (`die`, `war`, `rat`): a vector made of these ranks at random. */
function isEnglish(text: string, isKnown: (word: string) => boolean): boolean {
  const { words, wide } = scriptsOf(text)
  let [known, foreign, english] = [0, 0, 0]
  for (const word of words) {
    if (isKnown(word)) known++
    // `no`, `do`, `an` are words of both.
    if (isLittle(word)) english++
    else if (FOREIGN.has(word)) foreign++
  }
  const all = words.length + wide / WIDE_WORD
  return known > 0 && foreign <= english && known >= all * LEAST_KNOWN
}

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
