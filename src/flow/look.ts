/**
 * The look: compares the home's files with what was known, and gives an immutable picture of them.
 * Takes hints (paths that may have changed) or nothing for a full rescan; reads only what has changed.
 * Leaves to catalog.ts: what a file says; to ledger (standing.ts): how it stands; to settling.ts: when it counts.
 * Invariants: 1. events are hints, the full scan is the truth; 2. an unchanged hash is no change; 3. away from the
 * home's branch nothing is read and nothing counts as deleted.
 */
import { join } from 'node:path'
import type { HomeConfig } from '../core/model/config.ts'
import type { GitState, Snapshot } from '../core/model/snapshot.ts'
import { isWantedFolder, kindOf, type Known } from '../core/rules/paths.ts'
import type { Clock, Files, Git, Stat } from '../ports.ts'
import { type Content, type Reading, readKnown } from './catalog.ts'
import type { ConfigKeeper } from './config-keeper.ts'
import { type Entry, pictureOf } from './picture.ts'
import { openSettling } from './settling.ts'
import { openLedger } from './standing.ts'
import { type FileChange, MAX_BYTES } from './transact.ts'

export interface Looker {
  /** A full look with `all`; else at the hinted paths and those that are due. */
  look(hints: 'all' | ReadonlySet<string>): Promise<Looked>
  /** We wrote this ourselves: it is known, not news. */
  wrote(path: string, text: string | null): void
  committed(parent: string | null, commit: string, changes: readonly FileChange[]): void
  /** The branch that we may act on; null while away or busy. */
  branch(): string | null
  config(): HomeConfig
  /** Blob ids of what is committed, by path. */
  tree(): ReadonlyMap<string, string>
  /** Path at which a task id was known, where that file is gone from disk. */
  goneWithId(id: string): string | null
}

export interface Looked {
  readonly snapshot: Snapshot
  /** When something settles: look again then. Null: nothing is settling. */
  readonly wakeAt: number | null
}

export interface LookerOptions {
  readonly home: string
  readonly files: Files
  readonly git: Git
  readonly clock: Clock
  readonly config: ConfigKeeper
  /** Milliseconds of quiet before a file counts; overrides neo.yaml (0 in `neo run`). */
  readonly settleMs?: number
}

