/**
 * What is known of each file of the home, one entry a path. Invariants: 1. an unchanged hash is no change; 2. what Neo
 * wrote is known, not news; 3. a room whose settings can't be read has its last readable ones, else the committed ones,
 * else it is known to have none.
 */
import { join } from 'node:path'
import { type Known, kindOf } from '../../domain/home/home-paths.ts'
import { fileProblem } from '../../domain/home/problem.ts'
import type { Files, ScanEntry, Stat } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import { MAX_BYTES } from '../commit/journal.ts'
import type { Entry } from './build-snapshot.ts'
import type { ConfigKeeper } from './config-keeper.ts'
import { type Content, type Reading, readKnown } from './file-catalog.ts'
import type { HeadTree } from './head-tree.ts'
import type { Readings } from './readings.ts'
import type { Settling } from './settling.ts'

export interface FileStateParts {
  readonly home: string
  readonly files: Files
  readonly git: Git
  readonly config: ConfigKeeper
  readonly settling: Settling
  readonly headTree: HeadTree
  readonly readings: Readings | null
}

interface Found {
  readonly hash: string
  readonly stat: Stat
  readonly bytes: Buffer
}

/** Differs from every real file, so that the next full scan reads it. */
const NO_STAT: Stat = { size: -1, mtimeMs: -1, ino: -1 }

export class FileStateStore {
  /** Read-only outside: `changes` has to know of every change. */
  readonly entries: ReadonlyMap<string, Entry>
  private readonly kept = new Map<string, Entry>()
  private readonly parts: FileStateParts
  private touched = new Set<string>()
  private moved = false
  /** Of neo.yaml when it was last read. */
  private configHash: string | null = null

  constructor(parts: FileStateParts) {
    this.parts = parts
    this.entries = this.kept
  }

  /** Paths whose entries may have changed since the last call; `all` if some were removed. */
  changes(): ReadonlySet<string> | 'all' {
    const changes = this.moved ? 'all' : this.touched
    this.touched = new Set()
    this.moved = false
    return changes
  }

  /** Not on disk any more; removed if it isn't committed either. */
  markGone(path: string, committed: boolean): void {
    const entry = this.entries.get(path)
    if (entry === undefined) return
    this.setGone(entry, true)
    if (!committed) this.forget(path)
  }

  /** Restores an unchanged file from the readings of the last start. False: it has to be read. */
  recall(stat: ScanEntry, known: Known | null, now: number): boolean {
    const { readings, headTree } = this.parts
    const { path } = stat
    if (readings === null || known?.kind !== 'task' || this.entries.has(path)) return false
    const hash = headTree.paths().get(path)
    const task = readings.find(known.room, stat, hash)
    if (task === null || hash === undefined) return false
    const content = { kind: 'task', task } as const
    const good = { hash, content, gitStatus: 'same', committedStatus: null, against: hash } as const
    this.keep({ path, known, hash, stat, gone: false, good, problems: [], state: 'ok', why: '', readAt: now })
    return true
  }

  /** Reads one path, and takes it over once it has settled. */
  async examine(path: string, now: number, kind?: 'scanned'): Promise<void> {
    const { home, files, git, settling } = this.parts
    const known = kindOf(path)
    if (known === null) return
    if (known.kind === 'config') return this.readConfig(path, now)
    const read = files.read(`${home}/${path}`, MAX_BYTES, kind)
    const entry = this.entries.get(path)
    if (read.kind === 'missing') {
      if (entry !== undefined) this.setGone(entry, true)
      return
    }
    if (read.kind === 'refused') return await this.refuse(path, known, read.why)
    const hash = git.blobId(read.bytes)
    if (entry?.hash === hash) {
      entry.stat = read.stat
      entry.readAt = now
      this.setGone(entry, false)
      return settling.clear(path)
    }
    // A committed file is not half saved: it counts at once, so that a fresh clone is complete at the first look.
    const isCommitted = this.parts.headTree.paths().get(path) === hash
    if (!isCommitted && !settling.seen(path, hash, { mtimeMs: read.stat.mtimeMs, now })) {
      if (known.kind === 'room' && (entry === undefined || entry.gone))
        await this.keepUnsettled(path, known, read.stat)
      return
    }
    settling.clear(path)
    this.keep({
      ...(await this.entryOf(path, known, { hash, stat: read.stat, bytes: read.bytes })),
      readAt: now,
    })
  }

  private readConfig(path: string, now: number): void {
    const { home, files, git, config, settling } = this.parts
    const read = files.read(`${home}/${path}`, MAX_BYTES)
    const hash = read.kind === 'file' ? git.blobId(read.bytes) : read.kind
    if (hash === this.configHash) {
      settling.clear(path)
      return
    }
    const mtimeMs = read.kind === 'file' ? read.stat.mtimeMs : now
    // The start has just read it.
    if (this.configHash !== null && !settling.seen(path, hash, { mtimeMs, now })) return
    this.configHash = hash
    config.read()
  }

  /** For a room's file that is missing on disk and was not seen before: the committed version counts. */
  async keepCommitted(path: string): Promise<void> {
    const known = kindOf(path)
    if (known === null || this.entries.has(path)) return
    const good = await this.committedVersion(path, known)
    if (good === null) return
    const rest = { problems: [], state: 'ok', why: '' } as const
    this.keep({ path, known, hash: '', stat: NO_STAT, gone: true, good, ...rest })
  }

