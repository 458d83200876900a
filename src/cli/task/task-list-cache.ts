/**
 * The headers of all task files; unchanged files come from `.neo/cache/tasks.json`. Lists read it instead of asking the
 * hub, which looks at the whole home: with 10,000 tasks that takes twice as long. It is never written to tasks, and can
 * be deleted at any time. Invariant 1: an entry is valid only for the same path, size, mtime and inode, and the same time
 * zone and program. Invariant 2: a file changed within RACY_MS of its reading is read again, because clocks of file
 * systems are coarse. Invariant 3: if the cache can't be read or written, the command only takes longer.
 * Invariant 4: for an id, an entry of any age is a hint: it counts while its file has that id.
 */
import { join } from 'node:path'
import { isConflictCopy } from '../../domain/home/home-paths.ts'
import type { Problem } from '../../domain/home/problem.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import type { Files, ScanEntry, Stat } from '../../ports/files-port.ts'
import { wholeFile } from '../cli-failure.ts'
import { blobOf, MAX_BYTES } from '../edit-file.ts'
import { headOf, PACKED_AS, type Packed, pack, type TaskHead, unpack } from './task-cells.ts'
import { isTaskPath, scanTasks } from './task-paths.ts'

export type Summary =
  | {
      readonly kind: 'ok'
      readonly path: string
      readonly head: TaskHead
      readonly warnings: readonly Problem[]
    }
  | { readonly kind: 'bad'; readonly path: string; readonly problems: readonly Problem[] }
  /** Being written: empty so far, or a fence is still open. */
  | {
      readonly kind: 'unfinished'
      readonly path: string
      readonly why: string
      readonly is: 'empty' | 'open'
    }

export interface TaskListCache {
  readonly home: string
  readonly files: Files
  readonly zone: string
  readonly version: string
  /** Epoch ms. */
  readonly now: number
}

/** Fields with default values are left out: reading the cache takes as long as it is large. */
type Row = readonly [
  path: string,
  size: number,
  mtimeMs: number,
  ino: number,
  stored: Packed | { readonly s: Summary },
]

interface Kept {
  readonly key: string
  readonly rows: readonly Row[]
}

const RACY_MS = 100
const CACHE_BYTES = 64 * 1024 * 1024

/** All task files of the home, in order of their paths. */
export function taskSummaries(cache: TaskListCache): readonly Summary[] {
  const path = fileOf(cache.home)
  const key = [cache.version, cache.zone, PACKED_AS].join(' ')
  const { rows: old, bytes } = load(path, key, cache.files)
  const all: Summary[] = []
  const rows: Row[] = []
  let read = 0
  for (const entry of scanTasks(cache.home, cache.files).toSorted(byPath)) {
    const known = old.get(entry.path)
    if (known !== undefined && same(known, entry)) {
      rows.push(known)
      all.push(fromRow(known))
      continue
    }
    read++
    const { summary, stat } = readSummary(entry, cache)
    all.push(summary)
    if (stat !== null && stat.mtimeMs < cache.now - RACY_MS) rows.push(toRow(summary, stat))
  }
  if (read > 0 || rows.length !== old.size) keep(path, { key, rows }, { files: cache.files, bytes })
  return all
}

function byPath(a: ScanEntry, b: ScanEntry): number {
  return a.path < b.path ? -1 : 1
}

function same([, size, mtimeMs, ino]: Row, entry: ScanEntry): boolean {
  return entry.kind === 'file' && entry.size === size && entry.mtimeMs === mtimeMs && entry.ino === ino
}

function load(
  path: string,
  key: string,
  files: Files,
): { rows: ReadonlyMap<string, Row>; bytes: Buffer | null } {
  const read = files.read(path, CACHE_BYTES)
  if (read.kind !== 'file') return { rows: new Map(), bytes: null }
  try {
    const kept = JSON.parse(read.bytes.toString('utf8')) as Kept
    const rows = kept.key === key ? kept.rows : []
    return { rows: new Map(rows.map((row) => [row[0], row])), bytes: read.bytes }
  } catch {
    return { rows: new Map(), bytes: read.bytes }
  }
}

