/**
 * Opening the index file. What is damaged, of another version or no database at all is created again. Invariant 1: nothing
 * but the index's own three files is ever removed. Invariant 2: two processes may open it at once: whichever comes
 * later waits, and finds it made.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { IndexDamaged, type IndexStore, type IndexStores } from '../../ports/index-port.ts'
import { type Database, DIMENSIONS, type Library, loadLibrary, makeTables, SCHEMA } from './sqlite-library.ts'
import { DAMAGE, guarded, openStore } from './sqlite-store.ts'

export function openIndexStores(): IndexStores {
  const open = new Set<IndexStore>()
  const kept = (store: IndexStore): IndexStore => {
    const own: IndexStore = {
      ...store,
      close() {
        open.delete(own)
        store.close()
      },
    }
    open.add(own)
    return own
  }
  return {
    async open(path, version) {
      const library = await loadLibrary()
      if ('wrong' in library) return library
      const long = tooLong(path)
      if (long !== null) return long
      try {
        return kept(openAt(library, path, version))
      } catch (error) {
        if (!(error instanceof IndexDamaged)) throw error
        remove(path)
        return kept(openAt(library, path, version))
      }
    },
    async trouble(path) {
      const library = await loadLibrary()
      if ('wrong' in library) return library
      return tooLong(path) ?? (existsSync(path) ? damageIn(library, path) : null)
    },
    remove,
    closeAll() {
      for (const store of open) store.close()
    },
  }
}

function damageIn(library: Library, path: string): { readonly wrong: string; readonly next: string } | null {
  const next = 'Neo creates it again from the files'
  try {
    const database = library.open(path)
    try {
      const [row] = database.prepare('PRAGMA quick_check(1)').all() as readonly Record<string, string>[]
      const says = row?.['quick_check'] ?? 'no result'
      return says === 'ok' ? null : { wrong: `the index is damaged: ${says}`, next }
    } finally {
      database.close()
    }
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string }
    if (DAMAGE.test(code)) return { wrong: `the index is damaged: ${message}`, next }
    return { wrong: `cannot open the index: ${message}`, next: `check who may read and write ${path}` }
  }
}

/** Bytes of a path that SQLite opens: 512, and its own files beside have longer names. */
const MOST_PATH = 504

function tooLong(path: string): { readonly wrong: string; readonly next: string } | null {
  const bytes = Buffer.byteLength(path)
  if (bytes <= MOST_PATH) return null
  const wrong = `the path of the index has ${bytes} bytes, and SQLite takes ${MOST_PATH} at most`
  return { wrong, next: 'move the home to a folder with a shorter path' }
}

function remove(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
}

function openAt(library: Library, path: string, version: string): IndexStore {
  return guarded(path, () => {
    mkdirSync(dirname(path), { recursive: true })
    // It holds what was said: nobody else reads it, nor the files that SQLite makes beside it.
    closeSync(openSync(path, 'a', 0o600))
    const database = library.open(path)
    try {
      database.pragma('journal_mode = WAL')
      // A lost index is made again, so it need not wait for the disk.
      database.pragma('synchronous = OFF')
      database.pragma('temp_store = MEMORY')
      // What is deleted is overwritten, in free pages too.
      database.pragma('secure_delete = ON')
      database.pragma('journal_size_limit = 8388608')
      const wanted = `${SCHEMA} ${DIMENSIONS} ${version}`
      database.transaction(() => prepare(database, wanted)).immediate()
      return openStore({ database, path })
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** An index of another version goes whole: what made it may be older or newer than we are. */
function prepare(database: Database, wanted: string): void {
  database.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID')
  const row = database.prepare("SELECT value FROM meta WHERE key = 'version'").get() as
    | { value: string }
    | undefined
  if (row !== undefined && row.value !== wanted)
    throw Object.assign(new Error('another version'), { code: 'SQLITE_SCHEMA' })
  makeTables(database)
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('version', ?)").run(wanted)
}
