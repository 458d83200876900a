/**
 * Ranking by words and by meaning, and the meaning of a text as a vector: the mean of the vectors of its words, in
 * which rare words count more. Invariant 1: a score is 0 to 1; a short passage with all words of the query and its
 * exact meaning has 1. Invariant 2: without a known meaning, the order is that of the words alone. Invariant 3: a
 * passage near in meaning is never dropped. Invariant 4: the same text and table give the same vector; a text without
 * known words, or in another language than that of the table, has none.
 */
import { isLittle, plainWordsOf, scriptsOf } from './recall-words.ts'

interface RankOptions {
  /** Weight of the meaning, if all words have weight 1. */
  readonly meaning: number
  /** In a short passage, a smaller share of the words is chance and counts nothing next to a meaning. */
  readonly leastWords: number
  /** Letters. The longer a passage, the less its mean vector says and the more its words say. */
  readonly short: number
}

/** Chosen on the tuned halves of bench/recall; figures in docs/bench.md. */
const RANKING: RankOptions = { meaning: 1, leastWords: 0.45, short: 100 }
/** Weight of words alone, so that a passage with a single word is found last. */
const ANY_WORD = 0.02

interface Measures {
  /** -1 to 1; null if the meaning of the query is unknown. */
  readonly near: number | null
  /** Share of the words of the query in the passage, 0 to 1; rare ones count more. */
  readonly coverage: number
  /**
   * The same by BM25: the best passage has the largest coverage of all, the others less in proportion to their BM25.
   */
  readonly ranked: number
  /** Length of the passage. */
  readonly letters: number
}

export function scoreOf(
  { near, coverage, ranked, letters }: Measures,
  options: RankOptions = RANKING,
): number {
  if (near === null) return ranked
  const { meaning, leastWords, short } = options
  const shortness = Math.min(1, short / Math.max(1, letters))
  const words = shortness * coverage + (1 - shortness) * ranked
  const chance = leastWords * shortness
  const held = Math.max(0, words - chance) / (1 - chance)
  const meant = meaning * Math.sqrt(shortness) * Math.max(0, near)
  return Math.max((meant + held) / (1 + meaning), ANY_WORD * words)
}

/** The weight of a word that `holders` of `all` texts contain. */
export function rarityOf(holders: number, all: number): number {
  return Math.log(1 + (Math.max(holders, all) - holders + 0.5) / (holders + 0.5))
}

/** A term with its weight; one that ends with `*` is the beginning of a word. */
export interface Weighed {
  readonly term: string
  readonly rarity: number
}

/** With many texts, words in a large share of them tell nothing next to others, and cost most to look up. */
export function tellingOf(terms: readonly Weighed[], texts: number): readonly string[] {
  const telling = texts < MANY ? terms : terms.filter(({ rarity }) => rarity >= LEAST_RARE)
  const [rarest] = terms.toSorted((a, b) => b.rarity - a.rarity)
  const used = telling.length > 0 || rarest === undefined ? telling : [rarest]
  return used.map(({ term }) => term)
}

const MANY = 5_000
/** About a twentieth of all texts. */
const LEAST_RARE = 3

/** Share of the terms in a text of these words, weighted. */
export function coverageOf(terms: readonly Weighed[], words: ReadonlySet<string>): number {
  const whole = terms.filter(({ term }) => !term.endsWith('*'))
  const counted = whole.length > 0 ? whole : terms
  const all = counted.reduce((sum, { rarity }) => sum + rarity, 0)
  if (all === 0) return 0
  const held = counted.reduce((sum, { term, rarity }) => sum + (holds(words, term, terms) ? rarity : 0), 0)
  return held / all
}

function holds(words: ReadonlySet<string>, term: string, terms: readonly Weighed[]): boolean {
  if (words.has(term)) return true
  const begin = term.endsWith('*') ? term.slice(0, -1) : term
  const isBeginning = term.endsWith('*') || terms.some((one) => one.term === `${term}*`)
  return isBeginning && [...words].some((word) => word.startsWith(begin))
}

