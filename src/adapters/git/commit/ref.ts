/**
 * Moves the branch that HEAD is on, by git's own protocol and without a process: `HEAD.lock` and `<ref>.lock` are taken,
 * both are read again under them, the reflogs get their line, and the lock becomes the ref. Invariants: 1. HEAD is on
 * the branch at the very moment the branch moves; 2. a ref never moves but from `old`.
 */
import { appendFileSync, type BigIntStats, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { headBranch, type Repository } from '../git-repository.ts'
import { NEO } from './commit-message.ts'
import { type Held, healLocks, healStale, type Prepared, prepare } from './lock-file.ts'

export interface RefMove {
  /** `refs/heads/…` */
  readonly ref: string
  readonly to: string
  /** Zeros: the ref must not exist. */
  readonly old: string
  /** For the reflogs; default: `neo: commit`. */
  readonly says?: string
}

/** As git's own `core.filesRefLockTimeout`. */
const PATIENCE_MS = 100

/** The new value beside the ref, to be synced before the move; null if that is git's. Must be ended with `drop`. */
export function prepareMove(repository: Repository, { ref, to }: RefMove): Prepared | null {
  const like = plainRef(repository, ref)
  if (like === null) return null
  try {
    return prepare({ gitDir: repository.gitDir, name: ref, bytes: Buffer.from(`${to}\n`), like })
  } catch {
    return null
  }
}

/**
 * Moves the branch of HEAD. False if the ref or HEAD is another by now, or somebody holds their locks.
 * @param next what `prepareMove` gave, synced
 */
export async function moveHead(
  repository: Repository,
  move: RefMove,
  next: Prepared | null,
): Promise<boolean> {
  const { gitDir, living } = repository
  if (!isOn(gitDir, move.ref)) return false
  for (const name of ['HEAD', move.ref]) healStale(repository, name)
  if (next === null || plainRef(repository, move.ref) === null)
    return living.updateRef(move.ref, move.to, move.old)
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(2)) {
    const moved = attempt(gitDir, move, next)
    if (moved === 'failed') return living.updateRef(move.ref, move.to, move.old)
    if (moved !== 'held') return moved
    healLocks(gitDir)
    if (Date.now() >= end) return false
  }
}

/** What goes wrong here (a full disk, no hard links, a ref packed in the meantime) is git's to try and to say. */
function attempt(gitDir: string, move: RefMove, next: Prepared): boolean | 'held' | 'failed' {
  try {
    return underLocks(gitDir, move, next)
  } catch {
    return 'failed'
  }
}

/** The loose file of a ref that we may write; null if git must. */
function plainRef({ gitDir, commonDir }: Repository, ref: string): BigIntStats | null {
  if (gitDir !== commonDir || gitDir.length + ref.length > LONGEST) return null
  const found = [ref, `logs/${ref}`, 'logs/HEAD', 'HEAD'].map((name) =>
    lstatSync(join(gitDir, name), { bigint: true, throwIfNoEntry: false }),
  )
  return found.every((stat) => stat?.isFile()) ? (found[0] ?? null) : null
}

/** Lock names are file names of Neo, with the ref's name in them. */
const LONGEST = 180

/** Both are written, and the new value is on disk, before the first lock is taken: it is held for a moment only. */
function underLocks(gitDir: string, move: RefMove, next: Prepared): boolean | 'held' {
  const guard = prepare({ gitDir, name: 'HEAD', bytes: Buffer.alloc(0) })
  const locks: Held[] = []
  try {
    for (const wish of [guard, next]) {
      const held = wish.take()
      if (held === null) return 'held'
      locks.push(held)
    }
    if (!isOn(gitDir, move.ref) || read(gitDir, move.ref) !== move.old) return false
    log(gitDir, move)
    return locks.pop()?.land() ?? false
  } finally {
    for (const held of locks) held.release()
    guard.drop()
  }
}

function isOn(gitDir: string, ref: string): boolean {
  return `refs/heads/${headBranch(gitDir)}` === ref
}

function read(gitDir: string, ref: string): string {
  return readFileSync(join(gitDir, ref), 'latin1').trimEnd()
}

/** HEAD's and the branch's, as git writes them. */
function log(gitDir: string, { ref, to, old, says = 'neo: commit' }: RefMove): void {
  const seconds = Math.floor(Date.now() / 1000)
  const line = `${old} ${to} ${NEO.name} <${NEO.email}> ${seconds} +0000\t${says}\n`
  for (const name of [ref, 'HEAD']) appendFileSync(join(gitDir, 'logs', name), line)
}
