/**
 * Backend for large homes: one fs.watch on each folder, none on files (inotify reports the files of a folder). Ten
 * thousand files cost a walk and a few MB; files are never looked at. Invariants: 1. a folder is watched before it is
 * listed, so what appears in between is seen; 2. any event about a folder from its parent renews its watch: a watch is
 * bound to the folder that was there when it began, and is deaf for a new one of the same name.
 */
import { type FSWatcher, lstatSync, watch as nodeWatch } from 'node:fs'
import { basename, join } from 'node:path'
import { admits, below, identityOf, openFolderWalk, walk } from './folders.ts'

export interface BackendEvents {
  /** Something changed at or below this path, relative to the home. */
  hint(path: string): void
  trouble(error: unknown): void
  /** Once, after everything that is there is watched. */
  ready(): void
}

/** One way of watching a home: this one, or chokidar. */
export interface Backend {
  /** Looks for folders that were removed and made again, or missed, and watches them. Cheap if nothing has changed. */
  refresh(): void
  close(): Promise<void>
}

export type WatchFolder = typeof nodeWatch

interface Watched {
  readonly identity: string
  readonly watcher: FSWatcher
}

export function watchFolders(home: string, on: BackendEvents, watchFolder: WatchFolder = nodeWatch): Backend {
  const watched = new Map<string, Watched>()
  const state = { home, on, watched, watchFolder, folders: openFolderWalk(home), closed: false }
  addTree(state, '')
  setImmediate(() => {
    if (!state.closed) on.ready()
  })
  return {
    refresh: () => refresh(state),
    async close() {
      state.closed = true
      for (const folder of [...watched.keys()]) drop(state, folder)
    },
  }
}

interface State {
  readonly home: string
  readonly on: BackendEvents
  readonly watched: Map<string, Watched>
  readonly watchFolder: WatchFolder
  readonly folders: () => ReadonlyMap<string, string>
  closed: boolean
}

/** Watches a folder and all below it. The walk lists each folder; a watch comes first (invariant 1). */
function addTree(state: State, from: string): void {
  add(state, from)
  const found = walk(state.home, from)
  for (const folder of found.keys()) {
    if (!state.watched.has(folder)) add(state, folder)
  }
}

function add(state: State, folder: string): void {
  const path = join(state.home, folder)
  const identity = identityOf(path)
  if (identity === null || state.closed) return
  try {
    const watcher = state.watchFolder(path, { encoding: 'utf8' }, (event, name) => {
      onEvent(state, folder, { event, name: typeof name === 'string' ? name : null })
    })
    watcher.on('error', (error) => {
      drop(state, folder)
      // Some platforms say so by an error when the folder itself goes.
      if (identityOf(path) !== null) state.on.trouble(error)
    })
    state.watched.set(folder, { identity, watcher })
  } catch (error) {
    if (identityOf(path) !== null) state.on.trouble(error)
  }
}

function onEvent(state: State, folder: string, told: { event: string; name: string | null }): void {
  if (state.closed) return
  const { event, name } = told
  if (name === null) state.on.hint(folder)
  else if (event === 'rename' && isItself(state, folder, name)) renew(state, folder)
  else if (event === 'rename' && concernsFolder(state, below(folder, name))) renew(state, below(folder, name))
  else if (admits(below(folder, name), 'file')) state.on.hint(below(folder, name))
}

/** The word is about the watched folder, not about an entry of the same name: it is gone, or is another one. */
function isItself(state: State, folder: string, name: string): boolean {
  const path = join(state.home, folder)
  return name === basename(path) && identityOf(path) !== state.watched.get(folder)?.identity
}

function concernsFolder(state: State, path: string): boolean {
  if (!admits(path, 'folder')) return false
  if (state.watched.has(path)) return true
  try {
    return lstatSync(join(state.home, path), { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

function renew(state: State, folder: string): void {
  dropTree(state, folder)
  addTree(state, folder)
  state.on.hint(folder)
}

function refresh(state: State): void {
  if (state.closed) return
  const found = state.folders()
  for (const [folder, { identity }] of [...state.watched]) {
    if (found.get(folder) === identity) continue
    drop(state, folder)
    state.on.hint(folder)
  }
  for (const folder of found.keys()) {
    if (state.watched.has(folder)) continue
    add(state, folder)
    state.on.hint(folder)
  }
}

function dropTree(state: State, folder: string): void {
  const prefix = folder === '' ? '' : `${folder}/`
  for (const path of [...state.watched.keys()]) {
    if (path === folder || path.startsWith(prefix)) drop(state, path)
  }
}

function drop(state: State, folder: string): void {
  state.watched.get(folder)?.watcher.close()
  state.watched.delete(folder)
}
