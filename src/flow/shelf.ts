/**
 * The shelf: what is known of each file of the home, one entry a path. Takes paths to examine; keeps hash, content,
 * standing and problems. Leaves to look.ts: which paths, and when; to catalog.ts: what bytes mean.
 * Invariants: 1. an unchanged hash is no change; 2. what we wrote ourselves is known, not news.
 */
import { join } from 'node:path'
import { kindOf, type Known } from '../core/rules/paths.ts'
import type { Files, Git, Stat } from '../ports.ts'
import { type Content, type Reading, readKnown } from './catalog.ts'
import type { ConfigKeeper } from './config-keeper.ts'
import type { Entry } from './picture.ts'
import type { Settling } from './settling.ts'
import type { Ledger } from './standing.ts'
import { MAX_BYTES } from './transact.ts'

export interface ShelfParts {
  readonly home: string
  readonly files: Files
  readonly git: Git
  readonly config: ConfigKeeper
  readonly settling: Settling
  readonly ledger: Ledger
}

interface Found {
  readonly hash: string
  readonly stat: Stat
  readonly bytes: Buffer
}

/** Differs from every real file, so that the next full scan reads the file once. */
const NO_STAT: Stat = { size: -1, mtimeMs: -1, ino: -1 }

export class Shelf {
  readonly entries = new Map<string, Entry>()
  private readonly parts: ShelfParts

  constructor(parts: ShelfParts) {
    this.parts = parts
  }

  /** Looks at one path: reads it, and takes it in when it has settled. */
  async examine(path: string, now: number): Promise<void> {
    const { home, files, git, config, settling } = this.parts
    const known = kindOf(path)
    if (known === null) return
    if (known.kind === 'config') return config.read()
    const read = files.read(join(home, path), MAX_BYTES)
    const entry = this.entries.get(path)
    if (read.kind === 'missing') {
      if (entry !== undefined) entry.gone = true
      return
    }
    if (read.kind === 'refused') return this.refuse(path, known, read.why)
    const hash = git.blobId(read.bytes)
    if (entry?.hash === hash) {
      entry.stat = read.stat
      entry.gone = false
      return settling.clear(path)
    }
    if (!settling.seen(path, hash, { mtimeMs: read.stat.mtimeMs, now })) return
    settling.clear(path)
    this.entries.set(path, await this.entryOf(path, known, { hash, stat: read.stat, bytes: read.bytes }))
  }

  /** The branch moved under us: what stood against the old commit is compared with the new one. */
  async restand(): Promise<void> {
    const { home, files, git, ledger } = this.parts
    for (const entry of this.entries.values()) {
      const { good, path } = entry
      if (good === null || entry.gone || good.against === (ledger.paths().get(path) ?? null)) continue
      const read = files.read(join(home, path), MAX_BYTES)
      if (read.kind !== 'file' || git.blobId(read.bytes) !== good.hash) continue
      const text = read.bytes.toString('utf8')
      entry.good = await this.stand(path, { hash: good.hash, content: good.content, text })
    }
  }

  wrote(path: string, text: string | null): void {
    const known = kindOf(path)
    if (known === null || known.kind === 'session') return
    this.parts.settling.clear(path)
    if (text === null) return void this.entries.delete(path)
    const bytes = Buffer.from(text)
    const hash = this.parts.git.blobId(bytes)
    const reading = this.read(path, known, bytes)
    if (reading.kind !== 'ok') return
    const { content, problems } = reading
    const good = { hash, content, standing: 'same', committedStatus: null, against: null } as const
    const stat = NO_STAT
    this.entries.set(path, { path, known, hash, stat, gone: false, good, problems, state: 'ok', why: '' })
  }

  /** Our own commit holds these paths now. */
  committed(paths: readonly string[]): void {
    for (const path of paths) {
      const entry = this.entries.get(path)
      if (entry?.good) entry.good = { ...entry.good, against: this.parts.ledger.paths().get(path) ?? null }
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
      const good = await this.stand(path, { hash: found.hash, content: reading.content, text })
      return { ...rest, good, problems: reading.problems, state: 'ok', why: '' }
    }
    const good = this.entries.get(path)?.good ?? null
    if (reading.kind === 'bad') return { ...rest, good, problems: reading.problems, state: 'bad', why: '' }
    return { ...rest, good, problems: [], state: 'unfinished', why: reading.why }
  }

  private read(path: string, known: Known, bytes: Buffer): Reading {
    return readKnown({ path, known, bytes, zone: this.parts.config.current().timezone })
  }

  private async stand(
    path: string,
    of: { hash: string; content: Content; text: string },
  ): Promise<NonNullable<Entry['good']>> {
    const { ledger } = this.parts
    const { standing, status } = await ledger.stands(path, of.hash, of.text)
    const against = ledger.paths().get(path) ?? null
    return { hash: of.hash, content: of.content, standing, committedStatus: status, against }
  }

  private refuse(path: string, known: Known, why: string): void {
    this.parts.settling.clear(path)
    const good = this.entries.get(path)?.good ?? null
    const hint = 'Put a plain text file here, or take it away'
    const problem = {
      file: path,
      line: null,
      column: null,
      severity: 'error',
      code: 'kind',
      message: why,
      hint,
    } as const
    const stat = NO_STAT
    this.entries.set(path, {
      path,
      known,
      hash: '',
      stat,
      gone: false,
      good,
      problems: [problem],
      state: 'bad',
      why,
    })
  }
}
