/**
 * The sessions of this home: their durable records, and the runners that drive them in this process.
 * Takes records; gives facts for plan. Leaves to work/session.ts: what a session does. Leaves to effects: task files.
 * Invariants: 1. a record is on disk before its runner starts; 2. one runner a session; 3. a record goes only after
 * its outcome stands in the task file.
 */
import { join } from 'node:path'
import type { Outcome, SessionRecord } from '../core/model/session.ts'
import type { SessionFact } from '../core/model/snapshot.ts'
import type { World } from '../ports.ts'
import { runSession } from '../work/session.ts'

export interface Sessions {
  facts(): ReadonlyMap<string, SessionFact>
  /** Reads the records that an earlier daemon left. */
  load(): void
  /** Makes the record durable; the session is dormant until `run`. */
  create(record: SessionRecord): void
  /** Starts or resumes the session's runner. */
  run(id: string): void
  /** Ends the session's processes; its outcome becomes `stopped`. */
  stop(id: string, why: string): Promise<void>
  /** Removes record, claims and outcome. */
  remove(id: string): void
  /** Lets running steps go on without us and waits for the runners to let go. Gives how many steps go on. */
  leave(): Promise<number>
  worktree(id: string): string
  dir(id: string): string
}

export interface SessionsOptions {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly world: World
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called when a session ended or failed to run. */
  readonly changed: () => void
  readonly progress: (record: SessionRecord, text: string) => void
}

interface Entry {
  readonly record: SessionRecord
  outcome: Outcome | null
  runner: { readonly abort: AbortController; readonly ended: Promise<void> } | null
  stopping: 'yes' | 'no'
}

export function openSessions(options: SessionsOptions): Sessions {
  const { world, home } = options
  const root = join(options.dir, 'sessions')
  const entries = new Map<string, Entry>()
  const dir = (id: string) => join(root, id)
  const worktree = (id: string) => join(home, '.neo', 'worktrees', id)

  function load(): void {
    for (const id of world.files.names(root)) {
      const record = world.files.readJson(join(dir(id), 'record.json')) as SessionRecord | null
      if (record === null || record.v !== 1) continue
      const outcome = world.files.readJson(join(dir(id), 'outcome.json')) as Outcome | null
      entries.set(id, { record, outcome, runner: null, stopping: 'no' })
    }
  }

  function run(id: string): void {
    const entry = entries.get(id)
    if (entry === undefined || entry.runner !== null || entry.outcome !== null) return
    const abort = new AbortController()
    entry.runner = { abort, ended: drive(entry, abort.signal) }
  }

  async function drive(entry: Entry, signal: AbortSignal): Promise<void> {
    const { record } = entry
    try {
      const outcome = await runSession(record, {
        world,
        dirs: { session: dir(record.id), worktree: worktree(record.id), home },
        env: options.env,
        signal,
        on: {
          progress: ({ kind, index, of, name }) =>
            options.progress(record, `${kind} ${index + 1} of ${of}${name === '' ? '' : `: ${name}`}`),
          line: (text) => options.progress(record, text),
        },
      })
      if (outcome !== 'left') entry.outcome = outcome
    } catch (error) {
      entry.outcome = await lostControl(record, error)
    }
    entry.runner = null
    options.changed()
  }

  /** The runner itself failed (disk, git): a failure of the attempt, with its cause in words; never a silent end. */
  async function lostControl(record: SessionRecord, error: unknown): Promise<Outcome> {
    await world.processes.killSession(record.id, stepDirs(record.id))
    const outcome: Outcome = {
      kind: 'failed',
      why: 'place',
      error: error instanceof Error ? error.message : String(error),
      commit: '',
      from: '',
      checks: [],
      endedAt: `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`,
    }
    save(record.id, outcome)
    return outcome
  }

  /** A full disk must not take the outcome from memory too: the next daemon finds the session dormant and looks again. */
  function save(id: string, outcome: Outcome): void {
    try {
      world.files.writeJson(join(dir(id), 'outcome.json'), outcome)
    } catch {
      options.progress((entries.get(id) as Entry).record, 'its outcome could not be written to disk')
    }
  }

  function stepDirs(id: string): string[] {
    const steps = join(dir(id), 'steps')
    return world.files.names(steps).map((name) => join(steps, name))
  }

  async function stop(id: string, why: string): Promise<void> {
    const entry = entries.get(id)
    if (entry === undefined || entry.outcome !== null) return
    entry.stopping = 'yes'
    if (entry.runner !== null) {
      entry.runner.abort.abort(why)
      await entry.runner.ended
    } else {
      await world.processes.killSession(id, stepDirs(id))
    }
    if (entry.outcome !== null) return
    entry.outcome = {
      kind: 'stopped',
      why,
      endedAt: `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`,
    }
    save(id, entry.outcome)
    options.changed()
  }

  return {
    facts: () => new Map([...entries].map(([id, entry]) => [id, factOf(entry)])),
    load,
    create(record) {
      world.files.writeJson(join(dir(record.id), 'record.json'), record)
      entries.set(record.id, { record, outcome: null, runner: null, stopping: 'no' })
    },
    run,
    stop,
    remove(id) {
      entries.delete(id)
      world.files.removeTree(dir(id))
    },
    async leave() {
      const live = [...entries.values()].flatMap(({ runner }) => (runner === null ? [] : [runner]))
      for (const runner of live) runner.abort.abort('leave')
      await Promise.all(live.map(({ ended }) => ended))
      return live.length
    },
    worktree,
    dir,
  }
}

function factOf({ record, outcome, runner, stopping }: Entry): SessionFact {
  const state = outcome !== null ? 'ended' : runner !== null ? 'live' : 'dormant'
  return { record, outcome, stopping, state }
}
