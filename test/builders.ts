/**
 * Builders of the core's nouns for tests: each gives a whole value and takes only what matters to the test.
 * Ids and paths follow from the name: `taskFile('a')` is `rooms/shop/tasks/a.md` with id `t-a`.
 */

import type { Ask } from '../src/domain/ask/ask.ts'
import type { HomeConfig } from '../src/domain/home/home-config.ts'
import { NO_ACCESS } from '../src/domain/peer/peer.ts'
import type {
  AskFile,
  Facts,
  RoomFile,
  SessionFact,
  Snapshot,
  TaskFile,
} from '../src/domain/plan/snapshot.ts'
import type { Room } from '../src/domain/room/room.ts'
import type { AgentBrief, Outcome, SessionRecord } from '../src/domain/session/session.ts'
import type { Task } from '../src/domain/task/task.ts'

/** The moment at which tests of the core take place. */
export const NOW = Date.parse('2026-03-02T09:00:00Z')
export const BEFORE = '2026-03-02T08:00:00Z'
/** Outcome of a session that was ended. */
export const STOPPED = { kind: 'stopped', why: 'ended', endedAt: BEFORE } as const
export const AFTER = '2026-03-02T10:00:00Z'

/** What a header may say, beside the keys of the file around it. */
export type TaskOver = Partial<Task> & Partial<Omit<TaskFile, 'task'>>

export function task(over: Partial<Task> = {}): Task {
  return {
    title: 'Build',
    status: 'pending',
    priority: 'normal',
    dependsOn: [],
    labels: [],
    retry: { max: 0, backoffMs: 30_000 },
    onInterrupt: 'ask',
    env: [],
    worker: { kind: 'shell' },
    neo: {},
    body: '',
    bodyLine: 1,
    ...over,
  }
}

/** A committed task of room `shop`; `neo` is added to a block with an id. */
export function taskFile(name: string, over: TaskOver = {}): TaskFile {
  const {
    path,
    room = 'shop',
    hash = `h-${name}`,
    gitStatus = 'same',
    committedStatus = null,
    ...keys
  } = over
  const neo = { id: `t-${name}`, createdAt: BEFORE, createdBy: 'human', ...keys.neo }
  const at = path ?? `rooms/${room}/tasks/${name}.md`
  return { path: at, room, name, hash, gitStatus, committedStatus, task: task({ ...keys, neo }) }
}

/** The same file without a block of Neo's: as a person wrote it. */
export function newFile(name: string, over: TaskOver = {}): TaskFile {
  const file = taskFile(name, { gitStatus: 'new', ...over })
  return { ...file, task: { ...file.task, neo: {} } }
}

export function room(over: Partial<Room> = {}): Room {
  return {
    name: 'shop',
    description: '',
    status: 'active',
    orchestrator: 'auto',
    verify: [],
    permissions: {},
    setup: [],
    cleanup: [],
    env: [],
    envFiles: [],
    hooks: 'off',
    notify: [],
    approvers: [],
    keep: 200,
    neo: { id: 'r-shop' },
    body: '',
    ...over,
  }
}

export function roomFile(name: string, over: Partial<Room> = {}): RoomFile {
  return {
    path: `rooms/${name}/ROOM.md`,
    name,
    hash: `h-${name}`,
    gitStatus: 'same',
    room: room({ name, ...over }),
  }
}

/** An approval asked for task `t-<task>`, whose hash is `sha`. */
export function askFile(id: string, over: Partial<Ask> = {}, tool = 'run_task'): AskFile {
  const ask: Ask = {
    id,
    kind: 'approval',
    action: { tool, arguments: {}, files: [], sha256: 'sha' },
    reason: '',
    expiresAt: AFTER,
    decision: 'pending',
    body: '',
    ...over,
  }
  return { path: `rooms/shop/asks/${id}.md`, room: 'shop', hash: `h-${id}`, gitStatus: 'same', ask }
}

/** Of an agent that may do nothing outside its files. */
export const BRIEF: AgentBrief = {
  model: 'x/y',
  system: [],
  body: '',
  prompt: '',
  read: [],
  turns: 1,
  sandbox: 'none',
  depth: 0,
  permissions: { shell: 'deny', network: 'deny', write: [] },
}

