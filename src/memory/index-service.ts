/**
 * Keeps the index up to date beside a daemon, on a schedule and after changes, and writes its state to `.neo/memory.json`.
 * Invariants: 1. it never blocks a round: it works in small steps; 2. it rests ten times as long as it works; 3. a failure
 * is reported and retried with the next change or interval.
 */
import { join } from 'node:path'
import { whyOf } from '../domain/home/error.ts'
import { isTooLong, memoryFolderOf } from '../domain/memory/memory-context.ts'
import type { Snapshot } from '../domain/plan/snapshot.ts'
import { LOBBY } from '../domain/policy/policy.ts'
import { attachRecall } from '../engine/agents/recall-answers.ts'
import type { Context } from '../engine/context.ts'
import { allScopes, scopeStore } from '../engine/people/scope-store.ts'
import {
  distillByModel,
  isByModel,
  type ModelReport,
  NOT_SUMMARISED,
  roomConversation,
  scopeConversation,
  type Talk,
} from './distill/by-model.ts'
import { distillRoom, heardIn } from './distill/distilling.ts'
import { markAt, markOf, modelPathOf, type RoomMark } from './distill/read-transcripts.ts'
import { scopeMarkOf } from './distill/scope-distilling.ts'
import { openWorkspaceFiles, type WorkspaceFiles } from './index/workspace-files.ts'
import { distillEvery, memorySetting, syncEveryMs } from './memory-settings.ts'
import { memoryOf } from './open-memory.ts'
import { scopeChanged } from './search/scope-recall.ts'

/** A burst of commits is one sync. */
const AGAIN_MS = 60_000
const SOON_MS = 1_000
const REST_FACTOR = 10
/** Hints at or below which files of memory may be. */
const REMEMBERED = /^(?:rooms(?:\/[^/]+(?:\/memories(?:\/.*)?)?)?|workspace(?:\/memory(?:\/.*)?)?)$/
const MOST_PROGRESS_MS = 5_000
const MOST_BYTES = 1024 * 1024
const NOT_WRITTEN = 'could not write facts and notes of this conversation'

export class IndexService {
  private readonly context: Context
  private readonly abort = new AbortController()
  private cancel: (() => void) | null = null
  private dueAt = Number.POSITIVE_INFINITY
  private restUntil = 0
  private running = false
  private seen = ''
  private snapshot: Snapshot | null = null
  private resultsAt = 0
  private told = 0
  private isAsking = false
  private readonly files: WorkspaceFiles

  constructor(context: Context) {
    const memory = memoryOf(context)
    this.context = context
    memory.keeps(() => this.schedule(SOON_MS))
    context.hinted.add(this.hinted)
    this.files = openWorkspaceFiles(context)
    attachRecall(context.world, ({ room, query, limit }) => {
      const found = memory.find({ query, parts: [room, ''], limit })
      return (
        found?.hits.map(({ passage, line }) => ({
          source: `${passage.source}:${line}`,
          text: passage.text,
        })) ?? null
      )
    })
  }

  /** After each round. */
  saw(snapshot: Snapshot): void {
    this.snapshot = snapshot
    const { git } = snapshot
    const now = git.kind === 'home' ? git.commit : this.seen
    if (now === this.seen && this.dueAt !== Number.POSITIVE_INFINITY) return
    this.seen = now
    memoryOf(this.context).moved()
  }

  /** What a person or another program saves counts before it is committed, and before the next round. */
  private readonly hinted = (path: string): void => {
    if (REMEMBERED.test(path)) memoryOf(this.context).changed()
  }

  /** A sync that runs stops at its next step. */
  close(): void {
    this.abort.abort('leave')
    this.context.hinted.delete(this.hinted)
    this.cancel?.()
    memoryOf(this.context).close()
  }

  private schedule(ms: number): void {
    const { clock } = this.context.world
    const at = Math.max(clock.now() + ms, this.restUntil)
    if (this.abort.signal.aborted || this.running || at >= this.dueAt) return
    this.cancel?.()
    this.dueAt = at
    this.cancel = clock.after(
      at - clock.now(),
      () => void this.run().catch((error: unknown) => this.failed(error)),
    )
  }

  private async run(): Promise<void> {
    const { context } = this
    const memory = memoryOf(context)
    this.running = true
    const report = await memory.sync({
      signal: this.abort.signal,
      progress: (looked, changed) => this.say(`${changed} of ${looked} files`),
    })
    if (!this.abort.signal.aborted) await this.distil()
    await memory.syncFiles(await this.files.workspaces(this.snapshot), this.abort.signal)
    // Not waited for: a model takes its time.
    void this.summarise().catch((error: unknown) => this.troubled(error))
    this.running = false
    this.dueAt = Number.POSITIVE_INFINITY
    this.restUntil = context.world.clock.now() + (report?.ms ?? 0) * REST_FACTOR
    if (this.abort.signal.aborted) return
    this.say('')
    this.schedule(memory.isBehind() ? SOON_MS : Math.min(syncEveryMs(context.look.config()), this.retryMs()))
  }

  /** A full disk, for one. The next run makes up for it. */
  private failed(error: unknown): void {
    this.running = false
    this.dueAt = Number.POSITIVE_INFINITY
    this.troubled(error)
    this.schedule(AGAIN_MS)
  }

  private troubled(error: unknown): void {
    if (this.abort.signal.aborted) return
    this.context.emit({ kind: 'trouble', text: `memory: ${whyOf(error)}; retrying` })
  }

  /** How soon a room or conversation that failed is tried again. */
  private retryMs(): number {
    const now = this.context.world.clock.now()
    const { context } = this
    const marks = [
      ...this.rooms().flatMap((room) => this.marksOf(room)),
      ...allScopes(scopeStore(context)).map((scope) => scopeConversation(context, scope).mark()),
    ]
    return Math.max(SOON_MS, Math.min(...marks.map(({ retryAt }) => retryAt).filter((at) => at > now)) - now)
  }

