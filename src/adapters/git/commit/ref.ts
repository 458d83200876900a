/**
 * Commit objects with their messages, and moving the branch that HEAD is on, by git's own protocol and without a process:
 * `HEAD.lock` and `<ref>.lock` are taken, both are read again under them, the reflogs get their line, and the lock becomes
 * the ref. Invariants: 1. HEAD is on the branch at the moment the branch moves; 2. a ref only moves from `old`; 3. trailers
 * are one last paragraph, all that git reads as trailers; names and values are folded to one line.
 */

import { appendFileSync, type BigIntStats, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { maskKnown } from '../../../domain/secrets/known-secrets.ts'
import type { CommitRequest, Person } from '../../../ports/git-port.ts'
import { busyWith, headBranch, type Repository } from '../git-repository.ts'
import type { WorkTree } from '../locate.ts'
import { writeObject } from '../reading/objects.ts'
import { type Held, healLocks, healStale, type Prepared, prepare } from './lock-file.ts'
import { personsGit, untilFree, type WorkTree as PersonsTree } from './persons-git.ts'

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

interface Moving<H extends Held> {
  /** The work tree on the branch. */
  readonly tree: PersonsTree
  /** Locks its index, with what the move brings in it. */
  hold(): Promise<H | null>
  /** Whether what was decided before the lock is still so. */
  fits(held: H | null): boolean
  move(): Promise<boolean>
}

/** Moves a ref while the index is held, both or none. False: something moved in the meantime, nothing was done. */
export async function moveTogether<H extends Held>({ tree, hold, fits, move }: Moving<H>): Promise<boolean> {
  // Before the look, which takes a while: it doesn't see a git that starts meanwhile.
  const free = Date.now()
  if ((await untilFree(tree, 'all')) !== null) return false
  const held = await hold()
  let moved = false
  try {
    // The lock was waited for: anyone who held it, or came since, may have read HEAD, or have begun a merge.
    const isFree = Date.now() - free < FRESH_MS || personsGit(tree) === null
    moved = isFree && busyWith(tree.gitDir) === null && fits(held) && (await move())
  } finally {
    if (!moved) held?.release()
  }
  if (moved) held?.land()
  return moved
}

/** A git that has started since cannot have read HEAD yet. */
const FRESH_MS = 2

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

export function isOn(gitDir: string, ref: string): boolean {
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

export const NEO: Person = { name: 'Neo', email: 'neo@localhost' }

export interface CommitParts {
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Person
  readonly message: string
}

/** Writes a commit object. */
export function writeCommit(repository: Pick<Repository, 'commonDir'>, parts: CommitParts): string {
  return writeObject(repository, 'commit', commitBytes(parts))
}

/** Writes a commit that is signed as the user's settings ask; returns why it is not written. */
export async function writeSigned(
  repository: Pick<Repository, 'signing'> & WorkTree,
  parts: CommitParts,
): Promise<{ readonly commit: string } | { readonly refused: string }> {
  const bytes = await repository.signing.sign(repository, commitBytes(parts))
  return 'refused' in bytes ? bytes : { commit: writeObject(repository, 'commit', bytes) }
}

/** A commit object, with Neo as committer and the present time. */
export function commitBytes({ tree, parents, author, message }: CommitParts): Buffer {
  const when = `${Math.floor(Date.now() / 1000)} +0000`
  const above = parents.map((parent) => `parent ${parent}\n`).join('')
  const people = `author ${signature(author)} ${when}\ncommitter ${signature(NEO)} ${when}\n`
  return Buffer.from(`tree ${tree}\n${above}${people}\n${message}`)
}

export function messageOf({
  subject,
  body,
  trailers,
}: Pick<CommitRequest, 'subject' | 'trailers'> & { readonly body?: string }): string {
  const paragraphs = [
    // A title or a reply can hold a secret that somebody typed, and history never forgets. Trailers are ids for programs.
    maskKnown(fold(subject)),
    // Behind a zero byte git would see no trailers.
    maskKnown(body?.replaceAll('\0', '').trim() ?? ''),
    trailers.map(([key, value]) => `${key}: ${fold(value)}`).join('\n'),
  ]
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}

function fold(text: string): string {
  return text.replace(/\s*[\r\n\0]+\s*/g, ' ').trim()
}

function signature({ name, email }: Person): string {
  return `${clean(name) || 'unknown'} <${clean(email)}>`
}

/** Git allows neither angle brackets nor line breaks in a name. */
function clean(text: string): string {
  return text.replace(/[<>\r\n\0]/g, '').trim()
}
