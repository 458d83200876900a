/**
 * Memory of an open home: search, and an index that follows the files. Invariants: 1. without packages or disk space the
 * daemon works, memory reports why and searches by words; 2. a damaged index is rebuilt, once a minute; 3. one sync at a time.
 */

import { join } from 'node:path'
import { whyOf } from '../domain/home/error.ts'
import type { HomeConfig } from '../domain/home/home-config.ts'
import type { Context } from '../engine/context.ts'
import type { Files } from '../ports/files-port.ts'
import type { Git } from '../ports/git-port.ts'
import { IndexDamaged, type IndexStore, type IndexStores, type SentenceModel } from '../ports/index-port.ts'
import type { Clock } from '../ports/world.ts'
import { forgottenIn, forgottenInScope, forgottenPath } from './distill/read-transcripts.ts'
import type { MemoryHealth } from './health-rows.ts'
import { type Syncing, type SyncPlaces, type SyncReport, syncIndex } from './index/index-sync.ts'
import { syncWorkspaces, type Workspace, type WorkspaceSync } from './index/workspace-sync.ts'
import { memorySetting } from './memory-settings.ts'
import { openEmbeddings } from './search/embeddings.ts'
import { type Found, findReranked, type Search, searchFiles, searchIndex } from './search/search-index.ts'

export interface MemoryOptions {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly files: Files
  readonly clock: Clock
  readonly blobId: Git['blobId']
  /** For files of workspaces; without it they are not indexed. */
  readonly git?: WorkspaceSync['git']
  /** Null: this program was built without an index. */
  readonly stores: IndexStores | null
  /** Absolute; absent: `.neo/index.db`. */
  readonly index?: string
  readonly sentences?: SentenceModel | undefined
  /** Absent: those of the home. */
  readonly sources?: SyncPlaces['sources']
  config(): HomeConfig
}

const opened = new WeakMap<Context['look'], Memory>()

/** The one Memory of an open home, opened at its first use; it lives as long as the home's Context. */
export function memoryOf({ home, dir, world, look }: Context): Memory {
  const known = opened.get(look)
  if (known !== undefined) return known
  const { files, clock, git } = world
  const made = new Memory({
    ...{ home, dir, files, clock },
    blobId: (bytes) => git.blobId(bytes),
    git,
    stores: world.index ?? null,
    sentences: world.sentences,
    config: () => look.config(),
  })
  opened.set(look, made)
  return made
}

const INDEX = '.neo/index.db'
/** A search updates the index if the last sync is older; the second if a daemon syncs by itself. */
const FRESH_MS = 1_000
const KEPT_MS = 30_000
/** What a search beside a daemon waits for a sync; and for one that brings a new memory, or the first one. */
const PATIENCE_MS = 250
const WRITE_PATIENCE_MS = 2_000
const REBUILD_MS = 60_000
/** Vectors that are taken into memory at a time. */
const WARM = 1_000

const NO_INDEX = { wrong: 'this program was built without an index', next: '' }

/** Search, and the index that it needs. */
export class Memory {
  private readonly options: MemoryOptions
  private store: IndexStore | null = null
  private missing: { readonly wrong: string; readonly next: string } | null = null
  private running: Promise<SyncReport | null> | null = null
  private syncedAt = Number.NEGATIVE_INFINITY
  private rebuiltAt = Number.NEGATIVE_INFINITY
  private dirty = true
  /** Writes that are waited for, and those of them that are in the index. The first sync counts as one. */
  private writes = 1
  private written = 0
  private kept: (() => void) | null = null
  private state = { runs: 0, failures: 0, lastSuccess: '', lastError: '' }

  constructor(options: MemoryOptions) {
    this.options = options
  }

  /** Updates the index if that is due, then searches. */
  async search(of: Search): Promise<Found> {
    await this.bringUpFor()
    const { sentences } = this.options
    const model = sentences && this.places().meaning.of(of.query) ? sentences : null
    const found = await findReranked((one) => this.find(one), of, model)
    return found ?? (await searchFiles(this.places(), of))
  }

  /** Searches at once, without an update; `null` if no index is open. */
  find(of: Search): Found | null {
    const { store } = this
    if (store === null || !store.isCurrent()) return null
    try {
      return searchIndex(store, this.places().meaning, of)
    } catch (error) {
      this.failed(error)
      return null
    }
  }

  /** Makes the index again from nothing: no byte of what was in it stays in its file. */
  remake(): void {
    this.close()
    this.options.stores?.remove(this.path())
    this.changed()
  }

  /** Updates the index, or waits for the update that runs. `null` without an index. */
  sync(of: Syncing = {}): Promise<SyncReport | null> {
    this.running ??= this.syncOnce(of).finally(() => {
      this.running = null
    })
    return this.running
  }

