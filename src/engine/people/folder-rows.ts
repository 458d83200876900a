/**
 * What the files of a folder say, asked before each decision on rights. Invariants: 1. a change of a file counts at once:
 * all files are checked once in a turn of the event loop, and changed ones read; 2. without a change the same map is
 * returned, so that callers can cache by it.
 */
import { join } from 'node:path'
import type { Files, ReadResult, ScanEntry } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'
import { MAX_BYTES } from '../commit/journal.ts'

export interface FolderSource {
  readonly home: string
  readonly world: {
    readonly files: Pick<Files, 'scan' | 'read' | 'stat'>
    readonly clock: Pick<Clock, 'now'>
  }
}

export interface FolderOf<T> {
  /** Relative to the home. */
  readonly folder: string
  /** `known`: what the file said before. */
  readonly said: (path: string, read: ReadResult, known: T | undefined) => T
}

export interface FolderRow<T> {
  readonly stat: ScanEntry
  /** False if it changed just before it was read: file system clocks are coarse. */
  readonly isCalm: boolean
  readonly said: T
}

/** By path in the folder, sorted. */
export type FolderRows<T> = ReadonlyMap<string, FolderRow<T>>

interface Listing {
  rows: FolderRows<unknown>
  /** Checked in this turn of the event loop: one decision asks several times. */
  isFresh: boolean
}

const RACY_MS = 3_000
const listings = new WeakMap<FolderSource['world']['files'], Map<string, Listing>>()

/** Reads changed files only. */
export function rowsOf<T>(source: FolderSource, of: FolderOf<T>): FolderRows<T> {
  const listing = listingOf(source, of)
  if (listing.isFresh) return listing.rows as FolderRows<T>
  listing.isFresh = true
  setImmediate(() => {
    listing.isFresh = false
  })
  try {
    listing.rows = look(source, of, listing.rows as FolderRows<T>)
  } catch (error) {
    listing.isFresh = false
    throw error
  }
  return listing.rows as FolderRows<T>
}

/**
 * What one file says; null without such a file. Of the files, only this one is checked while it is unchanged.
 * @param path relative to the folder; no `..`
 */
export function rowAt<T>(source: FolderSource, of: FolderOf<T>, path: string): FolderRow<T> | null {
  const listing = listingOf(source, of)
  const known = listing.rows.get(path) as FolderRow<T> | undefined
  const stat = source.world.files.stat(join(source.home, of.folder, path))
  if (known === undefined || stat === null) return rowsOf(source, of).get(path) ?? null
  const row = rowOf(source, of, { stat: { ...stat, path, kind: 'file' }, known })
  if (row !== known && row.isCalm) listing.rows = new Map(listing.rows).set(path, row)
  return row
}

const lists = new WeakMap<FolderRows<unknown>, unknown>()

/** What is made of the rows; the same until one of the files changes. */
export function listOf<T, L>(source: FolderSource, of: FolderOf<T>, make: (said: readonly T[]) => L): L {
  const rows = rowsOf(source, of)
  const known = lists.get(rows) as L | undefined
  if (known !== undefined) return known
  const list = make([...rows.values()].map(({ said }) => said))
  lists.set(rows, list)
  return list
}

/** Until one of the files changes. */
export function replaceRows<T>(source: FolderSource, of: FolderOf<T>, rows: FolderRows<T>): void {
  listingOf(source, of).rows = rows
}

function look<T>(source: FolderSource, of: FolderOf<T>, before: FolderRows<T>): FolderRows<T> {
  const found = source.world.files
    .scan(
      join(source.home, of.folder),
      (path, kind) => kind === 'file' && path.endsWith('.md') && path !== 'README.md',
    )
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const rows = new Map(
    found.map((stat) => [stat.path, rowOf(source, of, { stat, known: before.get(stat.path) })]),
  )
  const isSame = rows.size === before.size && [...rows].every(([path, row]) => before.get(path) === row)
  return isSame ? before : rows
}

function rowOf<T>(
  { home, world }: FolderSource,
  { folder, said }: FolderOf<T>,
  { stat, known }: { readonly stat: ScanEntry; readonly known: FolderRow<T> | undefined },
): FolderRow<T> {
  if (known?.isCalm === true && isSame(known.stat, stat)) return known
  const now = world.clock.now()
  const read = world.files.read(join(home, folder, stat.path), MAX_BYTES)
  const changedAt = Math.max(stat.mtimeMs, stat.ctimeMs ?? Number.POSITIVE_INFINITY)
  // A file may become readable without a change.
  const isCalm = now - changedAt > RACY_MS && read.kind === 'file'
  return { stat, isCalm, said: said(stat.path, read, known?.said) }
}

function isSame(a: ScanEntry, b: ScanEntry): boolean {
  return (
    a.size === b.size &&
    a.ino === b.ino &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.kind === b.kind
  )
}

function listingOf<T>({ world: { files }, home }: FolderSource, { folder }: FolderOf<T>): Listing {
  const folders = listings.get(files) ?? new Map<string, Listing>()
  listings.set(files, folders)
  const key = join(home, folder)
  const listing = folders.get(key) ?? { rows: new Map(), isFresh: false }
  folders.set(key, listing)
  return listing
}
