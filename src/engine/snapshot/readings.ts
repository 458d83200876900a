/**
 * A cache of what task files said, so that a start reads only those that have changed:
 * `.neo/cache/readings/<room>.json`, one file a line. It may be deleted at any time. Invariants: 1. a line counts only
 * for the same path, size, inode, mtime, ctime, version, keys of the header and time zone, and if its bytes are the committed ones; 2. a file
 * that changed within RACY_MS of its reading has no line, because file system clocks are coarse; 3. an error only costs
 * time.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { jsonIn } from '../../domain/text/is-map.ts'
import { grouped } from '../../domain/task/depends.ts'
import type { Task } from '../../domain/task/task.ts'
import { taskShape } from '../../files/kinds/read-task.ts'
import type { Files, ScanEntry, Stat } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Clock } from '../../ports/world.ts'
import type { Entry } from './build-snapshot.ts'

export interface ReadingsOptions {
  readonly home: string
  readonly files: Files
  readonly git: Pick<Git, 'blobId'>
  readonly clock: Clock
  /** Of this program. */
  readonly version: string
  readonly zone: () => string
}

type Line = readonly [
  path: string,
  size: number,
  ino: number,
  mtimeMs: number,
  ctimeMs: number,
  hash: string,
  task: Task,
]

/** Raise it when a reader returns something else for the same bytes. */
const FORMAT = 4
/** The coarsest file system clock in use, FAT, counts two seconds. */
const RACY_MS = 3_000
const MOST_BYTES = 256 * 1024 * 1024
/** A room is saved again once this many of its files have changed. */
const LEAST = 20

export class Readings {
  private readonly options: ReadingsOptions
  /** What is saved, by path, by room. */
  private readonly saved = new Map<string, ReadonlyMap<string, Line>>()
  private closed = false
  /** Changes with the keys of a task's header, also while the version stays. */
  private readonly shape = createHash('sha256').update(JSON.stringify(taskShape)).digest('base64url')

  constructor(options: ReadingsOptions) {
    this.options = options
  }

  /** The task of an unchanged file; `blob`: what is committed at its path. */
  find(room: string, item: ScanEntry, blob: string | undefined): Task | null {
    if (this.closed || blob === undefined || item.kind !== 'file') return null
    const line = this.room(room).get(item.path)
    if (line === undefined) return null
    const [, size, ino, mtimeMs, ctimeMs, hash, task] = line
    const same =
      size === item.size && ino === item.ino && mtimeMs === item.mtimeMs && ctimeMs === item.ctimeMs
    return same && hash === blob ? task : null
  }

  /** After the first look every file is known. */
  close(): void {
    this.closed = true
  }

  /** Saves rooms with enough changes, one at a time with pauses. */
  async keep(entries: ReadonlyMap<string, Entry>): Promise<void> {
    const rooms = grouped(entries.values(), ({ known }) => known.room)
    for (const [room, own] of rooms) {
      const due = own.filter(isKept)
      const saved = this.saved.get(room)
      const news = due.filter(({ path, hash }) => saved?.get(path)?.[5] !== hash).length
      if (news < LEAST && (saved?.size ?? 0) - due.length < LEAST) continue
      this.write(room, due)
      await new Promise<void>((resolve) => this.options.clock.after(1, resolve))
    }
  }

  private write(room: string, entries: readonly Entry[]): void {
    const { files, git } = this.options
    const lines = entries.map(lineOf).filter((line) => line !== null)
    const list = lines.map((line) => JSON.stringify(line)).join(',\n')
    const bytes = Buffer.from(`${this.key()}\n[\n${list}\n]\n`)
    try {
      const present = files.read(this.path(room), MOST_BYTES)
      files.saveLater(this.path(room), bytes, present.kind === 'file' ? git.blobId(present.bytes) : null)
      this.saved.set(room, new Map(lines.map((line) => [line[0], line])))
    } catch {
      // A full disk: the next start reads the files.
    }
  }

  private room(room: string): ReadonlyMap<string, Line> {
    const known = this.saved.get(room) ?? this.load(room)
    this.saved.set(room, known)
    return known
  }

  private load(room: string): Map<string, Line> {
    const lines = new Map<string, Line>()
    const found = this.options.files.read(this.path(room), MOST_BYTES)
    if (found.kind !== 'file') return lines
    const text = found.bytes.toString('utf8')
    const key = `${this.key()}\n`
    if (!text.startsWith(key)) return lines
    for (const line of linesIn(text.slice(key.length))) lines.set(line[0], line)
    return lines
  }

  private key(): string {
    return JSON.stringify([FORMAT, this.options.version, this.shape, this.options.zone()])
  }

  private path(room: string): string {
    return join(this.options.home, '.neo', 'cache', 'readings', `${room}.json`)
  }
}

/** All at once, which takes half of the time; one by one if a line is broken by a power cut. */
function linesIn(text: string): readonly Line[] {
  const whole = jsonIn(text) as readonly (Line | null)[] | null
  const lines = whole ?? text.split('\n').map((line) => jsonIn(line.replace(/,$/, '')) as Line | null)
  return lines.filter((line) => line !== null)
}

/** A committed task file without problems, read long enough after its last change. */
function isKept({ good, hash, state, problems, stat, readAt, gone }: Entry): boolean {
  if (good?.content.kind !== 'task' || state !== 'ok' || problems.length > 0 || gone) return false
  return good.hash === hash && good.gitStatus === 'same' && readAt !== undefined && isCalm(stat, readAt)
}

function isCalm({ mtimeMs, ctimeMs }: Stat, readAt: number): boolean {
  return ctimeMs !== undefined && mtimeMs >= 0 && readAt - Math.max(mtimeMs, ctimeMs) > RACY_MS
}

function lineOf({ path, stat, hash, good }: Entry): Line | null {
  if (good?.content.kind !== 'task') return null
  const { size, ino, mtimeMs, ctimeMs = 0 } = stat
  return [path, size, ino, mtimeMs, ctimeMs, hash, good.content.task]
}
