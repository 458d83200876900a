/**
 * Filters of a repository's own configuration that a person has allowed, by the hash of their commands.
 * Takes the file under the git dir, which no session can reach; gives and adds hashes.
 * Leaves to shadow.ts: what runs. Invariant 1: a filter whose commands change is another filter, and is not allowed.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Filter } from './own-config.ts'

/** Enough of SHA-256 for a person to compare, and for nobody to match. */
const LENGTH = 32

export function filterHash({ name, settings }: Filter): string {
  const lines = [name, ...[...settings].map(([key, value]) => `${key}=${value}`).sort()]
  return createHash('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, LENGTH)
}

export function allowedFilters(file: string): ReadonlySet<string> {
  if (!existsSync(file)) return new Set()
  try {
    const hashes: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return new Set(Array.isArray(hashes) ? hashes.filter((hash) => typeof hash === 'string') : [])
  } catch {
    return new Set()
  }
}

export function allowFilter(file: string, filter: Filter): void {
  const hashes = [...new Set([...allowedFilters(file), filterHash(filter)])]
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temp = `${file}.${process.pid}.tmp`
  writeFileSync(temp, `${JSON.stringify(hashes)}\n`, { mode: 0o600 })
  renameSync(temp, file)
}