export function openLooker(options: LookerOptions): Looker {
  const { home, files, git, clock } = options
  const config = () => options.config.current()
  const entries = new Map<string, Entry>()
  const settling = openSettling(() => options.settleMs ?? options.config.settleMs())
  const ledger = openLedger(git, () => config().timezone)
  let state: GitState = { kind: 'away', why: 'not looked yet' }
  let seenBranch: string | null = null
  let deleted: Snapshot['deleted'] = []

  async function look(hints: 'all' | ReadonlySet<string>): Promise<Looked> {
    const now = clock.now()
    const wasHome = state.kind === 'home'
    state = await gitState()
    if (state.kind === 'home') {
      const due = settling.due(now)
      const full = hints === 'all' || !wasHome || due.rescan || [...hints].some(isBroad)
      const moved = await ledger.at(state.commit === '' ? null : state.commit)
      if (full) await scanAll(now)
      else for (const path of new Set([...hints, ...due.paths])) await examine(path, now)
      if (moved) await restand()
    }
    const snapshot = pictureOf({
      entries,
      deleted,
      git: state,
      config: config(),
      now,
      problems: options.config.problems(),
    })
    return { snapshot, wakeAt: settling.due(now).wakeAt }
  }

  /** A hint that names no single file of ours: a folder, or the git dir. */
  function isBroad(path: string): boolean {
    return path !== '.git' && kindOf(path) === null && !entries.has(path)
  }

  async function gitState(): Promise<GitState> {
    const head = await git.head()
    if (head.busy !== null) return { kind: 'busy', why: head.busy }
    if (head.branch === null) return { kind: 'away', why: 'HEAD is detached' }
    const wanted = config().daemon.branch ?? seenBranch ?? head.branch
    if (head.branch !== wanted)
      return { kind: 'away', why: `HEAD is on ${head.branch}, the home's branch is ${wanted}` }
    if (seenBranch !== head.branch) settling.forgetMissing()
    seenBranch = head.branch
    return { kind: 'home', branch: head.branch, commit: head.commit ?? '' }
  }

  async function scanAll(now: number): Promise<void> {
    const found = files.scan(home, (path, kind) =>
      kind === 'folder' ? path === '' || isWantedFolder(path) : kindOf(path) !== null,
    )
    const present = new Set<string>()
    for (const item of found) {
      present.add(item.path)
      const entry = entries.get(item.path)
      if (item.kind === 'file' && entry !== undefined && sameStat(entry.stat, item)) {
        settling.clear(item.path)
        continue
      }
      await examine(item.path, now)
    }
    noticeMissing(present, now)
  }

  function noticeMissing(present: ReadonlySet<string>, now: number): void {
    const gone: { path: string; taskId: string | null; room: string }[] = []
    for (const [path, entry] of entries) {
      if (present.has(path)) continue
      entry.gone = true
      if (!ledger.paths().has(path)) entries.delete(path)
    }
    for (const path of ledger.paths().keys()) {
      const known = kindOf(path)
      if (present.has(path) || known?.kind !== 'task') continue
      const content = entries.get(path)?.good?.content
      const taskId = content?.kind === 'task' ? (content.task.neo.id ?? null) : null
      if (settling.missing(path, now)) gone.push({ path, taskId, room: known.room })
    }
    deleted = gone
  }

  async function examine(path: string, now: number): Promise<void> {
    const known = kindOf(path)
    if (known === null) return
    if (known.kind === 'config') return options.config.read()
    const read = files.read(join(home, path), MAX_BYTES)
    if (read.kind === 'missing') {
      const entry = entries.get(path)
      if (entry !== undefined) entry.gone = true
      return
    }
    if (read.kind === 'refused') return refuse(path, known, read.why)
    const hash = git.blobId(read.bytes)
    const entry = entries.get(path)
    if (entry?.hash === hash) {
      entry.stat = read.stat
      entry.gone = false
      return settling.clear(path)
    }
    if (!settling.seen(path, hash, { mtimeMs: read.stat.mtimeMs, now })) return
    await accept(path, known, { hash, stat: read.stat, bytes: read.bytes })
  }

  async function accept(path: string, known: Known, found: Found): Promise<void> {
    settling.clear(path)
    const reading = readKnown(path, known, found.bytes, config().timezone)
    const before = entries.get(path)
    entries.set(path, await entryOf(path, { known, found, reading, before }))
  }

  async function entryOf(
    path: string,
    of: { known: Known; found: Found; reading: Reading; before: Entry | undefined },
  ): Promise<Entry> {
    const { known, found, reading, before } = of
    const rest = { path, known, hash: found.hash, stat: found.stat, gone: false }
    if (reading.kind !== 'ok') {
      const problems = reading.kind === 'bad' ? reading.problems : []
      return {
        ...rest,
        good: before?.good ?? null,
        problems,
        state: reading.kind,
        why: reading.kind === 'unfinished' ? reading.why : '',
      }
    }
    const good = await stand(path, {
      hash: found.hash,
      content: reading.content,
      text: found.bytes.toString('utf8'),
    })
    return { ...rest, good, problems: reading.problems, state: 'ok', why: '' }
  }

  async function stand(
    path: string,
    of: { hash: string; content: Content; text: string },
  ): Promise<NonNullable<Entry['good']>> {
    const { standing, status } = await ledger.stands(path, of.hash, of.text)
    return {
      hash: of.hash,
      content: of.content,
      standing,
      committedStatus: status,
      against: ledger.paths().get(path) ?? null,
    }
  }

  /** The branch moved under us: what stood against the old commit is compared with the new one. */
  async function restand(): Promise<void> {
    for (const entry of entries.values()) {
      const { good, path } = entry
      if (good === null || entry.gone || good.against === (ledger.paths().get(path) ?? null)) continue
      const read = files.read(join(home, path), MAX_BYTES)
      if (read.kind !== 'file' || git.blobId(read.bytes) !== good.hash) continue
      entry.good = await stand(path, {
        hash: good.hash,
        content: good.content,
        text: read.bytes.toString('utf8'),
      })
    }
  }

  function refuse(path: string, known: Known, why: string): void {
    settling.clear(path)
    const before = entries.get(path)
    const problem = {
      file: path,
      line: null,
      column: null,
      severity: 'error',
      code: 'kind',
      message: why,
      hint: 'Put a plain text file here, or take it away',
    } as const
    entries.set(path, {
      path,
      known,
      hash: '',
      stat: NO_STAT,
      gone: false,
      good: before?.good ?? null,
      problems: [problem],
      state: 'bad',
      why,
    })
  }

  function wrote(path: string, text: string | null): void {
    const known = kindOf(path)
    if (known === null || known.kind === 'session') return
    settling.clear(path)
    if (text === null) return void entries.delete(path)
    const bytes = Buffer.from(text)
    const hash = git.blobId(bytes)
    const reading = readKnown(path, known, bytes, config().timezone)
    if (reading.kind !== 'ok') return
    const good = {
      hash,
      content: reading.content,
      standing: 'same',
      committedStatus: null,
      against: null,
    } as const
    entries.set(path, {
      path,
      known,
      hash,
      stat: NO_STAT,
      gone: false,
      good,
      problems: reading.problems,
      state: 'ok',
      why: '',
    })
  }

  return {
    look,
    wrote,
    committed(parent, commit, changes) {
      ledger.moved(parent, commit, changes)
      for (const { path } of changes) {
        const entry = entries.get(path)
        if (entry?.good) entry.good = { ...entry.good, against: ledger.paths().get(path) ?? null }
        deleted = deleted.filter((gone) => gone.path !== path)
      }
    },
    branch: () => (state.kind === 'home' ? state.branch : null),
    config,
    tree: () => ledger.paths(),
    goneWithId(id) {
      for (const { gone, good, path } of entries.values())
        if (gone && good?.content.kind === 'task' && good.content.task.neo.id === id) return path
      return null
    },
  }
}

interface Found {
  readonly hash: string
  readonly stat: Stat
  readonly bytes: Buffer
}

/** Differs from every real file, so that the next full scan reads the file once. */
const NO_STAT: Stat = { size: -1, mtimeMs: -1, ino: -1 }

function sameStat(a: Stat, b: Stat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino
}
