/** An index of facts, and the rank that each way of searching gives the right one. */
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openSentences } from '../../src/adapters/sentences/sentence-model.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { termsOf } from '../../src/domain/memory/recall-words.ts'
import { indexedOf } from '../../src/memory/index/index-sync.ts'
import { type Embeddings, openEmbeddings } from '../../src/memory/search/embeddings.ts'
import { findReranked, type Search, searchIndex } from '../../src/memory/search/search-index.ts'
import type { IndexStore, Passage, Scored, SentenceModel } from '../../src/ports/index-port.ts'
import type { Pair } from './questions.ts'

export const WAYS = ['words', 'meaning', 'both'] as const
export type Way = (typeof WAYS)[number]
/** 1-based; 0 if the fact is not found. */
export type Ranks = Readonly<Record<Way, number>>

const CANDIDATES = 100
const FIRST = 5

export interface FilledIndex {
  ranksOf(pair: Pair): Ranks
  /** Both, and the first hits put in order by a sentence model; null if none is installed. */
  rerankedOf(pair: Pair): Promise<number | null>
  close(): void
}

export async function fillIndex(path: string, facts: readonly string[]): Promise<FilledIndex> {
  const meaning = openEmbeddings(openFiles(), 'local')
  const store = await openIndexStores().open(path, meaning.name)
  if ('wrong' in store) throw new Error(`${store.wrong}; ${store.next}`)
  fill(store, meaning, facts)
  return {
    ranksOf: (pair) => ranksOf(store, meaning, pair),
    rerankedOf: (pair) => rerankedOf(store, meaning, pair),
    close: () => store.close(),
  }
}

function fill(store: IndexStore, meaning: Embeddings, facts: readonly string[]): void {
  const mark = { part: 'shop', size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1, hash: 'x', offset: 0 }
  const all = facts.map((text, at) => {
    const passage: Passage = {
      source: `rooms/shop/memories/${at}.md`,
      part: 'shop',
      kind: 'memory',
      type: 'note',
      id: String(at),
      tags: [],
      at: '',
      line: 1,
      weight: 1,
      text,
    }
    return { mark: { ...mark, path: passage.source }, passages: [indexedOf(passage, meaning)] }
  })
  store.put(all, 'replace')
}

function ranksOf(store: IndexStore, meaning: Embeddings, { fact, question }: Pair): Ranks {
  const filter = { parts: null }
  const words = store.words(termsOf(question), filter, CANDIDATES)
  const vector = meaning.of(question)
  const near = vector === null ? [] : store.near(vector, filter, CANDIDATES)
  const rankIn = (list: readonly Scored[]) => {
    const texts = store.passages(list.map(({ id }) => id))
    return list.findIndex(({ id }) => texts.get(id)?.text === fact) + 1
  }
  const { hits } = searchIndex(store, meaning, { ...filter, query: question, limit: CANDIDATES })
  const both = hits.findIndex(({ passage }) => passage.text === fact) + 1
  return { words: rankIn(words), meaning: rankIn(near), both }
}

const sentences = openSentences()
const LONGEST_MS = 60_000

async function rerankedOf(
  store: IndexStore,
  meaning: Embeddings,
  { fact, question }: Pair,
): Promise<number | null> {
  const unhurried: SentenceModel = { near: (query, texts) => sentences.near(query, texts, LONGEST_MS) }
  if ((await unhurried.near(question, [fact], LONGEST_MS)) === null) return null
  const model = meaning.of(question) === null ? null : unhurried
  const find = (of: Search) => searchIndex(store, meaning, of)
  const found = await findReranked(find, { parts: null, query: question, limit: CANDIDATES }, model)
  return (found?.hits ?? []).findIndex(({ passage }) => passage.text === fact) + 1
}

export function recallAt5(ranks: readonly number[]): number {
  return ranks.filter((rank) => rank > 0 && rank <= FIRST).length / ranks.length
}

export function isMissed(rank: number): boolean {
  return rank === 0 || rank > FIRST
}

export function meanReciprocal(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length
}
