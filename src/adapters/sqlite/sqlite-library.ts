/**
 * better-sqlite3, loaded when the index is first opened, and the tables of the index. The types are the part of the
 * package that Neo uses, so that the program is built without it. Invariants: 1. a package that is missing, or was built
 * for another node, is a value with its reason; 2. what words or vectors find has its row in `passages`; one transaction
 * changes all of them; 3. words come ready made (domain/memory/recall-words.ts): unicode61 only has to split at spaces.
 */
import { installHint } from '../../domain/text/install-hint.ts'

export interface Statement {
  run(...values: readonly unknown[]): unknown
  get(...values: readonly unknown[]): unknown
  all(...values: readonly unknown[]): readonly unknown[]
  iterate(...values: readonly unknown[]): IterableIterator<unknown>
}

export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): void
  pragma(text: string): unknown
  transaction<T>(work: () => T): { immediate(): T }
  close(): void
}

export interface Library {
  open(path: string): Database
}

const INSTALL = installHint(import.meta.url, ['better-sqlite3@12.11.1'])

let loaded: Promise<Library | { readonly wrong: string; readonly next: string }> | null = null

/** Once in the life of the process. */
export function loadLibrary(): Promise<Library | { readonly wrong: string; readonly next: string }> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Library | { readonly wrong: string; readonly next: string }> {
  try {
    const packageName: string = 'better-sqlite3'
    const module = (await import(packageName)) as { default: new (path: string, options: object) => Database }
    // Its native part is looked for when the first database is made.
    new module.default(':memory:', {}).close()
    return { open: (path) => new module.default(path, { timeout: BUSY_MS }) }
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { wrong: `better-sqlite3 cannot be used: ${first.slice(0, 200)}`, next: INSTALL }
  }
}

/** How long a writer waits for another process. */
const BUSY_MS = 5_000

/** Grows with each change of the tables. */
export const SCHEMA = 6
/** Numbers of a vector. */
export const DIMENSIONS = 100

export function makeTables(database: Database): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS sources (
      path TEXT PRIMARY KEY, part TEXT NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL,
      ino INTEGER NOT NULL, hash TEXT NOT NULL, "offset" INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS passages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, part TEXT NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL,
      name TEXT NOT NULL, tags TEXT NOT NULL, at TEXT NOT NULL, line INTEGER NOT NULL, weight REAL NOT NULL,
      text TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS passages_by_source ON passages (source);
    CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, part TEXT NOT NULL, vector BLOB NOT NULL);
    CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5 (
      part, words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0'
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (terms, row);
  `)
}
