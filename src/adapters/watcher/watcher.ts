/**
 * Watcher: says where to look in a home, by hints. Chooses chokidar for a small home and folder watches for a large one,
 * adds hints from the git dir (`.git`), renews what became deaf, and polls where watching does not work. What really
 * changed is the rescan's affair. Invariant 1: `trouble` is reported once until watching works again, which is reported by
 * `well`; the watcher continues. Invariant 2: no hint comes after the promise of `stop` has resolved, and none during the
 * call of `watch`.
 */
import { existsSync, realpathSync } from 'node:fs'
import type { Watcher } from '../../ports/world.ts'
import { type StartChokidar, watchByChokidar } from './chokidar-watch.ts'
import { type Backend, type BackendEvents, type WatchFolder, watchFolders } from './folder-watch.ts'
import { holdsMore } from './folders.ts'
import { watchGit } from './git-hints.ts'

/** More paths than this at once are not worth telling one by one: who hears it has to look everywhere anyway. */
const MANY = 1_000
/** The kernel's queue overflows without a word (inotify: 16,384 events); after this many, one look everywhere. */
const BURST_EVENTS = 4_000
const BURST_MS = 1_000
/** A burst has ended when nothing came for this long. */
const QUIET_MS = 250

interface Hints {
  add(path: string): void
  stop(): void
}

/** `told` hears each hint; `afterBurst` is called when a burst, in which events may be lost, has ended. */
function collectHints(told: (path: string) => void, afterBurst: () => void): Hints {
  const waiting = new Set<string>()
  const burst = { events: 0, since: 0 }
  let flush: NodeJS.Immediate | undefined
  let quiet: NodeJS.Timeout | undefined
  const send = () => {
    flush = undefined
    const paths = waiting.size > MANY ? [''] : [...waiting]
    waiting.clear()
    for (const path of paths) told(path)
  }
  const count = () => {
    const now = performance.now()
    if (now - burst.since > BURST_MS) Object.assign(burst, { events: 0, since: now })
    burst.events += 1
    if (quiet !== undefined) quiet.refresh()
    else if (burst.events === BURST_EVENTS) quiet = setTimeout(end, QUIET_MS)
  }
  const end = () => {
    quiet = undefined
    afterBurst()
  }
  return {
    add(path) {
      waiting.add(path)
      count()
      flush ??= setImmediate(send)
    },
    stop() {
      clearImmediate(flush)
      clearTimeout(quiet)
    },
  }
}

export interface WatcherOptions {
  /** Homes with more files than this are watched by folder; chokidar's cost is per file. */
  readonly fewFiles?: number
  /** How often everything is hinted at while watching does not work. */
  readonly pollMs?: number
  /** How often deaf and missed folders are looked for. */
  readonly refreshMs?: number
  readonly chokidar?: StartChokidar
  readonly watchFolder?: WatchFolder
}

type Events = Parameters<Watcher['watch']>[1]

/** What `watch` returns here: the port's stop, which can also be asked to look for deaf folders now. */
export type Stop = (() => Promise<void>) & { refresh(): void }

export interface DiskWatcher extends Watcher {
  watch(home: string, on: Events): Stop
}

/** On Linux a watch on a folder tells of its files: one a folder, never one a file. */
const FEW_FILES = process.platform === 'linux' ? -1 : 1_000
const POLL_MS = 3_000
const REFRESH_MS = 10_000
/** A walk of a large home takes tens of milliseconds, and folder watches hardly ever go deaf. */
const REFRESH_LARGE_MS = 30_000

export function openWatcher(options: WatcherOptions = {}): DiskWatcher {
  return {
    watch(home, on) {
      const watching = new Watching(real(home), on, options)
      return Object.assign(() => watching.stop(), { refresh: () => watching.refresh() })
    },
  }
}

/** A home behind a link is watched at its real path. */
function real(home: string): string {
  try {
    return realpathSync(home)
  } catch {
    return home
  }
}