  /** Until a room's file that was just saved has settled, its last version counts. */
  private async keepUnsettled(path: string, known: Known, stat: Stat): Promise<void> {
    const before = this.entries.get(path)?.good ?? null
    const good = before ?? (await this.committedVersion(path, known))
    const why = 'saved a moment ago'
    const state = good === null ? 'unfinished' : 'ok'
    this.keep({ path, known, hash: '', stat, gone: false, good, problems: [], state, why })
  }

  /** A room's file in HEAD; null if it is not there or can't be read, and for other files. */
  private async committedVersion(path: string, known: Known): Promise<Entry['good']> {
    const blob = known.kind === 'room' ? this.parts.headTree.paths().get(path) : undefined
    if (blob === undefined) return null
    const reading = this.read(path, known, await this.parts.git.blob(blob))
    if (reading.kind !== 'ok') return null
    // Without a hash nothing overwrites the file on disk, which differs.
    return { hash: '', content: reading.content, gitStatus: 'same', committedStatus: null, against: blob }
  }

  /** HEAD has moved: compares files with the new commit. */
  async compareAgain(): Promise<void> {
    const { home, files, git, headTree } = this.parts
    for (const entry of this.entries.values()) {
      const { good, path } = entry
      if (good === null || entry.gone || good.against === (headTree.paths().get(path) ?? null)) continue
      const read = files.read(join(home, path), MAX_BYTES)
      if (read.kind !== 'file' || git.blobId(read.bytes) !== good.hash) continue
      const text = read.bytes.toString('utf8')
      entry.good = await this.compareToHead(path, { hash: good.hash, content: good.content, text })
      this.touched.add(path)
    }
  }

  wrote(path: string, text: string | null): void {
    const known = kindOf(path)
    if (known === null || known.kind === 'session') return
    this.parts.settling.clear(path)
    if (known.kind === 'config') {
      this.configHash = text === null ? null : this.parts.git.blobId(Buffer.from(text))
      this.parts.config.read()
      return
    }
    if (text === null) {
      this.forget(path)
      return
    }
    const bytes = Buffer.from(text)
    const hash = this.parts.git.blobId(bytes)
    const reading = this.read(path, known, bytes)
    if (reading.kind !== 'ok') return
    const { content, problems } = reading
    const good = { hash, content, gitStatus: 'same', committedStatus: null, against: null } as const
    const stat = NO_STAT
    this.keep({ path, known, hash, stat, gone: false, good, problems, state: 'ok', why: '' })
  }

  /** These paths are in a commit that Neo made. */
  committed(paths: readonly string[]): void {
    for (const path of paths) {
      const entry = this.entries.get(path)
      if (!entry?.good) continue
      entry.good = { ...entry.good, against: this.parts.headTree.paths().get(path) ?? null }
      this.touched.add(path)
    }
  }

  goneWithId(id: string): string | null {
    for (const { gone, good, path } of this.entries.values())
      if (gone && good?.content.kind === 'task' && good.content.task.neo.id === id) return path
    return null
  }

  taskIdAt(path: string): string | null {
    const content = this.entries.get(path)?.good?.content
    return content?.kind === 'task' ? (content.task.neo.id ?? null) : null
  }

  private async entryOf(path: string, known: Known, found: Found): Promise<Entry> {
    const reading = this.read(path, known, found.bytes)
    const rest = { path, known, hash: found.hash, stat: found.stat, gone: false }
    if (reading.kind === 'ok') {
      const text = found.bytes.toString('utf8')
      const good = await this.compareToHead(path, { hash: found.hash, content: reading.content, text })
      return { ...rest, good, problems: reading.problems, state: 'ok', why: '' }
    }
    const good = this.entries.get(path)?.good ?? (await this.committedVersion(path, known))
    if (reading.kind === 'bad') return { ...rest, good, problems: reading.problems, state: 'bad', why: '' }
    return { ...rest, good, problems: [], state: 'unfinished', why: reading.why }
  }

  private read(path: string, known: Known, bytes: Buffer): Reading {
    return readKnown({ path, known, bytes, zone: this.parts.config.current().timezone })
  }

  private async compareToHead(
    path: string,
    of: { hash: string; content: Content; text: string },
  ): Promise<NonNullable<Entry['good']>> {
    const { headTree } = this.parts
    const { gitStatus, status } = await headTree.compareToHead(path, of.hash, of.text)
    const against = headTree.paths().get(path) ?? null
    return { hash: of.hash, content: of.content, gitStatus, committedStatus: status, against }
  }

  private async refuse(path: string, known: Known, why: string): Promise<void> {
    this.parts.settling.clear(path)
    const good = this.entries.get(path)?.good ?? (await this.committedVersion(path, known))
    const hint = 'Replace it with a plain text file, or delete it'
    const problem = fileProblem(path, 'error', { code: 'kind', message: why, hint })
    const stat = NO_STAT
    this.keep({ path, known, hash: '', stat, gone: false, good, problems: [problem], state: 'bad', why })
  }

  private keep(entry: Entry): void {
    this.kept.set(entry.path, entry)
    this.touched.add(entry.path)
  }

  private forget(path: string): void {
    if (this.kept.delete(path)) this.moved = true
  }

  private setGone(entry: Entry, gone: boolean): void {
    if (entry.gone === gone) return
    entry.gone = gone
    this.touched.add(entry.path)
  }
}
