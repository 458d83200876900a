/**
 * Memory of an open home: search, and an index that follows the files. Invariants: 1. without packages or disk space the
 * daemon works, memory reports why and searches by words; 2. a damaged index is rebuilt, once a minute; 3. one sync at a time.
 */
import { join } from 'node:path'
import type { HomeConfig } from '../domain/home/home-config.ts'
import type { Context } from '../engine/context.ts'
import type { Files } from '../ports/files-port.ts'
import type { Git } from '../ports/git-port.ts'
import { IndexDamaged, type IndexStore, type IndexStores, type SentenceModel } from '../ports/index-port.ts'
import type { Clock } from '../ports/world.ts'
import { forgottenIn, forgottenInScope, forgottenPath } from './distill/forgotten.ts'
import { type Syncing, type SyncPlaces, type SyncReport, syncIndex } from './index/index-sync.ts'
import { syncWorkspaces, type Workspace, type WorkspaceSync } from './index/workspace-sync.ts'
import { memorySetting } from './memory-settings.ts'
import { openEmbeddings } from './search/embeddings.ts'
import { findReranked } from './search/rerank.ts'
import { type Found, type Search, searchIndex } from './search/search-index.ts'
import { searchFiles } from './search/without-index.ts'

export interface MemoryHealth {
  /** `words`: no index; `why` and `next` say what to do. */
  readonly by: 'index' | 'words'
  readonly why: string
  readonly next: string
  readonly runs: number
  readonly failures: number
  /** ISO 8601 UTC; '' if there was none. */
  readonly lastSuccess: string
  readonly lastError: string
  readonly sources: number
  readonly passages: number
}