class Watching {
  readonly #home: string
  readonly #on: Events
  readonly #options: WatcherOptions
  readonly #hints: Hints
  readonly #git: { refresh(): void; close(): void }
  #backend: Backend
  /** Hands over, and is closed when the next one is ready. */
  #former: Backend | undefined
  #ready: 'told' | 'not yet' = 'not yet'
  #large: boolean
  #refreshing: NodeJS.Timeout
  #polling: NodeJS.Timeout | undefined
  #failed: 'now' | 'before' | 'no' = 'no'
  #told = false
  #stopped: Promise<void> | undefined

  constructor(home: string, on: Events, options: WatcherOptions) {
    this.#home = home
    this.#on = on
    this.#options = options
    this.#hints = collectHints(
      (path) => on.hint(path),
      () => this.#afterBurst(),
    )
    this.#large = holdsMore(home, options.fewFiles ?? FEW_FILES)
    this.#git = watchGit(home, () => this.#hints.add('.git'))
    this.#backend = this.#open(() => this.#tellReady())
    this.#refreshing = this.#everyRefresh()
  }

  /** Renews what is deaf, hands over to folder watches when the home has grown, and ends polling when all is well. */
  refresh(): void {
    if (this.#stopped !== undefined) return
    this.#git.refresh()
    if (!this.#large && holdsMore(this.#home, this.#options.fewFiles ?? FEW_FILES)) this.#handOver()
    else this.#backend.refresh()
    if (!existsSync(this.#home)) this.#trouble(new Error(`${this.#home} is not there`))
    this.#settleTrouble()
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#close()
    return this.#stopped
  }

  async #close(): Promise<void> {
    clearInterval(this.#refreshing)
    clearInterval(this.#polling)
    this.#git.close()
    this.#hints.stop()
    await Promise.all([this.#backend.close(), this.#former?.close()])
    this.#hints.stop()
  }

  #tellReady(): void {
    if (this.#stopped !== undefined || this.#ready === 'told') return
    this.#ready = 'told'
    this.#on.ready()
  }

  #open(ready: () => void): Backend {
    const on: BackendEvents = {
      hint: (path) => {
        if (this.#stopped === undefined) this.#hints.add(path)
      },
      trouble: (error) => this.#trouble(error),
      ready,
    }
    if (this.#large) return watchFolders(this.#home, on, this.#options.watchFolder)
    return watchByChokidar(this.#home, on, this.#options.chokidar)
  }

  /** From chokidar to folder watches, which need the fewest watches and say which of them failed. */
  #handOver(): void {
    if (this.#large || this.#stopped !== undefined) return
    const former = this.#backend
    this.#former = former
    this.#large = true
    this.#backend = this.#open(() => {
      former.close().catch((error: unknown) => this.#trouble(error))
      this.#tellReady()
      if (this.#stopped === undefined) this.#hints.add('')
    })
    clearInterval(this.#refreshing)
    this.#refreshing = this.#everyRefresh()
  }

  #everyRefresh(): NodeJS.Timeout {
    const ms = this.#options.refreshMs ?? (this.#large ? REFRESH_LARGE_MS : REFRESH_MS)
    return setInterval(() => this.refresh(), ms)
  }

  #afterBurst(): void {
    this.refresh()
    this.#hints.add('')
  }

  #trouble(error: unknown): void {
    if (this.#stopped !== undefined) return
    this.#failed = 'now'
    this.#polling ??= setInterval(() => this.#hints.add(''), this.#options.pollMs ?? POLL_MS)
    if (!this.#large) setImmediate(() => this.#handOver())
    if (this.#told) return
    this.#told = true
    const why = error instanceof Error ? error.message : String(error)
    setImmediate(() => {
      if (this.#stopped === undefined)
        this.#on.trouble(`Cannot watch files (${why}), looks every few seconds`)
    })
  }

  /** Two refreshes without an error: watching works again. */
  #settleTrouble(): void {
    if (this.#failed === 'before') {
      clearInterval(this.#polling)
      this.#polling = undefined
      this.#failed = 'no'
      if (this.#told) this.#on.well?.()
      this.#told = false
    } else if (this.#failed === 'now') this.#failed = 'before'
  }
}
