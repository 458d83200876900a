/**
 * The sessions of this home: their durable records, and the runners that drive them in this process. Invariants: 1. a
 * record is on disk before its runner starts; 2. one runner a session; 3. a record is removed only after its outcome is
 * in the task file.
 */

import { join } from 'node:path'
import { deliver, mailOf } from '../../agent/mailbox.ts'
import { whyOf } from '../../domain/home/error.ts'
import type { SessionFact } from '../../domain/plan/snapshot.ts'
import type { Delivery, Outcome, SessionRecord } from '../../domain/session/session.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import type { TaskNeo } from '../../domain/task/task.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { World } from '../../ports/world.ts'
import { placeText } from '../../runner/ending.ts'
import type { SessionDeps } from '../../runner/deps.ts'
import { pause } from '../bell.ts'
import type { ActedLog } from '../commit/acted-log.ts'
import type { Agents } from './agents.ts'
import { peerWorkOf } from './peer-work.ts'

export interface SessionsOptions {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly world: World
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called when a session ended or failed to run. */
  readonly changed: () => void
  readonly progress: (record: SessionRecord, text: string) => void
  /** Why the runner itself fails; null when it works again, or has ended. */
  readonly trouble?: ((record: SessionRecord, why: string | null) => void) | undefined
  readonly agents: Agents
  readonly acted: ActedLog
}

interface Entry {
  record: SessionRecord
  outcome: Outcome | null
  runner: { readonly abort: AbortController; readonly ended: Promise<void> } | null
  stopping: boolean
  /** It only waits. */
  idle: boolean
}

export class Sessions {
  private readonly entries = new Map<string, Entry>()
  private readonly options: SessionsOptions
  private readonly root: string
  /** Sessions whose record can't be read: their tasks start again. */
  private readonly lost = new Set<string>()

  constructor(options: SessionsOptions) {
    this.options = options
    this.root = join(options.dir, 'sessions')
  }

  /** By task id: its last attempt that was started here, also if git no longer has it. */
  readonly attempts = {
    get: (task: string) => {
      const { session = '', attempt } = this.options.acted().get(task) ?? {}
      return this.lost.has(session) ? undefined : attempt
    },
  }

  /** The same, if the task's file says no later one. Undefined before the first. */
  lastAttempt({ id = '', attempt = 0 }: Pick<TaskNeo, 'id' | 'attempt'>): number | undefined {
    return Math.max(attempt, this.attempts.get(id) ?? 0) || undefined
  }

  dir(id: string): string {
    return join(this.root, id)
  }

  worktree(id: string): string {
    return join(this.options.home, '.neo', 'worktrees', id)
  }

  facts(): ReadonlyMap<string, SessionFact> {
    return new Map([...this.entries].map(([id, entry]) => [id, { ...factOf(entry), ...this.mailOf(entry) }]))
  }

  /** Scripts have requests too: before they run unconfined, and before a git filter runs. */
  private mailOf({ record }: Entry): Pick<SessionFact, 'wants' | 'heard' | 'answers'> {
    return mailOf(this.options.world.files, this.dir(record.id))
  }

  /** Puts an answer or message into a session's mailbox, once a key. False without such a session. */
  deliver(id: string, delivery: Delivery): boolean {
    if (!this.entries.has(id)) return false
    deliver(this.options.world.files, this.dir(id), delivery)
    this.options.agents.delivered(id)
    return true
  }

  /** Reads the records that an earlier daemon left. */
  load(): void {
    const { files } = this.options.world
    for (const id of files.names(this.root)) {
      const record = files.readJson(join(this.dir(id), 'record.json')) as SessionRecord | null
      if (record === null || record.v !== 1) {
        this.lost.add(id)
        continue
      }
      const outcome = files.readJson(join(this.dir(id), 'outcome.json')) as Outcome | null
      this.entries.set(id, { record, outcome, runner: null, stopping: false, idle: false })
    }
  }

  /** Saves the record; the session is dormant until `run`. */
  async create(record: SessionRecord): Promise<void> {
    const { files } = this.options.world
    files.writeJson(join(this.dir(record.id), 'record.json'), record, 'later')
    await files.sync([this.dir(record.id)])
    this.entries.set(record.id, { record, outcome: null, runner: null, stopping: false, idle: false })
  }

  /** Starts or resumes the session's runner. */
  run(id: string): void {
    const entry = this.entries.get(id)
    if (entry === undefined || entry.runner !== null || entry.outcome !== null) return
    const { taskId, attempt } = entry.record
    if (this.attempts.get(taskId) !== attempt)
      this.options.acted().set({ id: taskId, session: id, attempt }, 'later')
    const abort = new AbortController()
    entry.runner = { abort, ended: this.drive(entry, abort.signal) }
  }

  /** Ends the processes of the session and its subagents, with the outcome `stopped`. */
  async stop(id: string, why: string): Promise<void> {
    const family = [id, ...this.childrenOf(id)]
    await Promise.all(
      family.map((one) => this.stopOne(one, one === id ? why : `the session that started it: ${why}`)),
    )
  }

  /** Subagents' sessions, and theirs. */
  private childrenOf(id: string): readonly string[] {
    const entry = this.entries.get(id)
    const wants = entry === undefined ? [] : (this.mailOf(entry).wants ?? [])
    const spawned = new Set(wants.flatMap((want) => (want.kind === 'spawn' ? [want.id] : [])))
    if (spawned.size === 0) return []
    const own = [...this.entries.values()].filter(({ record }) => spawned.has(record.taskId))
    return own.flatMap(({ record }) => [record.id, ...this.childrenOf(record.id)])
  }

