/**
 * One daemon per home. The guard (lock-guard.ts) is the kernel's proof and decides if there is one;
 * `<git dir>/neo/lock.json` says which daemon runs, and decides without a guard. Invariants: 1. lock.json is created
 * exclusively, and a dead owner's is replaced only by the holder of the claim on exactly that content
 * (`lock-<hash>.claim`, created exclusively), so of many racers one gets it; 2. an owner on this machine is dead when its
 * process is (pid, start time, boot), one on another machine when it has not renewed lock.json for SILENT_MS; 3. the
 * holder recreates a deleted lock.json.
 */
import { mkdirSync, realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isMap, jsonIn } from '../domain/text/is-map.ts'
import { NeoError, whyOf } from '../domain/home/error.ts'
import { dueAgain } from '../domain/text/grown-wait.ts'
import type { World } from '../ports/world.ts'
import { type Guard, type Guarding, socketGuard } from './lock-guard.ts'

export type LockDeps = Pick<World, 'files' | 'clock' | 'processes'> & {
  readonly version: string
  readonly guard?: Guard
}

export interface LockOwner {
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
  readonly host: string
  /** The home, or the git dir of a bare one. */
  readonly path: string
  readonly version: string
  /** ISO 8601: since when, and when last seen (renewed each RENEW_MS). */
  readonly at: string
  readonly seen: string
}

export type Lock =
  | {
      readonly kind: 'taken'
      /** Another daemon may start at once. May be called twice. */
      release(): void
      /** `lost`: another machine took it over, e.g. while this one slept; nothing may start any more. */
      check(): 'ours' | 'lost'
    }
  | { readonly kind: 'held'; readonly pid: number; readonly since: string; readonly where: string }

/** The kernel frees a killed owner's guard a moment later; a silent one is retried this long. */
const PATIENCE_MS = 5_000
const RETRY_MS = 50
const LOOK_MS = 5_000
const RENEW_MS = 60_000
const SILENT_MS = 3 * RENEW_MS
const LOCK_BYTES = 64 * 1024

/** Takes the lock or finds its living owner, within PATIENCE_MS. Throws NeoError `disk` if it can't write. */
export async function takeLock(gitDir: string, deps: LockDeps): Promise<Lock> {
  const dir = prepare(gitDir)
  const path = join(dir, 'neo', 'lock.json')
  const mine = selfAt(dir, deps)
  const end = deps.clock.now() + PATIENCE_MS
  for (;;) {
    const last = deps.clock.now() >= end
    const guarding = await (deps.guard ?? socketGuard)(dir, () => mine)
    if (guarding.kind === 'busy') {
      const owner = asOwner(guarding.owner) ?? lockOwner(dir, deps)
      if (owner !== null || last) return held(owner, dir)
    } else {
      const got = tryFile(path, mine, deps)
      if (got.kind === 'taken') return keep({ path, mine, deps, guarding, hash: got.hash })
      if (guarding.kind === 'ours') guarding.release()
      if (got.kind === 'held' || last) return held(got.kind === 'held' ? got.owner : null, dir)
    }
    await new Promise<void>((resolve) => deps.clock.after(RETRY_MS, resolve))
  }
}

export type TakenLock = Extract<Lock, { kind: 'taken' }>

/** Throws NeoError `held` if another daemon is running for the home. */
export async function takeHomeLock(home: string, deps: LockDeps & Pick<World, 'git'>): Promise<TakenLock> {
  const lock = await takeLock(deps.git.gitDir, deps)
  if (lock.kind === 'taken') return lock
  throw new NeoError('held', `Cannot start: another daemon is running for ${home}`, {
    why: `process ${lock.pid} on ${lock.where} since ${lock.since}`,
    next: 'neo status shows what it is doing; stop it to start another',
  })
}

/** The real path of the git dir, with the folder of the lock. */
function prepare(gitDir: string): string {
  try {
    const dir = realpathSync(gitDir)
    mkdirSync(join(dir, 'neo'), { recursive: true, mode: 0o700 })
    return dir
  } catch (error) {
    const why = whyOf(error)
    throw new NeoError('disk', `Cannot take the lock in "${gitDir}": ${why}`, { why, cause: error })
  }
}

/** The living owner in lock.json; null without one. */
export function lockOwner(gitDir: string, deps: Omit<LockDeps, 'version' | 'guard'>): LockOwner | null {
  const found = deps.files.read(join(gitDir, 'neo', 'lock.json'), LOCK_BYTES)
  const owner = found.kind === 'file' ? ownerIn(found.bytes) : null
  return owner !== null && lives(owner, deps) ? owner : null
}

type Try =
  | { readonly kind: 'taken'; readonly hash: string }
  | { readonly kind: 'held'; readonly owner: LockOwner }
  | { readonly kind: 'again' }

/** One attempt at lock.json (invariant 1). */
function tryFile(path: string, mine: LockOwner, deps: LockDeps): Try {
  const bytes = textOf(mine)
  const made = deps.files.save(path, bytes, null)
  if (made.kind === 'saved') return { kind: 'taken', hash: made.hash }
  const found = deps.files.read(path, LOCK_BYTES)
  if (found.kind === 'refused') throw new NeoError('disk', `Cannot take the lock "${path}": it ${found.why}`)
  if (found.kind === 'missing' || made.hash === null) return { kind: 'again' }
  const owner = ownerIn(found.bytes)
  if (owner !== null && lives(owner, deps)) return { kind: 'held', owner }
  return takeOver(path, { dead: made.hash, bytes }, deps)
}

