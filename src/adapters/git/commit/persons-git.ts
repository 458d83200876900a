/**
 * Git commands of people: which of them are at work in a work tree, so that Neo's commits and merges wait for them.
 * Linux reads /proc; elsewhere `ps` and `lsof`. Why: `git commit` reads HEAD before it opens the editor, and fails at
 * the end if the branch has moved in the meantime. Between the two it may hold no lock at all, so the process itself is what
 * tells that it is at work. Invariants: 1. Neo's own git processes carry NEO_GIT and never count; 2. a git in a
 * session's worktree, or in a repository inside the home, is not at work in the home; 3. nobody is waited for longer
 * than HOLD_MS.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { uptime } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AtWork } from '../../../ports/git-port.ts'
import { HAS_PROC, procStat, procText, psTable } from '../../processes/process-table.ts'

export interface WorkTree {
  readonly top: string
  readonly gitDir: string
}

/** An editor that stays open for longer holds Neo up no more; `neo status` names the time. */
const HOLD_MS = 15 * 60_000
/** Commands that move HEAD, the index or the files. What only reads may stay open for hours (a pager). */
const WRITING = new Set(
  (
    'add am apply bisect checkout checkout-index cherry-pick citool clean commit commit-tree filter-branch merge mv pull ' +
    'read-tree rebase reset restore revert rm sparse-checkout stage stash submodule subtree switch symbolic-ref ' +
    'update-index update-ref write-tree'
  ).split(' '),
)
/** Of these the interactive forms hold nothing while they ask: what they run in the end is a command of its own. */
const ASKING = new Set(['add', 'checkout', 'reset', 'restore', 'stage', 'stash'])

/** `young`: processes that were no git for a while are not read again yet, although a shell may become one by `exec`. */
type Read = 'all' | 'young'

/** The git command of the user that is at work here; the longest at it if there are more. */
export function personsGit(tree: WorkTree, read: Read = 'young'): AtWork | null {
  const found = candidates(read).flatMap(({ pid, argv }): AtWork[] => {
    const verb = verbOf(argv)
    if (verb === null || !(WRITING.has(verb) || isPruning(verb, argv))) return []
    if (isAsking(verb, argv) || !isIn(cwdOf(pid), tree)) return []
    const since = startOf(pid)
    if (since === null || Date.now() - since > HOLD_MS || isOurs(pid)) return []
    return [
      {
        pid,
        verb,
        since,
        until: since + HOLD_MS,
        files: WRITING.has(verb) && verb !== 'commit' ? 'moved' : 'kept',
      },
    ]
  })
  return found.sort((a, b) => a.since - b.since)[0] ?? null
}

/** Most commands end within this. */
const SHORT_MS = 400
const EVERY_MS = 5

/** Waits a moment for people's commands to end. Gives the one that is still at work. */
export async function untilFree(tree: WorkTree, read: Read = 'young'): Promise<AtWork | null> {
  for (const end = Date.now() + SHORT_MS; ; await sleep(EVERY_MS)) {
    const found = personsGit(tree, read)
    if (found === null || Date.now() >= end) return found
  }
}

