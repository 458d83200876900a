/**
 * The queries of the index: words by FTS5 with filters, and what is near a vector. Vectors: first by the signs of their
 * numbers, one bit each, in memory; then by the numbers, in the file, of those that share most signs. Measured over
 * 100,000: signs 2 ms, all numbers 28 ms, the KNN of sqlite-vec 38 ms for the first 80 and 112 for 400. Invariants:
 * 1. signs are only a hint: what is no longer in the file is never returned, whichever process removed it; 2. ids are
 * never reused, so what is new in the file has the highest; 3. terms are quoted, so nothing in them is syntax of FTS5;
 * 4. nothing comes from a partition that the filter does not name.
 */
import { cosineOf } from '../../domain/memory/recall-rank.ts'
import type { IndexFilter, Scored } from '../../ports/index-port.ts'
import { type Database, DIMENSIONS, type Statement } from './sqlite-library.ts'

/** How many of those that share most signs are measured. */
const COARSE = 800
/** Numbers of 32 bits that hold the signs of one vector. */
const WORDS = Math.ceil(DIMENSIONS / 32)
const FIRST_ROOM = 1_024

export class Nearness {
  private readonly insert: Statement
  private readonly erase: Statement
  private readonly newer: Statement
  private readonly some: Statement
  private ids = new Float64Array(FIRST_ROOM)
  private parts = new Uint32Array(FIRST_ROOM)
  private signs = new Uint32Array(FIRST_ROOM * WORDS)
  private readonly partNames = new Map<string, number>()
  private count = 0

  constructor(database: Database) {
    this.insert = database.prepare('INSERT INTO vectors (id, part, vector) VALUES (?, ?, ?)')
    this.erase = database.prepare('DELETE FROM vectors WHERE id = ?')
    this.newer = database.prepare('SELECT id, part, vector FROM vectors WHERE id > ? ORDER BY id LIMIT ?')
    this.some = database.prepare(
      'SELECT id, vector FROM vectors WHERE id IN (SELECT value FROM json_each(?))',
    )
  }

  add(id: number, part: string, vector: Int8Array): void {
    this.insert.run(id, part, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
  }

  remove(id: number): void {
    this.erase.run(id)
  }

  hasAny(): boolean {
    return this.count > 0 || this.newer.get(0, 1) !== undefined
  }

  /** Loads up to `most` vectors that are new in the file; returns how many there were. */
  warm(most: number): number {
    const last = this.count === 0 ? 0 : (this.ids[this.count - 1] ?? 0)
    const rows = this.newer.all(last, most) as readonly { id: number; part: string; vector: Buffer }[]
    for (const { id, part, vector } of rows) this.hold(id, part, numbersOf(vector))
    return rows.length
  }

  find(vector: Int8Array, parts: readonly string[] | null, limit: number): readonly Scored[] {
    while (this.warm(ALL_AT_ONCE) === ALL_AT_ONCE);
    const ids = this.sharing(signsOf(vector), parts)
    const rows = this.some.all(JSON.stringify(ids)) as readonly { id: number; vector: Buffer }[]
    return rows
      .map((row) => ({ id: row.id, score: cosineOf(vector, numbersOf(row.vector)) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, limit)
  }

  private hold(id: number, part: string, vector: Int8Array): void {
    if (this.count === this.ids.length) this.grow()
    const known = this.partNames.get(part) ?? this.partNames.size
    this.partNames.set(part, known)
    this.ids[this.count] = id
    this.parts[this.count] = known
    this.signs.set(signsOf(vector), this.count * WORDS)
    this.count++
  }

  private grow(): void {
    const room = this.ids.length * 2
    this.ids = grown(new Float64Array(room), this.ids)
    this.parts = grown(new Uint32Array(room), this.parts)
    this.signs = grown(new Uint32Array(room * WORDS), this.signs)
  }

  /** Ids of those that differ in the fewest signs. */
  private sharing(query: Uint32Array, parts: readonly string[] | null): readonly number[] {
    const wanted = parts === null ? null : new Set(parts.map((part) => this.partNames.get(part) ?? -1))
    const differences = new Uint8Array(this.count)
    const counts = new Uint32Array(WORDS * 32 + 2)
    for (let at = 0; at < this.count; at++) {
      const isWanted = wanted === null || wanted.has(this.parts[at] ?? -1)
      const differs = isWanted ? this.differing(at, query) : WORDS * 32 + 1
      differences[at] = differs
      counts[differs] = (counts[differs] ?? 0) + 1
    }
    let most = 0
    for (let sum = 0; most <= WORDS * 32 && sum < COARSE; most++) sum += counts[most] ?? 0
    const ids: number[] = []
    for (let at = 0; at < this.count && ids.length < COARSE * 2; at++)
      if ((differences[at] ?? 0) < most) ids.push(this.ids[at] ?? 0)
    return ids
  }

  private differing(at: number, query: Uint32Array): number {
    let sum = 0
    for (let word = 0; word < WORDS; word++)
      sum += bitsIn((this.signs[at * WORDS + word] ?? 0) ^ (query[word] ?? 0))
    return sum
  }
}

const ALL_AT_ONCE = 20_000

function grown<T extends Float64Array | Uint32Array>(larger: T, old: T): T {
  larger.set(old)
  return larger
}

function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function signsOf(vector: Int8Array): Uint32Array {
  const signs = new Uint32Array(WORDS)
  for (let at = 0; at < vector.length; at++)
    if ((vector[at] ?? 0) > 0) signs[at >> 5] = (signs[at >> 5] ?? 0) | (1 << (at & 31))
  return signs
}

function numbersOf(bytes: Buffer): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Candidates for each wanted one, if a filter is applied after ranking. */
const SPARE = 12

/** Passages with a term. Filters other than `parts` cost a join, so they are applied after ranking. */
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
  const best = matching(database, match, most)
  const some = kept(database, best, filter).slice(0, limit)
  if (isPlain || some.length >= limit || best.length < most) return some
  // Few of the best fit a narrow filter.
  return kept(database, matching(database, match, ALL), filter).slice(0, limit)
}

/** For SQLite: no limit. */
const ALL = -1

/** The best first. */
function matching(database: Database, match: string, most: number): readonly Scored[] {
  return database
    .prepare(
      'SELECT rowid AS id, -bm25(terms, 0.0, 1.0) AS score FROM terms WHERE terms MATCH ? ORDER BY score DESC LIMIT ?',
    )
    .all(match, most) as Scored[]
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

/** Those that fit type, tags and time, in the same order. */
export function kept(database: Database, scored: readonly Scored[], filter: IndexFilter): readonly Scored[] {
  if (!isNarrow(filter)) return scored
  const rows = database
    .prepare('SELECT id, type, tags, at FROM passages WHERE id IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify(scored.map(({ id }) => id))) as Facets[]
  const fit = new Set(rows.filter((row) => fits(row, filter)).map(({ id }) => id))
  return scored.filter(({ id }) => fit.has(id))
}

function fits(row: Facets, { types, tags, from, to }: IndexFilter): boolean {
  if (types !== undefined && !types.some((type) => type === row.type)) return false
  if (tags !== undefined && tags.length > 0) {
    const own = JSON.parse(row.tags) as readonly string[]
    if (!tags.every((tag) => own.includes(tag))) return false
  }
  if (from !== undefined && row.at < from) return false
  // A day alone includes all of it.
  return to === undefined || row.at <= `${to}\uffff`
}
