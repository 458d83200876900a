/**
 * Search by words and vectors in one ranking, with snippets and places; the first hits reordered by a sentence model, if
 * one is installed; or by words alone without an index. Invariants: 1. any query works: quotes, operators, emoji, other
 * scripts, nothing; 2. no hit comes from a part that was not asked for; 3. reordering loses no hit, and a query in a
 * language that the model doesn't know, or a slow model, changes nothing; 4. without an index, memories, facts and notes
 * are found, in small steps, in MOST_PASSAGES at most.
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
import { termsOf, withKind, wordsOf } from '../../domain/memory/recall-words.ts'
import type { IndexFilter, IndexStore, Passage, Scored, SentenceModel } from '../../ports/index-port.ts'
import type { SyncPlaces } from '../index/index-sync.ts'
import { passagesOf } from '../index/passages.ts'
import { openSteps, type Seen, sourcesOf } from '../index/sources.ts'
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
  const question = withKind(of.query)
  const vector = store.hasVectors() ? meaning.of(question) : null
  const { all, of: holders } = store.holders(terms)
  const weighed = terms.map((term, at) => ({ term, rarity: rarityOf(holders[at] ?? 0, all) }))
  const words = store.words(tellingOf(weighed, all), of, CANDIDATES)
  const near = vector === null ? [] : store.near(vector, of, CANDIDATES)
  const passages = store.passages([...new Set([...words, ...near].map(({ id }) => id))])
  const cosines = new Map(near.map(({ id, score }) => [id, score]))
  const measure = measuring(meaning, { question, vector, terms: weighed, cosines, words, passages })
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
  readonly question: string
  readonly vector: Int8Array | null
  readonly terms: readonly Weighed[]
  readonly cosines: ReadonlyMap<number, number>
  /** Best first, by BM25. */
  readonly words: readonly Scored[]
  readonly passages: ReadonlyMap<number, Passage>
}

function measuring(meaning: Embeddings, of: Measuring): (id: number, passage: Passage) => number {
  const { question, vector, terms, cosines, words, passages } = of
  const held = new Map([...passages].map(([id, passage]) => [id, coverageOf(terms, heldBy(passage))]))
  const most = Math.max(0, ...held.values())
  const best = words[0]?.score ?? 0
  const ranks = new Map(words.map(({ id, score }) => [id, best > 0 ? (most * Math.max(0, score)) / best : 0]))
  const nearness = vector === null ? () => 0 : meaning.nearTo(question)
  return (id, { text, tags }) => {
    const own = vector === null || cosines.has(id) ? null : meaning.of(`${text}\n${tags.join(' ')}`)
    const cosine = vector === null ? null : (cosines.get(id) ?? (own === null ? 0 : cosineOf(vector, own)))
    const near = cosine === null || cosine <= 0 ? cosine : nearness(text, cosine)
    const coverage = held.get(id) ?? 0
    return scoreOf({ near, coverage, ranked: ranks.get(id) ?? 0, letters: text.length })
  }
}

function heldBy({ text, tags }: Passage): ReadonlySet<string> {
  return new Set(wordsOf(`${text}\n${tags.join(' ')}`))
}

function hitOf(
  { passage, score }: { readonly passage: Passage; readonly score: number },
  terms: readonly string[],
): Hit {
  const { line, text } = bestLine(passage, holding(terms))
  // Lines of a transcript are lines of its file, whatever its texts are made of.
  const place = passage.kind === 'talk' || passage.kind === 'task' ? passage.line : line
  return { passage, score: Math.round(score * 1000) / 1000, snippet: text.slice(0, SNIPPET), line: place }
}

/** How many of the terms a line holds. */
function holding(terms: readonly string[]): (line: string) => number {
  const whole = new Set(terms.filter((term) => !term.endsWith('*')))
  const beginnings = terms.filter((term) => term.endsWith('*')).map((term) => term.slice(0, -1))
  return (line) => {
    const own = [...new Set(wordsOf(line))]
    return own.filter((word) => whole.has(word) || beginnings.some((begin) => word.startsWith(begin))).length
  }
}

/** Hits that are looked at. */
const RERANKED = 40
/** What a question waits for it; a late answer helps the next one. */
const PATIENCE_MS = 2_000

/** Searches by `find` and puts the first hits in order; null where `find` has no index. */
export async function findReranked(
  find: (of: Search) => Found | null,
  of: Search,
  model: SentenceModel | null,
): Promise<Found | null> {
  if (model === null) return find(of)
  const found = find({ ...of, limit: Math.max(of.limit, RERANKED) })
  if (found === null) return null
  const { hits, total } = await reranked(model, of.query, found)
  return { hits: hits.slice(0, of.limit), total }
}

async function reranked(model: SentenceModel, query: string, found: Found): Promise<Found> {
  const first = found.hits.slice(0, RERANKED)
  if (first.length < 2) return found
  const texts = first.map(({ passage }) => passage.text)
  const cosines = await model.near(query, texts, PATIENCE_MS)
  if (cosines === null) return found
  const scored = first.map((hit, at) => ({ ...hit, score: blended(hit, cosines[at] ?? 0) }))
  const rest = found.hits.slice(RERANKED).map((hit) => ({ ...hit, score: blended(hit, 0) }))
  return { ...found, hits: [...scored.toSorted((a, b) => b.score - a.score), ...rest] }
}

function blended({ score, passage }: Hit, cosine: number): number {
  return Math.round(((score + passage.weight * Math.max(0, cosine)) / 2) * 1000) / 1000
}

const MOST_BYTES = 8 * 1024 * 1024
const MOST_PASSAGES = 200_000
const READ: ReadonlySet<string> = new Set(['memory', 'fact', 'history', 'daily'])

export async function searchFiles(places: SyncPlaces, of: Search): Promise<Found> {
  const terms = termsOf(of.query)
  if (terms.length === 0 || of.parts?.length === 0) return { hits: [], total: 0 }
  const steps = openSteps()
  const holds = holding(terms)
  const scored: { readonly passage: Passage; readonly score: number }[] = []
  let looked = 0
  for await (const batch of (places.sources ?? sourcesOf)(places, steps)) {
    for (const seen of batch) {
      if (!READ.has(seen.kind) || (of.parts !== null && !of.parts.includes(seen.part))) continue
      for (const passage of readPassages(places, seen)) {
        if (++looked > MOST_PASSAGES) break
        const held = fits(passage, of) ? holds(`${passage.text}\n${passage.tags.join(' ')}`) : 0
        if (held > 0) scored.push({ passage, score: Math.min(1, held / terms.length) * passage.weight })
        await steps.rest()
      }
    }
  }
  const best = scored.toSorted((a, b) => b.score - a.score || (a.passage.source < b.passage.source ? -1 : 1))
  return { hits: best.slice(0, of.limit).map((one) => hitOf(one, terms)), total: best.length }
}

function readPassages(places: SyncPlaces, seen: Seen): readonly Passage[] {
  const read = places.files.read(seen.full, MOST_BYTES)
  return read.kind === 'file' ? passagesOf(seen, read.bytes, places.timezone) : []
}

function fits({ type, tags, at }: Passage, filter: IndexFilter): boolean {
  if (filter.types !== undefined && !filter.types.includes(type)) return false
  if (filter.tags !== undefined && !filter.tags.every((tag) => tags.includes(tag))) return false
  if (filter.from !== undefined && at < filter.from) return false
  return filter.to === undefined || at <= `${filter.to}\uffff`
}