function takeOver(path: string, lock: { dead: string; bytes: Buffer }, deps: LockDeps): Try {
  const { files } = deps
  const claim = join(dirname(path), `lock-${lock.dead.slice(0, 16)}.claim`)
  const claimed = files.save(claim, lock.bytes, null)
  if (claimed.kind === 'changed') {
    const found = files.read(claim, LOCK_BYTES)
    const claimer = found.kind === 'file' ? ownerIn(found.bytes) : null
    const dead = claimer === null || !lives(claimer, deps)
    if (dead && claimed.hash !== null && found.kind === 'file') files.remove(claim, claimed.hash)
    return { kind: 'again' }
  }
  try {
    // The claim makes comparing and replacing atomic.
    const replaced = files.save(path, lock.bytes, lock.dead)
    return replaced.kind === 'saved' ? { kind: 'taken', hash: replaced.hash } : { kind: 'again' }
  } finally {
    files.remove(claim, claimed.hash)
  }
}

interface Kept {
  readonly path: string
  readonly mine: LockOwner
  readonly deps: LockDeps
  readonly guarding: Guarding
  readonly hash: string
}

function keep({ path, mine, deps, guarding, hash: first }: Kept): Lock {
  let hash = first
  let state: 'ours' | 'lost' | 'released' = 'ours'
  let seen = deps.clock.now()
  let cancel = () => {}
  const look = () => {
    try {
      const renewed = renew(path, { mine, hash, seen, guarding }, deps)
      if (renewed === null) state = 'lost'
      else ({ hash, seen } = renewed)
    } catch {
      // A full disk is reported elsewhere; the guard still holds.
    }
    if (state === 'ours') cancel = deps.clock.after(LOOK_MS, look)
  }
  cancel = deps.clock.after(LOOK_MS, look)
  return {
    kind: 'taken',
    check: () => (state === 'lost' ? 'lost' : 'ours'),
    release() {
      cancel()
      if (state === 'released') return
      if (state === 'ours') removeFile(path, hash, deps)
      state = 'released'
      if (guarding.kind === 'ours') guarding.release()
    },
  }
}

function removeFile(path: string, hash: string, deps: LockDeps): void {
  try {
    deps.files.remove(path, hash)
  } catch {
    // It names a process that is ending; the next daemon takes it over.
  }
}

interface Renewal {
  readonly mine: LockOwner
  readonly hash: string
  readonly seen: number
  readonly guarding: Guarding
}

/** Rewrites lock.json when it is due, deleted or damaged; null if it names another living owner. */
function renew(path: string, now: Renewal, deps: LockDeps): { hash: string; seen: number } | null {
  const { files, clock } = deps
  const found = files.read(path, LOCK_BYTES)
  const owner = found.kind === 'file' ? ownerIn(found.bytes) : null
  const isMine = owner !== null && owner.pid === now.mine.pid && owner.at === now.mine.at
  if (isMine && clock.now() < dueAgain(now.seen, RENEW_MS, clock.now()))
    return { hash: now.hash, seen: now.seen }
  if (owner !== null && !isMine && now.guarding.kind !== 'ours' && lives(owner, deps)) return null
  const seen = clock.now()
  const bytes = textOf({ ...now.mine, seen: new Date(seen).toISOString() })
  const first = files.save(path, bytes, now.hash)
  const saved = first.kind === 'changed' ? files.save(path, bytes, first.hash) : first
  return saved.kind === 'saved' ? { hash: saved.hash, seen } : { hash: now.hash, seen: now.seen }
}

function lives(owner: LockOwner, deps: Pick<World, 'clock' | 'processes'>): boolean {
  if (owner.host === hostname()) return deps.processes.alive(owner)
  return deps.clock.now() - Date.parse(owner.seen) < SILENT_MS
}

function held(owner: LockOwner | null, dir: string): Lock {
  if (owner === null) return { kind: 'held', pid: 0, since: '', where: homeOf(dir) }
  const where = owner.host === hostname() ? owner.path : `${owner.host}:${owner.path}`
  return { kind: 'held', pid: owner.pid, since: owner.at, where }
}

function selfAt(dir: string, deps: LockDeps): LockOwner {
  const at = new Date(deps.clock.now()).toISOString()
  const { pid, startTime, bootId } = deps.processes.self()
  return { pid, startTime, bootId, host: hostname(), path: homeOf(dir), version: deps.version, at, seen: at }
}

function homeOf(gitDir: string): string {
  return basename(gitDir) === '.git' ? dirname(gitDir) : gitDir
}

function textOf(owner: LockOwner): Buffer {
  return Buffer.from(`${JSON.stringify(owner, null, 2)}\n`)
}

function ownerIn(bytes: Buffer): LockOwner | null {
  return asOwner(jsonIn(bytes.toString('utf8')))
}

function asOwner(value: unknown): LockOwner | null {
  if (!isMap(value)) return null
  const { pid, startTime, bootId, host, path, version, at, seen } = value
  const texts = [startTime, bootId, host, path, version, at, seen]
  if (typeof pid !== 'number' || !texts.every((text) => typeof text === 'string')) return null
  return value as unknown as LockOwner
}
