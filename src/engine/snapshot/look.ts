/**
 * The look: compares the home's files with what is known, and returns a Snapshot. Invariants: 1. events are hints, the
 * full scan is the truth; 2. away from Neo's branch nothing counts as deleted, and a daemon reads nothing.
 */
import { join } from 'node:path'
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { type Known, kindOf, walkedAs } from '../../domain/home/home-paths.ts'
import type { Problem } from '../../domain/home/problem.ts'
import type { GitState, Snapshot } from '../../domain/plan/snapshot.ts'
import type { Files, ScanEntry, Stat, Wanted } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Clock } from '../../ports/world.ts'
import type { FileChange } from '../commit/journal.ts'
import { buildSnapshot, type Entry } from './build-snapshot.ts'
import { type ConfigKeeper, DOT_ENV } from './config-keeper.ts'
import { FileStateStore } from './file-state-store.ts'
import { type HeadTree, openHeadTree } from './head-tree.ts'
import { isLinkedFolder, type LostRooms, linksApart, openLostRooms } from './room-folders.ts'
import { Readings } from './readings.ts'
import { openRoomTrust, type RoomTrust } from './room-trust.ts'
import { openSettling, type Settling } from './settling.ts'
import { namesIn } from './validate-names.ts'

export interface Looked {
  readonly snapshot: Snapshot
  /** Epoch ms at which something settles; null: nothing is settling. */
  readonly wakeAt: number | null
}

export interface LookerOptions {
  readonly home: string
  readonly files: Files
  readonly git: Git
  readonly clock: Clock
  readonly config: ConfigKeeper
  /** Milliseconds of quiet before a file counts; overrides neo.yaml (0 in `neo run`). */
  readonly settleMs?: number | undefined
  /** Why the home's files are not trusted now; absent: not checked. */
  readonly trusted?: (() => string | null) | undefined
  /** Of this program; absent: no readings are saved or used. */
  readonly version?: string | undefined
  /** The only paths that are looked at; absent: the whole home. */
  readonly only?: readonly string[] | undefined
  /** Away from Neo's branch too, the files as they are now are read: for one command, which decides nothing there. */
  readonly away?: 'read' | undefined
}

/** The end of a user's git command gives no event: the next check comes after this. */
const HELD_MS = 200

/** What is on disk. */
interface Scanned {
  readonly entries: readonly ScanEntry[]
  readonly known: ReadonlyMap<string, Known | null>
}

export class Looker {
  private readonly options: LookerOptions
  private readonly settling: Settling
  private readonly headTree: HeadTree
  private readonly store: FileStateStore
  private readonly readings: Readings | null
  private readonly lost: LostRooms
  private readonly trust: RoomTrust
  private state: GitState = { kind: 'away', why: 'not looked yet' }
  private seenBranch: string | null = null
  private isHeld = false
  private deleted: Snapshot['deleted'] = []
  private links: readonly Problem[] = []

  constructor(options: LookerOptions) {
    this.options = options
    this.settling = openSettling(() => options.settleMs ?? options.config.settleMs())
    const { only } = options
    const paths = only === undefined ? {} : { paths: [...only, DOT_ENV] }
    this.headTree = openHeadTree(options.git, () => this.config().timezone, paths)
    const { version } = options
    const zone = () => this.config().timezone
    this.readings = version === undefined ? null : new Readings({ ...options, version, zone })
    this.lost = openLostRooms(options.git)
    this.trust = openRoomTrust(options.trusted ?? (() => null))
    const { settling, headTree, readings } = this
    this.store = new FileStateStore({ ...options, settling, headTree, readings })
  }

  /** A full look with `all`; else at the hinted paths and those that are due. */
  async look(hints: 'all' | ReadonlySet<string>): Promise<Looked> {
    const now = this.options.clock.now()
    this.options.config.readEnv()
    const wasHome = this.state.kind === 'home'
    this.state = await this.gitState()
    const commit = await this.commitToRead()
    if (commit !== null) {
      const due = this.settling.due(now)
      const full = hints === 'all' || !wasHome || due.rescan || [...hints].some((path) => this.isBroad(path))
      const loading = this.headTree.load(commit === '' ? null : commit)
      loading.catch(() => {})
      const found = full && this.options.only === undefined ? await this.scan() : null
      const moved = await loading
      if (moved) this.options.config.readEnv(this.headTree.paths().has(DOT_ENV))
      if (full) await this.takeOver(found, now)
      else for (const path of new Set([...hints, ...due.paths])) await this.store.examine(path, now)
      if (moved) await this.store.compareAgain()
    }
    const { wakeAt } = this.settling.due(now)
    const again = this.isHeld ? this.options.clock.now() + HELD_MS : null
    return {
      snapshot: this.trust.trusted(await this.lost.withProblems(this.snapshot(now))),
      wakeAt: again === null || (wakeAt !== null && wakeAt < again) ? wakeAt : again,
    }
  }

  /** Neo wrote this: it is known, not news. */
  wrote(path: string, text: string | null): void {
    this.store.wrote(path, text)
  }

  committed(parent: string | null, commit: string, changes: readonly FileChange[]): void {
    this.headTree.advance(parent, commit, changes)
    const paths = changes.map(({ path }) => path)
    this.store.committed(paths)
    this.deleted = this.deleted.filter((gone) => !paths.includes(gone.path))
  }

