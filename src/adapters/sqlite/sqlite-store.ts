/**
 * One open index: sources, their passages, and what these are found by. Invariant 1: a source's passages are replaced
 * whole in one transaction, so no reader sees half of a file. Invariant 2: what SQLite says of a damaged file becomes
 * IndexDamaged; everything else is a NeoError `disk`.
 */
import { statSync } from 'node:fs'
import { NeoError } from '../../domain/home/error.ts'
import {
  IndexDamaged,
  type Indexed,
  type IndexStore,
  type Passage,
  type SourceMark,
} from '../../ports/index-port.ts'
import { findWords, kept, Nearness, partWord } from './find-passages.ts'
import type { Database } from './sqlite-library.ts'

export interface OpenedDatabase {
  readonly database: Database
  readonly path: string
}

export function openStore({ database, path }: OpenedDatabase): IndexStore {
  const near = guarded(path, () => new Nearness(database))
  const write = guarded(path, () => writerOf(database, near))
  const ino = inodeOf(path)
  const known = openKnown(database)
  const guard = <T>(work: () => T): T => guarded(path, work)
  return {
    warm: (most) => guard(() => near.warm(most)),
    sources: () => guard(known.get),
    put: (all, how) => guard(() => known.after(() => write.put(all, how))),
    mark: (marks) => guard(() => known.after(() => write.mark(marks))),
    drop: (paths) => guard(() => known.after(() => write.drop(paths))),
    words: (terms, filter, limit) => guard(() => findWords(database, terms, { filter, limit })),
    hasVectors: () => guard(() => near.hasAny()),
    near: (vector, filter, limit) =>
      guard(() => {
        if (filter.parts?.length === 0) return []
        const some = near.find(vector, filter.parts, Math.min(MOST_NEAR, limit * SPARE))
        return kept(database, some, filter).slice(0, limit)
      }),
    holders: (words) => guard(() => holdersOf(database, words)),
    passages: (ids) => guard(() => passagesOf(database, ids)),
    counts: () => guard(() => countsOf(database)),
    isCurrent: () => ino !== null && inodeOf(path) === ino,
    close: () => database.close(),
  }
}

/** No more are measured. */
const MOST_NEAR = 800
const SPARE = 4

function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null
}

/** What of an error says that the file isn't an index, or not ours. */
export const DAMAGE = /SQLITE_(?:CORRUPT|NOTADB|SCHEMA|ERROR|IOERR_SHORT_READ|MISMATCH|CONSTRAINT)/

export function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = String((error as { code?: unknown }).code ?? '')
    const text = error instanceof Error ? error.message : String(error)
    if (DAMAGE.test(code)) throw new IndexDamaged(`${path}: ${text}`)
    throw new NeoError('disk', `Cannot use the index ${path}: ${text}`, {
      next: 'you can delete it; Neo creates it again from the files',
    })
  }
}

/** The sources, read again only when this or another process has changed the file. */
function openKnown(database: Database) {
  let held: { readonly version: number; readonly map: ReadonlyMap<string, SourceMark> } | null = null
  const version = database.prepare('PRAGMA data_version')
  const now = () => (version.get() as { readonly data_version: number }).data_version
  return {
    get() {
      if (held?.version !== now()) held = { version: now(), map: sourcesOf(database) }
      return held.map
    },
    after<T>(write: () => T): T {
      held = null
      return write()
    },
  }
}

function sourcesOf(database: Database): ReadonlyMap<string, SourceMark> {
  const rows = database
    .prepare('SELECT path, part, size, mtime AS mtimeMs, ctime AS ctimeMs, ino, hash, "offset" FROM sources')
    .all() as SourceMark[]
  return new Map(rows.map((row) => [row.path, row]))
}

function countsOf(database: Database): { readonly sources: number; readonly passages: number } {
  return database
    .prepare('SELECT (SELECT count(*) FROM sources) AS sources, (SELECT count(*) FROM passages) AS passages')
    .get() as { sources: number; passages: number }
}

