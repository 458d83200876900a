/**
 * Light watches on a home's git dir, so that a branch switch, a commit or a merge made by hand is seen at once: HEAD,
 * packed-refs, and the branches under refs/heads (reftable: its list of tables). Objects, index, logs and Neo's own
 * session branches (`refs/heads/neo/`) are not watched.
 */
import { type FSWatcher, lstatSync, readdirSync, readFileSync, watch } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export interface GitHints {
  /** Finds the git dir if it was not there, and new folders of branches. */
  refresh(): void
  close(): void
}

const IN_GIT_DIR = ['HEAD', 'packed-refs']

export function watchGit(home: string, hint: () => void): GitHints {
  const watchers = new Map<string, FSWatcher>()
  const refresh = () => {
    const dirs = findGitDirs(home)
    if (dirs === null) return
    for (const dir of new Set([dirs.own, dirs.common])) {
      add(watchers, dir, (name) => {
        if (name === null || IN_GIT_DIR.includes(name)) hint()
      })
    }
    add(watchers, join(dirs.common, 'reftable'), hint)
    addBranches(watchers, join(dirs.common, 'refs', 'heads'), () => {
      hint()
      refresh()
    })
  }
  refresh()
  return {
    refresh,
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

/** Own git dir (HEAD) and common one (branches) of the repository that the home is in; null if it is in none. */
export function findGitDirs(home: string): { readonly own: string; readonly common: string } | null {
  for (let dir = resolve(home); ; dir = dirname(dir)) {
    const own = gitDirAt(join(dir, '.git'))
    if (own !== null) {
      const common = readLine(join(own, 'commondir'))
      return { own, common: common === null ? own : resolve(own, common) }
    }
    if (dirname(dir) === dir) return null
  }
}

function gitDirAt(path: string): string | null {
  const stat = statOf(path)
  if (stat === undefined) return null
  if (!stat.isFile()) return path
  const line = readLine(path)
  return line?.startsWith('gitdir: ') ? resolve(dirname(path), line.slice('gitdir: '.length)) : null
}

function addBranches(watchers: Map<string, FSWatcher>, dir: string, changed: () => void): void {
  add(watchers, dir, (name) => {
    if (name === null || !name.endsWith('.lock')) changed()
  })
  for (const name of foldersIn(dir)) {
    if (!(dir.endsWith(join('refs', 'heads')) && name === 'neo'))
      addBranches(watchers, join(dir, name), changed)
  }
}

function add(watchers: Map<string, FSWatcher>, dir: string, told: (name: string | null) => void): void {
  if (watchers.has(dir)) return
  try {
    const watcher = watch(dir, (_event, name) => {
      if (statOf(dir) === undefined) forget(watchers, dir)
      told(name)
    })
    // Without these hints a rescan sees the same a little later.
    watcher.on('error', () => forget(watchers, dir))
    watchers.set(dir, watcher)
  } catch {
    // Not there (no reftable, no such folder of branches), or no watches left: the rescan carries it.
  }
}

function forget(watchers: Map<string, FSWatcher>, dir: string): void {
  watchers.get(dir)?.close()
  watchers.delete(dir)
}

function foldersIn(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  } catch {
    return []
  }
}

function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}

function statOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
