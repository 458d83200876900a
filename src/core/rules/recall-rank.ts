/**
 * One order of what holds the words of a query and what lies near its meaning.
 * Takes, of each candidate, both measures; gives its score. Leaves to memory/search.ts: the candidates.
 * Invariant 1: a score is 0 to 1; all words of the query and its very meaning have 1.
 * Invariant 2: what holds no word and lies no nearer than chance has 0.
 */
export interface RankOptions {
  /** What all words are worth, where the very meaning is worth 1. */
  readonly words: number
  /** A smaller part of the words is chance, and nearly nothing worth beside a meaning. */
  readonly leastWords: number
  /** Cosines below it are chance. */
  readonly leastNear: number
}

/** Measured in bench/recall; see docs/memory.md. */
const RANKING: RankOptions = { words: 1, leastWords: 0.45, leastNear: 0.3 }
/** So that what holds a single word is found behind everything else. */
const ANY_WORD = 0.02
/** Over 1: many of the words are worth more than their share. */
const WITHOUT_MEANING = 2

export interface Measures {
  /** -1 to 1; null where the query has no meaning that is known. */
  readonly cosine: number | null
  /** Part of the query's words that are held, 0 to 1, rare ones counting more. */
  readonly coverage: number
}

export function scoreOf({ cosine, coverage }: Measures, options: RankOptions = RANKING): number {
  const { words, leastWords, leastNear } = options
  if (coverage === 0 && (cosine ?? 0) < leastNear) return 0
  // A query without a known meaning is ranked by its words alone.
  if (cosine === null) return coverage ** WITHOUT_MEANING
  const held = Math.max(0, coverage - leastWords) / (1 - leastWords)
  return Math.max((Math.max(0, cosine) + words * held) / (1 + words), ANY_WORD * coverage)
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
