/**
 * Search by words without an index: reads the files each time. Invariant 1: finds memories, facts and notes; conversations
 * and results of tasks need the index. Invariant 2: in small steps, never more than MOST_PASSAGES.
 */
import { termsOf } from '../../domain/memory/recall-words.ts'
import type { IndexFilter, Passage } from '../../ports/index-port.ts'
import type { SyncPlaces } from '../index/index-sync.ts'
import { passagesOf } from '../index/passages.ts'
import { type Seen, sourcesOf } from '../index/sources.ts'
import { openSteps } from '../index/yielding.ts'
import { type Found, hitOf, holding, type Search } from './search-index.ts'

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
