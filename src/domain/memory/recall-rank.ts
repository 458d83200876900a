/**
 * One order of what holds the words of a query and what is near its meaning. Invariant 1: a score is 0 to 1; a short
 * passage with all words of the query and its very meaning has 1. Invariant 2: without a known meaning the order is that
 * of the words alone. Invariant 3: what is near is never dropped.
 */
export interface RankOptions {
  /** What the meaning is worth, where all words are worth 1. */
  readonly meaning: number
  /** In a short passage a smaller part of the words is chance, and worth nothing beside a meaning. */
  readonly leastWords: number
  /** Letters: the mean of the words of a longer passage says less and less, and its words say more. */
  readonly short: number
}

/** Chosen on the tuned halves of bench/recall; figures in docs/bench.md. */
const RANKING: RankOptions = { meaning: 1, leastWords: 0.45, short: 100 }
/** So that what holds a single word is found behind everything else. */
const ANY_WORD = 0.02

export interface Measures {
  /** -1 to 1; null if the query has no meaning that is known. */
  readonly cosine: number | null
  /** Part of the query's words that are held, 0 to 1, rare ones counting more. */
  readonly coverage: number
  /** The same by BM25: the best passage has the largest coverage of any, the others as much less as their BM25 is less. */
  readonly ranked: number
  /** Of the passage. */
  readonly letters: number
}

export function scoreOf(
  { cosine, coverage, ranked, letters }: Measures,
  options: RankOptions = RANKING,
): number {
  if (cosine === null) return ranked
  const { meaning, leastWords, short } = options
  const shortness = Math.min(1, short / Math.max(1, letters))
  const words = shortness * coverage + (1 - shortness) * ranked
  const chance = leastWords * shortness
  const held = Math.max(0, words - chance) / (1 - chance)
  const near = meaning * Math.sqrt(shortness) * Math.max(0, cosine)
  return Math.max((near + held) / (1 + meaning), ANY_WORD * words)
}

/** How much a word tells that so many of all texts hold. */
export function rarityOf(holders: number, all: number): number {
  return Math.log(1 + (Math.max(holders, all) - holders + 0.5) / (holders + 0.5))
}

/** A term with what it tells; one that ends with `*` is the beginning of a word. */
export interface Weighed {
  readonly term: string
  readonly rarity: number
}

/** Of many texts, words that a large part of them holds tell nothing beside others, and cost most to look up. */
export function tellingOf(terms: readonly Weighed[], texts: number): readonly string[] {
  const telling = texts < MANY ? terms : terms.filter(({ rarity }) => rarity >= LEAST_RARE)
  const [rarest] = terms.toSorted((a, b) => b.rarity - a.rarity)
  const used = telling.length > 0 || rarest === undefined ? telling : [rarest]
  return used.map(({ term }) => term)
}

const MANY = 5_000
/** About a twentieth of all texts. */
const LEAST_RARE = 3

/** Part of the terms that a text of these words holds. */
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