function keep(path: string, kept: Kept, to: { files: Files; bytes: Buffer | null }): void {
  try {
    const bytes = Buffer.from(JSON.stringify(kept))
    to.files.save(path, bytes, to.bytes === null ? null : blobOf(to.bytes))
  } catch {
    // A full disk, or no write access: the next list reads the files again.
  }
}

function readSummary(entry: ScanEntry, cache: TaskListCache): { summary: Summary; stat: Stat | null } {
  const { path } = entry
  if (isConflictCopy(path))
    return { summary: bad(path, 'This is a conflict copy of a sync tool'), stat: null }
  const read = cache.files.read(join(cache.home, path), MAX_BYTES)
  if (read.kind === 'missing')
    return { summary: bad(path, 'It was deleted just now, or its name is not UTF-8'), stat: null }
  if (read.kind === 'refused') return { summary: bad(path, `It ${read.why}`), stat: null }
  const task = readTask(path, read.bytes, cache.zone)
  const { stat, bytes } = read
  switch (task.kind) {
    case 'ok':
      return { summary: { kind: 'ok', path, head: headOf(task.value), warnings: task.warnings }, stat }
    case 'bad':
      return { summary: { kind: 'bad', path, problems: task.problems }, stat }
    case 'unfinished': {
      const is = bytes.toString('utf8').trim() === '' ? 'empty' : 'open'
      return { summary: { kind: 'unfinished', path, why: task.why, is }, stat }
    }
  }
}

function bad(path: string, message: string): Summary {
  const problem = wholeFile(path, message, 'Replace it with a plain text file, or delete it')
  return { kind: 'bad', path, problems: [problem] }
}

function toRow(summary: Summary, { size, mtimeMs, ino }: Stat): Row {
  const short = summary.kind === 'ok' && summary.warnings.length === 0
  return [summary.path, size, mtimeMs, ino, short ? pack(summary.head) : { s: summary }]
}

function fromRow([path, , , , stored]: Row): Summary {
  return 's' in stored ? stored.s : { kind: 'ok', path, head: unpack(stored), warnings: [] }
}

/** Paths of the tasks with this id. */
export function pathsWithId(cache: TaskListCache, id: string): readonly string[] {
  const known = knownPaths(cache, id)
  if (known.length > 0) return known
  return taskSummaries(cache).flatMap((summary) =>
    summary.kind === 'ok' && summary.head.id === id ? [summary.path] : [],
  )
}

type Where = Pick<TaskListCache, 'home' | 'files'>

/** Empty if the id is unknown, or its file has changed. */
function knownPaths({ home, files }: Where, id: string): readonly string[] {
  const read = files.read(fileOf(home), CACHE_BYTES)
  const paths = read.kind === 'file' ? pathsIn(read.bytes, `"id":"${id}"`) : []
  return paths.every((path) => isTaskPath(path) && says({ home, files }, path, id)) ? paths : []
}

/** Of the rows that hold a text; 100,000 rows are not parsed. No value of a row holds it: its quotes are escaped there. */
function pathsIn(bytes: Buffer, text: string): readonly string[] {
  const found: string[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const row = bytes.toString('utf8', Math.max(0, bytes.lastIndexOf('["rooms/', at)), at)
    found.push(/^\["([^"\\]*)"/.exec(row)?.[1] ?? '')
  }
  return found
}

/** In its `neo:` block, as Neo writes it: a file name may hold the id of another task, if the file is a copy of it. */
export function says({ home, files }: Where, path: string, id: string): boolean {
  const read = files.read(join(home, path), MAX_BYTES)
  return read.kind === 'file' && new RegExp(`^ +id: "?${id}"?\\s*$`, 'm').test(read.bytes.toString('utf8'))
}

function fileOf(home: string): string {
  return join(home, '.neo', 'cache', 'tasks.json')
}