  /** The branch that Neo may commit to; null while away or busy. */
  branch(): string | null {
    return this.state.kind === 'home' ? this.state.branch : null
  }

  /** HEAD was found elsewhere since the last look: nothing is done before the next, full look. */
  away(why: string): void {
    this.state = { kind: 'away', why }
  }

  config(): HomeConfig {
    return this.options.config.current()
  }

  /** Blob ids in HEAD, by path. */
  tree(): ReadonlyMap<string, string> {
    return this.headTree.paths()
  }

  /** Path of the missing file that had this task id. */
  goneWithId(id: string): string | null {
    return this.store.goneWithId(id)
  }

  /** Saves what was read, so that the next start reads only what has changed. */
  async keepReadings(): Promise<void> {
    await this.readings?.keep(this.store.entries)
  }

  private snapshot(now: number): Snapshot {
    const { entries } = this.store
    const { home, files, clock } = this.options
    const problems = [...this.options.config.problems(), ...this.links]
    return buildSnapshot({
      entries,
      changed: this.store.changes(),
      deleted: this.deleted,
      git: this.state,
      config: this.config(),
      now,
      problems,
      names: namesIn({ home, world: { files, clock } }),
    })
  }

  /** A hint about a folder. */
  private isBroad(path: string): boolean {
    return path !== '.git' && path !== DOT_ENV && kindOf(path) === null && !this.store.entries.has(path)
  }

  private async gitState(): Promise<GitState> {
    const atWork = await this.options.git.atWork()
    this.isHeld = atWork !== null
    if (atWork?.files === 'moved') return { kind: 'busy', why: atWork.says }
    const head = await this.options.git.head()
    if (head.busy !== null) return { kind: 'busy', why: head.busy }
    const wanted = this.config().daemon.branch ?? this.seenBranch ?? head.branch
    const back = wanted === null ? {} : { branch: wanted }
    if (head.branch === null) return { kind: 'away', why: 'HEAD is detached', ...back }
    if (head.branch !== wanted)
      return { kind: 'away', why: `HEAD is on ${head.branch}, the home's branch is ${wanted}`, ...back }
    if (this.seenBranch !== head.branch) this.settling.forgetMissing()
    this.seenBranch = head.branch
    const held = atWork === null ? {} : { held: atWork.says }
    return { kind: 'home', branch: head.branch, commit: head.commit ?? '', ...held }
  }

  /** `''`: there is none yet; null: nothing is read. */
  private async commitToRead(): Promise<string | null> {
    if (this.state.kind === 'home') return this.state.commit
    return this.options.away === 'read' ? ((await this.options.git.head()).commit ?? '') : null
  }

  /** Git starts at once, and lists the commit while this process looks at the disk. */
  private async scan(): Promise<Scanned> {
    await new Promise((resolve) => setImmediate(resolve))
    const known = new Map<string, Known | null>()
    const wanted: Wanted = (path, is, isLink) => {
      if (is === 'folder') return walkedAs(path)
      known.set(path, kindOf(path))
      return known.get(path) !== null || (isLink && isLinkedFolder(path))
    }
    return { entries: this.options.files.scan(this.options.home, wanted), known }
  }

  /** @param found null: only the paths of `only` are looked at */
  private async takeOver(found: Scanned | null, now: number): Promise<void> {
    if (found === null) return await this.scanOnly(this.options.only ?? [], now)
    const { links, others } = linksApart(found.entries)
    this.links = links
    const present = new Set<string>()
    for (const item of others) {
      present.add(item.path)
      const entry = this.store.entries.get(item.path)
      if (item.kind === 'file' && entry !== undefined && isRead(entry) && sameStat(entry.stat, item))
        this.settling.clear(item.path)
      else if (entry !== undefined || !this.store.recall(item, found.known.get(item.path) ?? null, now))
        await this.store.examine(item.path, now, item.kind === 'file' ? 'scanned' : undefined)
    }
    this.readings?.close()
    await this.noticeMissing(present, now)
  }

  private async scanOnly(only: readonly string[], now: number): Promise<void> {
    for (const path of only) await this.store.examine(path, now)
    const { home, files } = this.options
    const present = only.filter((path) => files.read(join(home, path), 0).kind !== 'missing')
    await this.noticeMissing(new Set(present), now)
  }

  private async noticeMissing(present: ReadonlySet<string>, now: number): Promise<void> {
    const committed = this.headTree.paths()
    for (const path of this.store.entries.keys())
      if (!present.has(path)) this.store.markGone(path, committed.has(path))
    // Its committed version counts while it is missing.
    for (const path of committed.keys())
      if (!present.has(path) && kindOf(path)?.kind === 'room') await this.store.keepCommitted(path)
    const gone = [...committed.keys()].filter((path) => !present.has(path) && isMissed(path))
    this.deleted = gone
      .filter((path) => this.settling.missing(path, now))
      .map((path) => ({ path, taskId: this.store.taskIdAt(path), room: kindOf(path)?.room ?? '' }))
  }
}

/** Its present text was read. One that is still settling wasn't, although its times are known. */
function isRead({ gone, hash }: Pick<Entry, 'gone' | 'hash'>): boolean {
  return !gone && hash !== ''
}

/** Files whose deletion is committed. */
function isMissed(path: string): boolean {
  const kind = kindOf(path)?.kind
  return kind === 'task' || kind === 'schedule'
}

function sameStat(a: Stat, b: Stat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino
}
