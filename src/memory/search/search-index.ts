/**
 * Search by words and vectors in one ranking, with snippets and places. Invariant 1: any query works: quotes, operators,
 * emoji, other scripts, nothing. Invariant 2: no hit comes from a part that was not asked for.
 */
import {
  cosineOf,
  coverageOf,
  rarityOf,
  scoreOf,
  tellingOf,
  type Weighed,
} from '../../domain/memory/recall-rank.ts'
import { bestLine } from '../../domain/memory/recall-texts.ts'
import { termsOf, wordsOf } from '../../domain/memory/recall-words.ts'
import type { IndexFilter, IndexStore, Passage, Scored } from '../../ports/index-port.ts'
import type { Embeddings } from './embeddings.ts'

export interface Search extends IndexFilter {
  readonly query: string
  readonly limit: number
}

export interface Hit {
  readonly passage: Passage
  /** 0 to 1 for all words and the very meaning, times the passage's weight. */
  readonly score: number
  readonly snippet: string
  readonly line: number
}

export interface Found {
  readonly hits: readonly Hit[]
  /** How many there are to choose from, up to a limit. */
  readonly total: number
}

/** What each list gives to choose from. */
const CANDIDATES = 80
const SNIPPET = 300
const MOST_HITS = 100

export function searchIndex(store: IndexStore, meaning: Embeddings, of: Search): Found {
  const terms = termsOf(of.query)
  if (terms.length === 0) return { hits: [], total: 0 }
  const vector = store.hasVectors() ? meaning.of(of.query) : null
  const { all, of: holders } = store.holders(terms)
  const weighed = terms.map((term, at) => ({ term, rarity: rarityOf(holders[at] ?? 0, all) }))
  const words = store.words(tellingOf(weighed, all), of, CANDIDATES)
  const near = vector === null ? [] : store.near(vector, of, CANDIDATES)
  const passages = store.passages([...new Set([...words, ...near].map(({ id }) => id))])
  const cosines = new Map(near.map(({ id, score }) => [id, score]))
  const measure = measuring(meaning, { vector, terms: weighed, cosines, words, passages })
  const scored = [...passages].map(([id, passage]) => ({
    id,
    passage,
    score: measure(id, passage) * passage.weight,
  }))
  // Where both measures are the same, the shorter text comes first, as FTS5 has it.
  const places = new Map(words.map(({ id }, place) => [id, place]))
  const placeOf = (id: number) => places.get(id) ?? places.size
  const best = scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || placeOf(a.id) - placeOf(b.id) || a.id - b.id)
  return {
    hits: best.slice(0, Math.min(of.limit, MOST_HITS)).map((one) => hitOf(one, terms)),
    total: best.length,
  }
}

interface Measuring {
  readonly vector: Int8Array | null
  readonly terms: readonly Weighed[]
  readonly cosines: ReadonlyMap<number, number>
  /** Best first, by BM25. */
  readonly words: readonly Scored[]
  readonly passages: ReadonlyMap<number, Passage>
}

function measuring(meaning: Embeddings, of: Measuring): (id: number, passage: Passage) => number {
  const { vector, terms, cosines, words, passages } = of
  const held = new Map([...passages].map(([id, passage]) => [id, coverageOf(terms, heldBy(passage))]))
  const most = Math.max(0, ...held.values())
  const best = words[0]?.score ?? 0
  const ranks = new Map(words.map(({ id, score }) => [id, best > 0 ? (most * Math.max(0, score)) / best : 0]))
  return (id, { text, tags }) => {
    const own = vector === null || cosines.has(id) ? null : meaning.of(`${text}\n${tags.join(' ')}`)
    const cosine = vector === null ? null : (cosines.get(id) ?? (own === null ? 0 : cosineOf(vector, own)))
    const coverage = held.get(id) ?? 0
    return scoreOf({ cosine, coverage, ranked: ranks.get(id) ?? 0, letters: text.length })
  }
}

function heldBy({ text, tags }: Passage): ReadonlySet<string> {
  return new Set(wordsOf(`${text}\n${tags.join(' ')}`))
}

export function hitOf(
  { passage, score }: { readonly passage: Passage; readonly score: number },
  terms: readonly string[],
): Hit {
  const { line, text } = bestLine(passage, holding(terms))
  // Lines of a transcript are lines of its file, whatever its texts are made of.
  const place = passage.kind === 'talk' || passage.kind === 'task' ? passage.line : line
  return { passage, score: Math.round(score * 1000) / 1000, snippet: text.slice(0, SNIPPET), line: place }
}

/** How many of the terms a line holds. */
export function holding(terms: readonly string[]): (line: string) => number {
  const whole = new Set(terms.filter((term) => !term.endsWith('*')))
  const beginnings = terms.filter((term) => term.endsWith('*')).map((term) => term.slice(0, -1))
  return (line) => {
    const own = [...new Set(wordsOf(line))]
    return own.filter((word) => whole.has(word) || beginnings.some((begin) => word.startsWith(begin))).length
  }
}
