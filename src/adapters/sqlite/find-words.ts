/**
 * The queries of the index: words by FTS5, and what a filter lets through. Invariant 1: terms are quoted, so nothing in
 * them is syntax of FTS5. Invariant 2: of a partition that the filter does not name, nothing comes.
 */
import type { IndexFilter, Scored } from '../../ports/index-port.ts'
import type { Database } from './sqlite-library.ts'

/** More candidates than are wanted, where a filter is looked at after ranking. */
const SPARE = 12

/** Passages that hold a term. What is looked up in `sources` beside words costs a join, so it comes after ranking. */
export function findWords(
  database: Database,
  terms: readonly string[],
  { filter, limit }: { readonly filter: IndexFilter; readonly limit: number },
): readonly Scored[] {
  if (terms.length === 0 || filter.parts?.length === 0) return []
  const words = terms.map(quoted).join(' OR ')
  const parts =
    filter.parts === null
      ? ''
      : `part : (${filter.parts.map((part) => `"${partWord(part)}"`).join(' OR ')}) AND `
  const match = `${parts}words : (${words})`
  const isPlain = !isNarrow(filter)
  const most = isPlain ? limit : limit * SPARE
  const found = database
    .prepare(
      'SELECT rowid AS id, bm25(terms, 0.0, 1.0) AS score FROM terms WHERE terms MATCH ? ORDER BY score LIMIT ?',
    )
    .all(match, most) as { id: number; score: number }[]
  const ranked = found.map(({ id, score }) => ({ id, score: -score }))
  if (isPlain) return ranked
  const some = kept(database, ranked, filter).slice(0, limit)
  if (some.length >= limit || found.length < most) return some
  return exhaustive(database, match, { filter, limit })
}

/** Where few of the best fit a narrow filter, all that match are looked at. */
function exhaustive(
  database: Database,
  match: string,
  { filter, limit }: { readonly filter: IndexFilter; readonly limit: number },
): readonly Scored[] {
  const all = database
    .prepare(
      'SELECT rowid AS id, bm25(terms, 0.0, 1.0) AS score FROM terms WHERE terms MATCH ? ORDER BY score',
    )
    .all(match) as { id: number; score: number }[]
  const ranked = all.map(({ id, score }) => ({ id, score: -score }))
  return kept(database, ranked, filter).slice(0, limit)
}

function quoted(term: string): string {
  const isBeginning = term.endsWith('*')
  const bare = (isBeginning ? term.slice(0, -1) : term).replaceAll('"', '""')
  return isBeginning ? `"${bare}" *` : `"${bare}"`
}

/** A partition as one word that no text holds. */
export function partWord(part: string): string {
  return `part${Buffer.from(part).toString('hex')}`
}

function isNarrow({ types, tags, from, to }: IndexFilter): boolean {
  return (
    types !== undefined || (tags !== undefined && tags.length > 0) || from !== undefined || to !== undefined
  )
}

interface Facets {
  readonly id: number
  readonly type: string
  readonly tags: string
  readonly at: string
}

const BATCH = 500

/** Those that fit type, tags and time, in the same order. */
export function kept(database: Database, scored: readonly Scored[], filter: IndexFilter): readonly Scored[] {
  if (!isNarrow(filter)) return scored
  const fit = new Set<number>()
  for (let at = 0; at < scored.length; at += BATCH) {
    const ids = scored.slice(at, at + BATCH).map(({ id }) => id)
    const marks = ids.map(() => '?').join(',')
    const rows = database
      .prepare(`SELECT id, type, tags, at FROM passages WHERE id IN (${marks})`)
      .all(...ids)
    for (const row of rows as Facets[]) if (fits(row, filter)) fit.add(row.id)
  }
  return scored.filter(({ id }) => fit.has(id))
}

function fits(row: Facets, { types, tags, from, to }: IndexFilter): boolean {
  if (types !== undefined && !types.some((type) => type === row.type)) return false
  if (tags !== undefined && tags.length > 0) {
    const own = JSON.parse(row.tags) as readonly string[]
    if (!tags.every((tag) => own.includes(tag))) return false
  }
  if (from !== undefined && row.at < from) return false
  // A day alone means its end, too.
  return to === undefined || row.at <= `${to}\uffff`
}