  /** With a model, if `memory.distill` says so; one conversation after the other, beside the rounds. */
  private async summarise(): Promise<void> {
    const { context, snapshot } = this
    if (this.isAsking || snapshot?.git.kind !== 'home' || !isByModel(context) || !this.isOurs()) return
    this.isAsking = true
    try {
      for (const room of this.rooms())
        await this.summariseConversation(roomConversation(context, snapshot, room), { room })
      for (const scope of allScopes(scopeStore(context))) {
        // A room's scope is distilled as its room.
        if (scope.type === 'room' || scope.problem !== null) continue
        const came = await this.summariseConversation(scopeConversation(context, scope), {
          scope: scope.name,
        })
        if (came === 'done') scopeChanged(context, scope)
      }
    } finally {
      this.isAsking = false
    }
    if (this.abort.signal.aborted) return
    this.say('')
    if (this.retryMs() < syncEveryMs(context.look.config())) this.schedule(this.retryMs())
  }

  /** Why a scope failed may quote what was said in it: that it did is enough. */
  private async summariseConversation(
    talk: Talk,
    of: { readonly room: string } | { readonly scope: string },
  ): Promise<ModelReport['kind']> {
    const { context } = this
    const { signal } = this.abort
    if (signal.aborted) return 'nothing'
    const before = talk.mark().failures
    const line = <T>(work: () => Promise<T>) => context.exclusive(work)
    const { kind, why } = await distillByModel({
      context,
      talk,
      how: 'due',
      signal,
      line,
      aside: (work) => work(),
    })
    const isNews = kind === 'waits' && talk.mark().failures > before
    const says = 'room' in of ? `memory of ${of.room}: ${why}` : `memory of ${of.scope}: ${NOT_SUMMARISED}`
    if (isNews && !signal.aborted) context.emit({ kind: 'trouble', text: `${says}; retrying` })
    return kind
  }

  /** Where one host is named for the work, the others leave memory to it, too. */
  private isOurs(): boolean {
    const { node } = this.context.look.config().daemon
    return node === null || node === this.context.host
  }

  /** Rooms in which enough was said, or whose conversation was closed; at times all, for results of tasks. */
  private async distil(): Promise<void> {
    const { context, snapshot } = this
    const config = context.look.config()
    if (snapshot === null || snapshot.git.kind !== 'home' || memorySetting(config, 'distill') === 'off')
      return
    if (!this.isOurs()) return
    const now = context.world.clock.now()
    const isTime = this.resultsAt !== 0 && now - this.resultsAt >= syncEveryMs(config)
    if (isTime || this.resultsAt === 0) this.resultsAt = now
    for (const room of this.rooms()) {
      if (this.abort.signal.aborted) return
      if (markOf(context, room).retryAt > now) continue
      const { said, closed } = heardIn(context, snapshot, room)
      const isDue = said.length >= distillEvery(config) || (closed === 'yes' && said.length > 0)
      if (isDue || isTime) await this.distilRoom(room)
    }
  }

  /** In line with the rounds: two never write at once. */
  private async distilRoom(room: string): Promise<void> {
    const { context } = this
    try {
      await context.exclusive(async () => {
        const { snapshot } = await context.look.look(new Set())
        return distillRoom(context, snapshot, room)
      })
    } catch (error) {
      context.emit({ kind: 'trouble', text: `memory: ${whyOf(error)}; retrying`, room })
    }
  }

  private marksOf(room: string) {
    return [markOf(this.context, room), markAt(this.context, modelPathOf(this.context.dir, room))]
  }

  private rooms(): readonly string[] {
    return [...new Set([LOBBY, ...(this.snapshot?.rooms.keys() ?? [])])]
  }

  /** A full disk is reported elsewhere. */
  private say(indexing: string): void {
    const { world, home } = this.context
    const now = world.clock.now()
    if (indexing !== '' && now - this.told < MOST_PROGRESS_MS) return
    this.told = now
    try {
      const distilling = this.rooms().flatMap((room) => failing(room, this.marksOf(room)))
      world.files.writeJson(join(home, '.neo', 'memory.json'), {
        ...{ ...memoryOf(this.context).health(), indexing, large: this.largeFiles() },
        distilling: [...distilling, ...this.failingScopes()],
      })
    } catch {
      // It is said again after the next sync.
    }
  }

  /** What an error of a conversation says may quote it: its name, and how often, are enough. */
  private failingScopes() {
    return allScopes(scopeStore(this.context)).flatMap((scope) => {
      return failing(scope.name, [
        { ...scopeMarkOf(this.context, scope), error: NOT_WRITTEN },
        { ...scopeConversation(this.context, scope).mark(), error: NOT_SUMMARISED },
      ])
    })
  }

  /** Each MEMORY.md that is longer than what a turn shows of it. */
  private largeFiles(): readonly string[] {
    const { world, home } = this.context
    const paths = this.rooms().map((room) => `${memoryFolderOf(room)}/MEMORY.md`)
    return paths.filter((path) => {
      const read = world.files.read(join(home, path), MOST_BYTES)
      return read.kind === 'refused' || (read.kind === 'file' && isTooLong(read.bytes.toString('utf8')))
    })
  }
}

function failing(room: string, marks: readonly Pick<RoomMark, 'failures' | 'error' | 'retryAt'>[]) {
  return marks
    .filter(({ failures }) => failures > 0)
    .map(({ failures, error, retryAt }) => ({
      ...{ room, failures, error },
      retryAt: new Date(retryAt).toISOString(),
    }))
}