/** With a smaller share of known words, a text is not English, or mostly unknown to the table. */
const LEAST_KNOWN = 0.6
/** Characters of scripts without spaces that count as one word. */
const WIDE_WORD = 2

/** Frequent short words of other languages that are not English words. */
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

/** Words of other languages can look English (`die`, `war`, `rat`); a vector made of these would rank at random. */
function isEnglish(text: string, isKnown: (word: string) => boolean): boolean {
  const { words, wide } = scriptsOf(text)
  let [known, foreign, english] = [0, 0, 0]
  for (const word of words) {
    if (isKnown(word)) known++
    // `no`, `do` and `an` are words of both.
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

/** Null if no word of the text is known, or if it is in another language. */
export function vectorOf(table: WordTable, text: string): Int8Array | null {
  if (!isEnglish(text, (word) => rowOf(table, word) !== undefined)) return null
  const { dimensions, numbers } = table
  const sum = new Float64Array(dimensions)
  const rows = rowsOf(table, text, MOST_WORDS)
  for (const row of rows) {
    const weight = weightOf(row)
    const from = row * dimensions
    for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + weight * (numbers[from + at] ?? 0)
  }
  return rows.length === 0 ? null : scaled(sum)
}

function weightOf(row: number): number {
  return SMOOTH / (SMOOTH + 1 / (row + 2))
}

/** Of the known words of the text, in its order. */
function rowsOf(table: WordTable, text: string, most: number): readonly number[] {
  const words = plainWordsOf(text).slice(0, most)
  return words.flatMap((word) => rowOf(table, word) ?? [])
}

/** More words make it more likely that some are alike by chance, and cost time. */
const MOST_PAIRED = 40
/** Shares: of the words of the question in the pairs, and of the pairs in the meaning. Chosen as RANKING was. */
const FROM_QUESTION = 0.7
const PAIRED = 0.2

/**
 * How near a text is to the question: the cosine of their vectors, and how near each word of one is to the nearest word
 * of the other, which a mean of all words hides.
 */
export function nearnessTo(table: WordTable, question: string): (text: string, cosine: number) => number {
  const asked = [...new Set(rowsOf(table, question, MOST_PAIRED))]
  return (text, cosine) => {
    const told = [...new Set(rowsOf(table, text, MOST_PAIRED))]
    const near = asked.map((row) => told.map((other) => rowCosine(table, row, other)))
    const best = (rows: readonly number[], of: (at: number) => readonly number[]) =>
      weighedMean(rows.map((row, at) => ({ weight: weightOf(row), value: Math.max(0, ...of(at)) })))
    const ofAsked = best(asked, (at) => near[at] ?? [])
    const ofTold = best(told, (at) => near.map((row) => row[at] ?? 0))
    return (1 - PAIRED) * cosine + PAIRED * (FROM_QUESTION * ofAsked + (1 - FROM_QUESTION) * ofTold)
  }
}

function weighedMean(of: readonly { readonly weight: number; readonly value: number }[]): number {
  const all = of.reduce((sum, { weight }) => sum + weight, 0)
  return all === 0 ? 0 : of.reduce((sum, { weight, value }) => sum + weight * value, 0) / all
}

function rowCosine({ dimensions, numbers }: WordTable, a: number, b: number): number {
  const row = (at: number) => numbers.subarray(at * dimensions, (at + 1) * dimensions)
  return a === b ? 1 : cosineOf(row(a), row(b))
}

/** The row of the word, else of its singular. */
function rowOf(table: WordTable, word: string): number | undefined {
  const plain = word.replace(/['’]s?$/, '')
  return table.rowOf(plain) ?? (plain.endsWith('s') ? table.rowOf(plain.slice(0, -1)) : undefined)
}

/** Cosine of two vectors of one table or model. */
export function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
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
  // Numbers of a unit vector of length 100 are seldom over 0.5, so twice the scale keeps more precision.
  return Int8Array.from(sum, (one) => Math.max(-127, Math.min(127, Math.round((one / length) * 254))))
}