export function record(id: string, taskName: string, over: Partial<SessionRecord> = {}): SessionRecord {
  return {
    v: 1,
    id,
    taskId: `t-${taskName}`,
    taskPath: `rooms/shop/tasks/${taskName}.md`,
    taskName,
    title: 'Build',
    room: 'shop',
    attempt: 1,
    worker: 'shell',
    place: { repository: '/home', folder: 'workspace/files', base: 'main' },
    branch: `neo/shop/${taskName}-1`,
    from: 'c0',
    steps: [],
    setup: [],
    cleanup: [],
    verify: [],
    env: [],
    envFiles: [],
    review: 'none',
    hooks: 'off',
    timeoutMs: 60_000,
    onInterrupt: 'ask',
    startedAt: BEFORE,
    ...over,
  }
}

type FactOver = Partial<Omit<SessionFact, 'record'>> & { readonly record?: Partial<SessionRecord> }

/** Session `s-<task>` of task `t-<task>`. */
export function session(taskName: string, over: FactOver = {}): SessionFact {
  const id = over.record?.id ?? `s-${taskName}`
  return { state: 'live', outcome: null, stopping: false, ...over, record: record(id, taskName, over.record) }
}

export type Done = Extract<Outcome, { kind: 'done' }>
export type Failed = Extract<Outcome, { kind: 'failed' }>

export function done(over: Partial<Done> = {}): Done {
  const ends = { commit: 'c1', from: 'c0', changed: 'yes', checks: [], result: 'built' } as const
  return { kind: 'done', ...ends, endedAt: AFTER, ...over }
}

export function failed(over: Partial<Failed> = {}): Failed {
  const ends = { why: 'step', error: 'step 1 gave 1', commit: 'c0', from: 'c0', checks: [] } as const
  return { kind: 'failed', ...ends, endedAt: AFTER, ...over }
}

export function config(daemon: Partial<HomeConfig['daemon']> = {}): HomeConfig {
  return {
    timezone: 'UTC',
    model: 'rules',
    daemon: {
      branch: null,
      node: null,
      settleMs: null,
      rescanMs: 30_000,
      concurrency: 3,
      diskLimitBytes: 1e10,
      workspaces: [],
      ...daemon,
    },
    providers: [],
    prices: {},
    workers: {},
    budget: {},
    sandboxRead: [],
    sandboxLimits: {},
    syncMs: null,
    transcripts: 'commit',
    git: { sign: 'auto' },
    retention: {
      attempts: 3,
      ageMs: 14 * 86_400_000,
      bytes: 2e9,
      refsMs: 90 * 86_400_000,
      transcriptsMs: 90 * 86_400_000,
      scheduled: 50,
      everyMs: 3_600_000,
    },
    log: { level: 'info' },
    agent: null,
    access: NO_ACCESS,
    rest: {},
  }
}

interface SnapshotOver extends Partial<Omit<Snapshot, 'rooms' | 'tasks' | 'asks' | 'invalid'>> {
  readonly rooms?: readonly RoomFile[]
  readonly tasks?: readonly TaskFile[]
  readonly asks?: readonly AskFile[]
  readonly invalid?: readonly string[]
}

/** A home on its branch with room `shop`. */
export function snapshot(over: SnapshotOver = {}): Snapshot {
  const { rooms = [roomFile('shop')], tasks = [], asks = [], invalid = [], ...rest } = over
  return {
    config: config(),
    deleted: [],
    problems: [],
    git: { kind: 'home', branch: 'main', commit: 'c0' },
    rooms: new Map(rooms.map((file) => [file.name, file])),
    tasks: new Map(tasks.map((file) => [file.path, file])),
    asks: new Map(asks.map((file) => [file.path, file])),
    inbox: new Map(),
    invalid: new Set(invalid),
    ...rest,
  }
}

interface FactsOver extends Partial<Omit<Facts, 'sessions'>> {
  readonly sessions?: readonly SessionFact[]
}

/** Nothing runs, nothing hinders, no model is there. */
export function facts({ sessions = [], ...over }: FactsOver = {}): Facts {
  return {
    branches: new Map(),
    barred: false,
    elsewhere: null,
    diskFull: false,
    agent: { kind: 'none', error: 'no model' },
    cannot: new Map(),
    budgets: new Map(),
    pulls: new Map(),
    neo: { ready: 'no', turns: new Map(), woken: new Set() },
    askHashes: new Map(),
    sessions: new Map(sessions.map((fact) => [fact.record.id, fact])),
    ...over,
  }
}
