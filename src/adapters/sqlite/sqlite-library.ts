/**
 * better-sqlite3, loaded when the index is first opened. The types here are the part of the package that we use, so that
 * the program is built without them. Invariant 1: a package that is absent, or was built for another node, is a value
 * with its reason, never a throw.
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
