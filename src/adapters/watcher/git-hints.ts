/**
 * Light watches on a home's git dir, so that a branch switch, a commit or a merge made by hand is seen at once: HEAD,
 * packed-refs, and the branches under refs/heads (reftable: its list of tables). Objects, index, logs and Neo's own
 * session branches (`refs/heads/neo/`) are not watched.
 */
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { locate, type WorkTree } from '../git/locate.ts'

export interface GitHints {
  /** Finds the git dir if it was not there, and new folders of branches. */
  refresh(): void
  close(): void
}

const IN_GIT_DIR = ['HEAD', 'packed-refs']

export function watchGit(home: string, hint: () => void): GitHints {
  const watchers = new Map<string, FSWatcher>()
  const refresh = () => {
    const found = repositoryOf(home)
    if (found === null) return
    for (const dir of new Set([found.gitDir, found.commonDir])) {
      add(watchers, dir, (name) => {
        if (name === null || IN_GIT_DIR.includes(name)) hint()
      })
    }
    add(watchers, join(found.commonDir, 'reftable'), hint)
    addBranches(watchers, join(found.commonDir, 'refs', 'heads'), () => {
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

/** Null also while git is just making or removing it. */
function repositoryOf(home: string): WorkTree | null {
  try {
    return locate(home)
  } catch {
    return null
  }
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
      if (!existsSync(dir)) forget(watchers, dir)
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