  /** Updates the index of the files of these workspaces, and drops all others. Nothing without an index. */
  async syncFiles(workspaces: readonly Workspace[], signal: AbortSignal): Promise<void> {
    await this.running
    const { store } = this
    const { git } = this.options
    if (store === null || git === undefined || !store.isCurrent()) return
    try {
      await syncWorkspaces({ store, git, meaning: this.places().meaning, signal }, workspaces)
      while (!signal.aborted && store.warm(WARM) === WARM)
        await new Promise<void>((resolve) => setImmediate(resolve))
    } catch (error) {
      if (!signal.aborted) this.failed(error)
    }
  }

  /** A memory was written: the next search waits for it, beside a daemon for WRITE_PATIENCE_MS at most. */
  changed(): void {
    this.writes++
    this.moved()
  }

  /** Other files may have changed: they are found soon. */
  moved(): void {
    this.dirty = true
    this.kept?.()
  }

  /** True if something was written since the last sync, or if that failed. */
  isBehind(): boolean {
    return this.dirty && this.missing === null && this.options.stores !== null
  }

  /** From now on the caller syncs, on a schedule and when `told`: a search updates only what is known to be stale. */
  keeps(told: () => void): void {
    this.kept = told
  }

  health(): MemoryHealth {
    const { wrong: why = '', next = '' } = this.missing ?? (this.options.stores === null ? NO_INDEX : {})
    let counts = { sources: 0, passages: 0 }
    try {
      counts = this.store?.counts() ?? counts
    } catch {
      // A damaged index: the next search or sync reports it.
    }
    return { by: this.store === null ? 'words' : 'index', why, next, ...this.state, ...counts }
  }

  close(): void {
    this.store?.close()
    this.store = null
  }

  /** Beside a daemon a search doesn't wait for the first indexing of a large home: it finds what is in the index so far. */
  private async bringUpFor(): Promise<void> {
    const age = this.options.clock.now() - this.syncedAt
    const due = this.dirty || age > (this.kept !== null ? KEPT_MS : FRESH_MS)
    if (!due && this.store?.isCurrent() === true) return
    const sync = this.syncAfterNow()
    if (this.kept === null) await sync
    else await this.orAfter(sync, this.written < this.writes ? WRITE_PATIENCE_MS : PATIENCE_MS)
  }

  /** A sync that runs already may have passed a file before it changed: another one follows then. */
  private async syncAfterNow(): Promise<void> {
    const isRunning = this.running !== null
    await this.sync()
    if (isRunning && this.dirty) await this.sync()
  }

  private async orAfter(sync: Promise<unknown>, ms: number): Promise<void> {
    let cancel = () => {}
    const over = new Promise<void>((resolve) => {
      cancel = this.options.clock.after(ms, resolve)
    })
    await Promise.race([sync, over])
    cancel()
  }

  private async syncOnce(of: Syncing): Promise<SyncReport | null> {
    const { writes } = this
    this.dirty = false
    this.state.runs++
    try {
      const store = await this.opened()
      if (store === null) return null
      const report = await syncIndex(this.places(), store, of)
      this.syncedAt = this.options.clock.now()
      this.written = writes
      this.state.lastSuccess = new Date(this.syncedAt).toISOString()
      this.state.lastError = report.closed
      if (report.closed !== '') this.state.failures++
      return report
    } catch (error) {
      this.dirty = true
      this.failed(error)
      return null
    }
  }

  /** `null` without an index; reopened if it was deleted in the meantime. */
  private async opened(): Promise<IndexStore | null> {
    if (this.store?.isCurrent() === true) return this.store
    this.close()
    const { stores } = this.options
    if (stores === null || this.missing !== null) return null
    const opened = await stores.open(this.path(), this.places().meaning.name)
    if ('wrong' in opened) {
      this.missing = opened
      return null
    }
    this.store = opened
    return opened
  }

  private failed(error: unknown): void {
    const now = this.options.clock.now()
    this.state.failures++
    this.state.lastError = whyOf(error)
    if (!(error instanceof IndexDamaged) || now - this.rebuiltAt < REBUILD_MS) return
    this.rebuiltAt = now
    this.remake()
  }

  private path(): string {
    return this.options.index ?? join(this.options.home, INDEX)
  }

  private places(): SyncPlaces {
    const { home, dir, files, blobId, sources, clock, index } = this.options
    const forgottenAt =
      index === undefined ? (part: string) => forgottenPath(dir, part) : () => forgottenInScope(home)
    const config = this.options.config()
    return {
      home,
      dir,
      files,
      blobId,
      meaning: openEmbeddings(files, memorySetting(config, 'embeddings')),
      timezone: config.timezone,
      now: () => clock.now(),
      forgotten: (part) => forgottenIn(files, forgottenAt(part)),
      ...(sources === undefined ? {} : { sources }),
    }
  }
}
