/**
 * Reorders the first hits with a sentence model, if one is installed. Invariants: 1. no hit is lost, and later hits stay
 * behind; 2. a query in a language that the model doesn't know, or a slow model, changes nothing.
 */
import type { SentenceModel } from '../../ports/index-port.ts'
import type { Found, Hit, Search } from './search-index.ts'

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
