/**
 * The tables of the index. Invariant 1: what is found by words or nearness has its row in `passages`; a transaction
 * changes all of them or none. Invariant 2: words are given ready made (domain/memory/recall-words.ts), so unicode61 has
 * nothing to fold but spaces.
 */
import type { Database } from './sqlite-library.ts'

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
