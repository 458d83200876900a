/**
 * Backend for small homes: chokidar on the home's root, with an ignore function.
 * chokidar 5 goes deaf on a folder that a checkout removes and brings back at once (measured: 10 times of 10), and
 * says nothing of a folder that was moved. So the folders' identities are compared after each word about entries, and
 * if one differs a new chokidar takes over.
 * Invariant: the old one is closed before the new one begins (chokidar shares its watches within a process, the deaf
 * ones too), and after the new one is ready everything is hinted at, for what changed in between.
 */
import { relative, sep } from 'node:path'
import { type ChokidarOptions, watch as chokidarWatch, type FSWatcher } from 'chokidar'
import type { Backend, BackendEvents } from './folder-watch.ts'
import { admits, walk } from './folders.ts'

export type StartChokidar = (home: string, options: ChokidarOptions) => FSWatcher

/** After a word about a folder's entries the identities are compared once, for all that a checkout moves. */
const CHECK_MS = 50

export function watchByChokidar(
  home: string,
  on: BackendEvents,
  start: StartChokidar = chokidarWatch,
): Backend {
  return new ChokidarWatch(home, on, start)
}

class ChokidarWatch implements Backend {
  /** Identities of the folders when the current chokidar began. */
  #folders: ReadonlyMap<string, string> = new Map()
  #current: FSWatcher
  #checking: NodeJS.Timeout | undefined
  #renewing = false
  #closed = false

  constructor(
    private readonly home: string,
    private readonly on: BackendEvents,
    private readonly start: StartChokidar,
  ) {
    this.#current = this.#begin(on.ready)
  }

  refresh(): void {
    if (this.#closed || this.#renewing) return
    const differ = difference(this.#folders, walk(this.home, ''))
    if (differ.length === 0) return
    for (const folder of differ) this.on.hint(folder)
    this.#renewing = true
    this.#renew().catch((error: unknown) => this.on.trouble(error))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#checking)
    await this.#current.close()
  }

  async #renew(): Promise<void> {
    await this.#current.close()
    if (this.#closed) return
    this.#current = this.#begin(() => {
      this.#renewing = false
      if (this.#closed) return
      this.on.hint('')
      this.refresh()
    })
  }

  #begin(ready: () => void): FSWatcher {
    this.#folders = walk(this.home, '')
    const watcher = this.start(this.home, {
      ignored: (path, stats) => ignores(this.#inside(path), stats),
      ignoreInitial: true,
      followSymlinks: false,
      atomic: false,
    })
    watcher.on('error', (error) => this.on.trouble(error))
    watcher.on('ready', ready)
    watcher.on('all', (_event, path) => this.on.hint(this.#inside(path)))
    watcher.on('raw', (event) => {
      if (event === 'rename' && !this.#closed) this.#checkSoon()
    })
    return watcher
  }

  #checkSoon(): void {
    this.#checking ??= setTimeout(() => {
      this.#checking = undefined
      this.refresh()
    }, CHECK_MS)
  }

  #inside(path: string): string {
    return relative(this.home, path).split(sep).join('/')
  }
}

/** chokidar asks without stats first; then either kind may come in, and the second question decides. */
function ignores(path: string, stats: { isDirectory(): boolean } | undefined): boolean {
  if (stats === undefined) return !admits(path, 'folder') && !admits(path, 'file')
  return !admits(path, stats.isDirectory() ? 'folder' : 'file')
}

/** Folders that are in one only, or are not the same. */
function difference(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  const gone = [...before]
    .filter(([folder, identity]) => now.get(folder) !== identity)
    .map(([folder]) => folder)
  return [...gone, ...[...now.keys()].filter((folder) => !before.has(folder))]
}