  private async stopOne(id: string, why: string): Promise<void> {
    const entry = this.entries.get(id)
    if (entry === undefined || entry.outcome !== null) return
    // Its work is in another home: its runner cancels it there.
    if (entry.record.peer !== undefined) this.run(id)
    entry.stopping = true
    entry.runner?.abort.abort(why)
    await entry.runner?.ended
    if (entry.outcome !== null) return
    await this.kill(entry.record)
    entry.outcome = { kind: 'stopped', why, endedAt: this.now() }
    this.save(entry.record, entry.outcome)
    this.options.changed()
  }

  /** Its task has moved: what it leaves goes there. */
  moved(id: string, to: Pick<SessionRecord, 'room' | 'taskPath' | 'taskName'>): void {
    const entry = this.entries.get(id)
    if (entry === undefined) return
    entry.record = { ...entry.record, ...to }
    this.options.world.files.writeJson(join(this.dir(id), 'record.json'), entry.record)
  }

  /** Removes record, claims and outcome. */
  remove(id: string): void {
    this.entries.delete(id)
    this.options.world.files.removeTree(this.dir(id))
  }

  /** Detaches the runners from running steps; returns how many steps continue. */
  async leave(): Promise<number> {
    const live = [...this.entries.values()].flatMap(({ runner }) => (runner === null ? [] : [runner]))
    for (const runner of live) runner.abort.abort('leave')
    await Promise.all(live.map(({ ended }) => ended))
    return live.length
  }

  private async drive(entry: Entry, signal: AbortSignal): Promise<void> {
    const { record } = entry
    try {
      const outcome = await this.runWithRetries(record, signal)
      if (outcome !== 'left') entry.outcome = outcome
    } catch (error) {
      entry.outcome = await this.failAttempt(record, error)
    }
    this.options.trouble?.(record, null)
    entry.runner = null
    this.options.changed()
  }

  /**
   * Runs the session, and reruns it after an error of the runner itself (disk, git); steps continue in the meantime. Throws
   * after too many errors in a row. A stop is retried once, then left to `stop`.
   */
  private async runWithRetries(record: SessionRecord, signal: AbortSignal): Promise<Outcome | 'left'> {
    const { clock } = this.options.world
    for (let errors = 1; ; errors++) {
      const began = clock.now()
      try {
        return await this.once(record, signal)
      } catch (error) {
        if (signal.aborted && (errors > 1 || signal.reason === 'leave')) return 'left'
        if (clock.now() - began >= CALM_MS) errors = 1
        if (errors >= ERRORS_IN_A_ROW) throw error
        const text = whyOf(error)
        this.options.trouble?.(record, `${text}; retrying`)
        this.options.progress(record, `${text}; retrying`)
        await pause(clock, grownWait(WAITS, errors), { signal })
      }
    }
  }

  private async once(record: SessionRecord, signal: AbortSignal): Promise<Outcome | 'left'> {
    const { runSession } = await import('../../runner/run-session.ts')
    const { world, home, env, progress, agents } = this.options
    return await runSession(record, {
      world,
      dirs: { session: this.dir(record.id), worktree: this.worktree(record.id), home },
      env,
      signal,
      ...(agents.deps === null ? {} : { agent: agents.deps }),
      ...peerDeps(world),
      on: {
        progress: ({ kind, index, of, name }) =>
          progress(record, placeText(kind, { at: index + 1, of, name })),
        line: (text) => progress(record, text),
        status: (status) => this.setIdle(record.id, status === 'waiting_for_input'),
      },
    })
  }

  /** A waiting session takes no slot, so a look may start something. */
  private setIdle(id: string, idle: boolean): void {
    const entry = this.entries.get(id)
    if (entry === undefined || entry.idle === idle) return
    entry.idle = idle
    this.options.changed()
  }

  /** Too many errors of the runner fail the attempt, with their cause. */
  private async failAttempt(record: SessionRecord, error: unknown): Promise<Outcome> {
    await this.kill(record)
    const ended = { commit: '', from: '', checks: [], endedAt: this.now() }
    const outcome: Outcome = { kind: 'failed', why: 'place', error: whyOf(error), ...ended }
    this.save(record, outcome)
    return outcome
  }

  /** On a full disk the outcome stays in memory; the next daemon finds the session dormant and looks again. */
  private save(record: SessionRecord, outcome: Outcome): void {
    try {
      this.options.world.files.writeJson(join(this.dir(record.id), 'outcome.json'), outcome)
    } catch {
      this.options.progress(record, "can't write its outcome to disk")
    }
  }

  /** Throws nothing: a process that can't be ended must not end the daemon. */
  private async kill(record: SessionRecord): Promise<void> {
    const { world, progress } = this.options
    try {
      const { stepDirs } = await import('../../runner/run-session.ts')
      const left = await world.processes.killSession(record.id, stepDirs(world.files, this.dir(record.id)))
      if (left > 0) progress(record, `${left} of its processes can't be ended`)
    } catch (error) {
      progress(record, `can't end its processes: ${whyOf(error)}`)
    }
  }

  private now(): string {
    return isoSecond(this.options.world.clock.now())
  }
}

function peerDeps(world: World): Pick<SessionDeps, 'peer'> {
  const peer = peerWorkOf(world)
  return peer === null ? {} : { peer }
}

/** Errors of the runner in a row that fail an attempt: about 15 seconds with their waits. */
const ERRORS_IN_A_ROW = 5
/** The first wait; doubled each time. */
const WAITS = { first: 1_000, most: 60_000 }
/** A run without an error for this long resets the count. */
const CALM_MS = 60_000

function factOf({ record, outcome, runner, stopping, idle }: Entry): SessionFact {
  const state = outcome !== null ? 'ended' : runner !== null ? 'live' : 'dormant'
  return { record, outcome, stopping, state, ...(idle && state === 'live' ? { idle: true } : {}) }
}