/** FTS5 keeps these counts; a beginning of words counts as the rarest. */
function holdersOf(
  database: Database,
  words: readonly string[],
): { readonly all: number; readonly of: readonly number[] } {
  const count = database.prepare('SELECT doc FROM vocabulary WHERE term = ?')
  const { last } = database.prepare('SELECT coalesce(max(id), 0) AS last FROM passages').get() as {
    last: number
  }
  return { all: last, of: words.map((word) => (count.get(word) as { doc: number } | undefined)?.doc ?? 0) }
}

type Row = Omit<Passage, 'tags' | 'id'> & {
  readonly rowid: number
  readonly tags: string
  readonly name: string
}

function passagesOf(database: Database, ids: readonly number[]): ReadonlyMap<number, Passage> {
  const rows = database
    .prepare('SELECT id AS rowid, * FROM passages WHERE id IN (SELECT value FROM json_each(?))')
    .all(JSON.stringify(ids)) as Row[]
  return new Map(
    rows.map(({ rowid, name, tags, ...row }) => [
      rowid,
      { ...row, id: name, tags: JSON.parse(tags) as readonly string[] },
    ]),
  )
}

function writerOf(database: Database, near: Nearness): Pick<IndexStore, 'put' | 'mark' | 'drop'> {
  const rows = openRows(database, near)
  const whole = <T>(work: () => T): T => database.transaction(work).immediate()
  return {
    put: (all, how) =>
      whole(() => {
        if (how !== 'replace' && all.some(({ mark }) => rows.reach(mark.path) !== how.after)) return false
        for (const { mark, passages } of all) {
          if (how === 'replace') rows.clear(mark.path)
          for (const one of passages) rows.insert(one)
          rows.note(mark)
        }
        return true
      }),
    mark: (marks) =>
      whole(() => {
        for (const mark of marks) rows.note(mark)
      }),
    drop: (paths) =>
      whole(() => {
        for (const path of paths) {
          rows.clear(path)
          rows.forget(path)
        }
      }),
  }
}

interface Rows {
  clear(path: string): void
  forget(path: string): void
  insert(one: Indexed): void
  note(mark: SourceMark): void
  /** How much of a source is in; null for one that is not known. */
  reach(path: string): number | null
}

/** The single writes, each in whatever transaction is open. */
function openRows(database: Database, near: Nearness): Rows {
  const idsOf = database.prepare('SELECT id FROM passages WHERE source = ?')
  const deleteWords = database.prepare('DELETE FROM terms WHERE rowid = ?')
  const deletePassages = database.prepare('DELETE FROM passages WHERE source = ?')
  const deleteSource = database.prepare('DELETE FROM sources WHERE path = ?')
  const reachOf = database.prepare('SELECT "offset" FROM sources WHERE path = ?')
  const insertSource = database.prepare('INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const insertPassage = database.prepare('INSERT INTO passages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const insertWords = database.prepare('INSERT INTO terms (rowid, part, words) VALUES (?, ?, ?)')
  return {
    clear(path) {
      for (const { id } of idsOf.all(path) as { id: number }[]) {
        deleteWords.run(id)
        near.remove(id)
      }
      deletePassages.run(path)
    },
    forget: (path) => void deleteSource.run(path),
    insert({ source, part, kind, type, id: name, tags, at, line, weight, text, words, vector }) {
      const values = [source, part, kind, type, name, JSON.stringify(tags), at, line, weight, text]
      const made = insertPassage.run(...values) as { readonly lastInsertRowid: number | bigint }
      const id = Number(made.lastInsertRowid)
      insertWords.run(id, partWord(part), words)
      if (vector !== null) near.add(id, part, vector)
    },
    note: ({ path, part, size, mtimeMs, ctimeMs, ino, hash, offset }) =>
      void insertSource.run(path, part, size, mtimeMs, ctimeMs, ino, hash, offset),
    reach: (path) => (reachOf.get(path) as { readonly offset: number } | undefined)?.offset ?? null,
  }
}