/** As status and errors say it. */
export function waitingFor({ verb, pid, since, until }: AtWork): string {
  const [from, to] = [since, until].map((ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`)
  return `waiting for your git ${verb} in progress (process ${pid}, since ${from}); continues at ${to} at the latest`
}

/**
 * True if some git of the user may still own a lock file of this repository. Not knowing counts as true: on systems
 * without /proc, and for processes whose folder cannot be read.
 */
export function mayBeOwned(lock: string, tree: WorkTree): boolean {
  if (!HAS_PROC) return true
  const gits = pids().filter((pid) => {
    const verb = verbOf(argvOf(pid))
    return verb !== null && !READING.has(verb) && !isOurs(pid)
  })
  const near = gits.some((pid) => {
    const cwd = cwdOf(pid)
    return cwd === null || isBelow(cwd, tree.top) || isBelow(cwd, tree.gitDir)
  })
  return near || isWritten(lock)
}

/** True if a living process has this file open. False if that cannot be known. */
export function isWritten(path: string): boolean {
  return HAS_PROC && pids().some((pid) => hasOpen(pid, path))
}

const READING = new Set(
  'log diff show blame grep cat-file fsmonitor--daemon credential-cache--daemon daemon'.split(' '),
)

function hasOpen(pid: number, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === path)
  } catch {
    return false
  }
}

/** Null if it isn't git. `git -C dir -c a=b commit -a` is `commit`, and so is `git-commit`. */
function verbOf(argv: readonly string[]): string | null {
  const name = basename(argv[0] ?? '')
  if (name.startsWith('git-')) return name.slice('git-'.length)
  if (name !== 'git') return null
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (!word.startsWith('-')) return word
    if (WITH_VALUE.has(word)) at++
  }
  return null
}

const WITH_VALUE = new Set('-C -c --git-dir --work-tree --namespace --exec-path --config-env'.split(' '))

function isAsking(verb: string, argv: readonly string[]): boolean {
  return ASKING.has(verb) && argv.some((word) => /^(-[pie]|--patch|--interactive|--edit)$/.test(word))
}

/** It deletes what no ref reaches yet, also what a commit is just being made of. By itself git spares what is new. */
function isPruning(verb: string, argv: readonly string[]): boolean {
  const said = argv.join(' ')
  const isSparing = /--expire/.test(said) && !/--expire[ =](?:now|all)/.test(said)
  return verb === 'gc' ? /--prune=(?:now|all)/.test(said) : verb === 'prune' && !isSparing
}

/** The nearest repository above the folder is that of the work tree, or the folder is its git dir. */
function isIn(cwd: string | null, { top, gitDir }: WorkTree): boolean {
  if (cwd === null) return false
  if (cwd === gitDir) return true
  for (let dir = cwd; isBelow(dir, top); dir = dirname(dir))
    if (existsSync(join(dir, '.git'))) return dir === top
  return false
}

function isBelow(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir + sep)
}

interface Candidate {
  readonly pid: number
  readonly argv: readonly string[]
}

function candidates(read: Read): readonly Candidate[] {
  if (!HAS_PROC) return psCandidates()
  const now = Date.now()
  if (others.size > MOST) others.clear()
  return pids().flatMap((pid) => {
    const other = others.get(pid)
    const isOld = other !== undefined && other.last - other.first > YOUNG_MS
    if (read === 'young' && isOld && now - other.last < AGAIN_MS) return []
    const argv = argvOf(pid)
    if (verbOf(argv) !== null) return [{ pid, argv }]
    others.set(pid, { first: other?.first ?? now, last: now })
    return []
  })
}

/** Processes that are no git. A young one is read each time: between fork and exec it looks like its parent. */
const others = new Map<number, { readonly first: number; readonly last: number }>()
const MOST = 20_000
/** On a machine under load, a fork may wait this long for its exec. */
const YOUNG_MS = 2_000
const AGAIN_MS = 500

function pids(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

function argvOf(pid: number): readonly string[] {
  const text = Buffer.from(procText(pid, 'cmdline'), 'latin1').toString('utf8')
  return text.split('\0').slice(0, -1)
}

function isOurs(pid: number): boolean {
  if (HAS_PROC) return `\0${procText(pid, 'environ')}`.includes('\0NEO_GIT=')
  return ps().some((row) => row.pid === pid && row.shown.includes(' NEO_GIT='))
}

/** Epoch ms; null for a process that is gone. */
function startOf(pid: number): number | null {
  if (!HAS_PROC) {
    const row = ps().find((one) => one.pid === pid)
    return row === undefined ? null : Date.parse(row.startTime)
  }
  const ticks = Number(procStat(pid)?.startTime ?? Number.NaN)
  return Number.isNaN(ticks) ? null : Math.round(Date.now() - (uptime() - ticks / TICKS_PER_SECOND) * 1000)
}

/** The unit of /proc/<pid>/stat on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

function cwdOf(pid: number): string | null {
  if (HAS_PROC) return linkOf(`/proc/${pid}/cwd`)
  try {
    const said = execFileSync('lsof', ['-a', '-d', 'cwd', '-Fn', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return /^n(.*)$/m.exec(said)?.[1] ?? null
  } catch {
    return null
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function psCandidates(): readonly Candidate[] {
  return ps()
    .map(({ pid, shown }) => ({ pid, argv: shown.split(' ') }))
    .filter(({ argv }) => verbOf(argv) !== null)
}

let listed: { readonly at: number; readonly rows: ReturnType<typeof psTable> } = { at: 0, rows: [] }
const LISTED_MS = 50

function ps(): ReturnType<typeof psTable> {
  if (Date.now() - listed.at >= LISTED_MS) listed = { at: Date.now(), rows: psTable() }
  return listed.rows
}
