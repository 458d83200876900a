/**
 * Filters that a person has allowed for a repository, by the hash of their commands. Invariant 1: a filter whose
 * commands change is another filter, and is not allowed.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Filter } from '../process/own-config.ts'

/** Enough of SHA-256 for a person to compare, and for nobody to match. */
const LENGTH = 32

export function filterHash({ name, settings }: Filter): string {
  const lines = [name, ...[...settings].map(([key, value]) => `${key}=${value}`).sort()]
  return createHash('sha256').update(JSON.stringify(lines)).digest('hex').slice(0, LENGTH)
}

export function allowedFilters(file: string): ReadonlySet<string> {
  return new Set(read(file).map(({ hash }) => hash))
}

export function allowFilter(file: string, filter: Filter): void {
  const { name } = filter
  const hash = filterHash(filter)
  write(file, [...read(file).filter((one) => one.hash !== hash), { name, hash }])
}

/** Takes back what was allowed under this name, with whatever commands. False if nothing was. */
export function denyFilter(file: string, name: string, hash: string | null): boolean {
  const all = read(file)
  const left = all.filter((one) => one.name !== name && one.hash !== hash)
  if (left.length === all.length) return false
  write(file, left)
  return true
}

interface Allowed {
  /** '' in files of version 0.1. */
  readonly name: string
  readonly hash: string
}

/** A file that cannot be read allows nothing. */
function read(file: string): readonly Allowed[] {
  if (!existsSync(file)) return []
  try {
    const rows: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return Array.isArray(rows) ? rows.flatMap((row) => allowedOf(row)) : []
  } catch {
    return []
  }
}

function allowedOf(row: unknown): readonly Allowed[] {
  if (typeof row === 'string') return [{ name: '', hash: row }]
  const { name, hash } = (row ?? {}) as { readonly name?: unknown; readonly hash?: unknown }
  return typeof name === 'string' && typeof hash === 'string' ? [{ name, hash }] : []
}

function write(file: string, rows: readonly Allowed[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temp = `${file}.${process.pid}.tmp`
  writeFileSync(temp, `${JSON.stringify(rows)}\n`, { mode: 0o600 })
  renameSync(temp, file)
}