export interface Memory {
  /** Updates the index if that is due, then searches. */
  search(of: Search): Promise<Found>
  /** Searches at once, without an update; `null` if no index is open. */
  find(of: Search): Found | null
  /** Updates the index, or waits for the update that runs. `null` without an index. */
  sync(of?: Syncing): Promise<SyncReport | null>
  /** Updates the index of the files of these workspaces, and drops all others. Nothing without an index. */
  syncFiles(workspaces: readonly Workspace[], signal: AbortSignal): Promise<void>
  /** Something was written that is to be found soon. */
  changed(): void
  /** True where something was written since the last sync, or that failed. */
  isBehind(): boolean
  /** From now on the caller syncs on a schedule and when told: a search updates only what is known to be stale. */
  keeps(told: () => void): void
  /** Makes the index again from nothing: no byte of what was in it stays in its file. */
  remake(): void
  health(): MemoryHealth
  close(): void
}

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
  const made = openMemory({
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

export function openMemory(options: MemoryOptions): Memory {
  return new HomeMemory(options)
}

const INDEX = '.neo/index.db'
/** A search brings the index up where the last sync is older: alone, and beside a daemon that syncs by itself. */
const FRESH_MS = 1_000
const KEPT_MS = 30_000
/** What a search beside a daemon waits for a sync; and for the first one, before which it would find nothing new. */
const PATIENCE_MS = 250
const FIRST_PATIENCE_MS = 2_000
const REBUILD_MS = 60_000
/** Vectors that are taken into memory at a time. */
const WARM = 1_000

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

const NO_INDEX = { wrong: 'this program was built without an index', next: '' }
class HomeMemory implements Memory {
  private readonly options: MemoryOptions
  private store: IndexStore | null = null
  private missing: { readonly wrong: string; readonly next: string } | null = null
  private running: Promise<SyncReport | null> | null = null
  private syncedAt = Number.NEGATIVE_INFINITY
  private rebuiltAt = Number.NEGATIVE_INFINITY
  private dirty = true
  private kept: (() => void) | null = null
  private state = { runs: 0, failures: 0, lastSuccess: '', lastError: '' }

  constructor(options: MemoryOptions) {
    this.options = options
  }

  async search(of: Search): Promise<Found> {
    await this.bringUpFor()
    const { sentences } = this.options
    const model = sentences && this.places().meaning.of(of.query) ? sentences : null
    const found = await findReranked((one) => this.find(one), of, model)
    return found ?? (await searchFiles(this.places(), of))
  }

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

  remake(): void {
    this.close()
    this.options.stores?.remove(this.path())
    this.changed()
  }

  sync(of: Syncing = {}): Promise<SyncReport | null> {
    this.running ??= this.syncOnce(of).finally(() => {
      this.running = null
    })
    return this.running
  }

  async syncFiles(workspaces: readonly Workspace[], signal: AbortSignal): Promise<void> {
    await this.running
    const { store } = this
    const { git } = this.options
    if (store === null || git === undefined || !store.isCurrent()) return
    try {
      await syncWorkspaces({ store, git, meaning: this.places().meaning, signal }, workspaces)
      while (!signal.aborted && store.warm(WARM) === WARM) await nextTurn()
    } catch (error) {
      if (!signal.aborted) this.failed(error)
    }
  }

  changed(): void {
    this.dirty = true
    this.kept?.()
  }

  isBehind(): boolean {
    return this.dirty && this.missing === null && this.options.stores !== null
  }

  keeps(told: () => void): void {
    this.kept = told
  }

  health(): MemoryHealth {
    const missing = this.missing ?? (this.options.stores === null ? NO_INDEX : null)
    const counts = this.counted()
    return {
      by: this.store === null ? 'words' : 'index',
      why: missing?.wrong ?? '',
      next: missing?.next ?? '',
      ...this.state,
      ...counts,
    }
  }

  close(): void {
    this.store?.close()
    this.store = null
  }

  /** Beside a daemon nobody waits for the first indexing of a large home: what is in already is searched. */
  private async bringUpFor(): Promise<void> {
    const { clock } = this.options
    const age = clock.now() - this.syncedAt
    const due = this.dirty || age > (this.kept !== null ? KEPT_MS : FRESH_MS)
    if (!due && this.store?.isCurrent() === true) return
    const sync = this.sync()
    if (this.kept === null) await sync
    else
      await this.orAfter(sync, this.syncedAt === Number.NEGATIVE_INFINITY ? FIRST_PATIENCE_MS : PATIENCE_MS)
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
    this.dirty = false
    this.state.runs++
    try {
      const store = await this.opened()
      if (store === null) return null
      const report = await syncIndex(this.places(), store, of)
      this.syncedAt = this.options.clock.now()
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

  /** `null` if there is none; reopened if it was deleted in the meantime. */
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
    const { clock, stores } = this.options
    this.state.failures++
    this.state.lastError = error instanceof Error ? error.message : String(error)
    if (!(error instanceof IndexDamaged) || clock.now() - this.rebuiltAt < REBUILD_MS) return
    this.rebuiltAt = clock.now()
    this.close()
    stores?.remove(this.path())
    this.dirty = true
  }

  private counted(): { readonly sources: number; readonly passages: number } {
    try {
      return this.store?.counts() ?? { sources: 0, passages: 0 }
    } catch {
      return { sources: 0, passages: 0 }
    }
  }

  private forgottenAt(part: string): string {
    const { home, dir, index } = this.options
    return index === undefined ? forgottenPath(dir, part) : forgottenInScope(home)
  }

  private path(): string {
    return this.options.index ?? join(this.options.home, INDEX)
  }

  private places(): SyncPlaces {
    const { home, dir, files, blobId, sources, clock } = this.options
    const config = this.options.config()
    return {
      home,
      dir,
      files,
      blobId,
      meaning: openEmbeddings(files, memorySetting(config, 'embeddings')),
      timezone: config.timezone,
      now: () => clock.now(),
      forgotten: (part) => forgottenIn(files, this.forgottenAt(part)),
      ...(sources === undefined ? {} : { sources }),
    }
  }
}
