/**
 * Git's own lock files (`<name>.lock`), taken so that a crash of Neo blocks nobody for good. Invariants: 1. a lock is
 * taken by link(2) of a file of Neo under `neo/`: exclusive, and with its whole content; 2. a lock of a process of Neo
 * that died is known by that second name, and removed by `healLocks`; 3. a lock of another program is moved away only by
 * `healStale`: after 10 minutes, and once no git can own it.
 */
import {
  type BigIntStats,
  closeSync,
  futimesSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, runs, syncFile } from '../../disk/fs.ts'
import type { WorkTree } from '../locate.ts'
import { mayBeOwned } from './persons-git.ts'

export interface Held {
  /** The new bytes take the place of the old, and the lock is let go, in one step. False: the lock was taken from us. */
  land(): boolean
  /** Lets go; nothing has changed. */
  release(): void
}

interface Wish {
  /** The git dir: what is locked is below it. */
  readonly gitDir: string
  /** Relative to the git dir: `index`, `HEAD`, `refs/heads/main`. */
  readonly name: string
  readonly bytes: Buffer
  /** The file whose mode the new one takes, and its time where `time` says so. */
  readonly like?: BigIntStats | undefined
  readonly time?: 'like'
}

/** The new bytes beside, under a name of Neo. */
export interface Prepared {
  /** Null if somebody holds the lock. */
  take(): Held | null
  /** They are on disk when it resolves. */
  synced(): Promise<void>
  drop(): void
}

/** Locks of this process that are on their way or held. */
const inFlight = new Set<string>()
let count = 0
const EVERY_MS = 4
/** A lock of a living process of Neo is never held for so long: its process id belongs to another by now. */
const LONG_MS = 60_000
const LOCKS = 'locks'

/** Writes the new bytes beside, so that taking the lock is one call of the disk. Must be ended with `drop`. */
export function prepare(wish: Wish): Prepared {
  const dir = join(wish.gitDir, 'neo', LOCKS)
  // Throws if the repository was moved away: no skeleton of it is made.
  statSync(wish.gitDir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const own = `${process.pid}-${++count}-${encodeURIComponent(wish.name)}`
  const file = join(dir, own)
  inFlight.add(own)
  const drop = () => {
    rmSync(file, { force: true })
    inFlight.delete(own)
  }
  try {
    write(file, wish)
  } catch (error) {
    drop()
    throw error
  }
  const path = join(wish.gitDir, wish.name)
  return {
    take: () => (link(file, `${path}.lock`) ? held({ file, path, drop }) : null),
    synced: () => syncFile(file),
    drop,
  }
}

/** Tries for so long. Null if somebody else holds the lock all the while. */
export async function takeLock(wish: Wish, ms: number): Promise<Held | null> {
  let ready: Prepared | null = null
  try {
    ready = prepare(wish)
    for (const end = Date.now() + ms; ; await sleep(EVERY_MS)) {
      const taken = ready.take()
      if (taken !== null) return taken
      healLocks(wish.gitDir)
      if (Date.now() >= end) break
    }
  } catch {
    // A file system without hard links, or a folder that is gone: git's own way remains.
  }
  ready?.drop()
  return null
}

function write(file: string, { bytes, like, time }: Wish): void {
  const opened = openSync(file, 'wx', like === undefined ? 0o666 : Number(like.mode & 0o777n))
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(opened, bytes, at)
    if (like !== undefined && time === 'like') {
      const seconds = Number(like.mtimeMs) / 1000
      futimesSync(opened, seconds, seconds)
    }
  } finally {
    closeSync(opened)
  }
}

function link(file: string, lock: string): boolean {
  try {
    linkSync(file, lock)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function held({ file, path, drop }: { file: string; path: string; drop: () => void }): Held {
  const lock = `${path}.lock`
  return {
    land() {
      const ours = sameFile(file, lock)
      if (ours) renameSync(lock, path)
      drop()
      return ours
    },
    release() {
      if (sameFile(file, lock)) rmSync(lock, { force: true })
      drop()
    },
  }
}

function sameFile(a: string, b: string): boolean {
  const [x, y] = [inodeOf(a), inodeOf(b)]
  return x !== null && x === y
}

function inodeOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev} ${stat.ino}`
}

/** Takes away the locks of processes of Neo that died, and what they left under `neo/`. */
export function healLocks(gitDir: string): void {
  const dir = join(gitDir, 'neo', LOCKS)
  for (const name of namesIn(dir)) {
    const [, pid, locked] = /^(\d+)-\d+-(.+)$/.exec(name) ?? []
    if (pid === undefined || locked === undefined || inFlight.has(name)) continue
    const file = join(dir, name)
    if (Number(pid) !== process.pid && runs(Number(pid)) && !isOld(file)) continue
    // Renamed first: of two who heal at once, one gets it.
    const mine = `${process.pid}-${++count}-${locked}`
    inFlight.add(mine)
    if (renamed(file, join(dir, mine))) {
      const lock = `${join(gitDir, decodeURIComponent(locked))}.lock`
      if (sameFile(join(dir, mine), lock)) rmSync(lock, { force: true })
      rmSync(join(dir, mine), { force: true })
    }
    inFlight.delete(mine)
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

function isOld(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.ctimeMs > LONG_MS
}

/** A younger lock may belong to a git that cannot be seen from here: in a container, on another host. */
const STALE_MS = 10 * 60_000

/** However old it is: `git commit -a` holds the index as long as its editor is open. */
export function healStale(tree: WorkTree, name: string): void {
  const path = `${join(name.startsWith('refs/') ? tree.commonDir : tree.gitDir, name)}.lock`
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined || Date.now() - stat.mtimeMs < STALE_MS || mayBeOwned(path, tree)) return
  // Not beside a ref: there its name would be that of a broken ref.
  const dir = join(tree.gitDir, 'neo', 'stale')
  const to = join(dir, `${encodeURIComponent(name)}.lock`)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    renameSync(path, to)
  } catch {
    // Somebody else was quicker, or nothing can be written here: the lock is waited for as before.
    return
  }
  process.emitWarning(`${path} was older than 10 minutes and is now ${to}`)
}
