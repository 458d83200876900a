/**
 * A home without files: applies decisions as the effects of engine/effects/ do, to values in memory.
 * Takes what plan decides; keeps tasks, asks, sessions and branches, and every move of a status.
 * Leaves to acts.ts: what people, processes and crashes do. Invariant 1: a file that changes gets a new hash.
 */
import type { Decision, Plan } from '../../../src/domain/plan/decision.ts'
import type { HomeConfig } from '../../../src/domain/home/home-config.ts'
import type {
  AskFile,
  BranchFact,
  Facts,
  PullFact,
  RoomFile,
  SessionFact,
} from '../../../src/domain/plan/snapshot.ts'
import type { Snapshot, TaskFile } from '../../../src/domain/plan/snapshot.ts'
import type { TaskNeo, TaskStatus } from '../../../src/domain/task/task.ts'
import { findCycles, indexTasks } from '../../../src/domain/task/depends.ts'
import { verdictOf } from '../../../src/domain/session/outcome.ts'
import { plan } from '../../../src/domain/plan/plan.ts'
import { settingsOf } from '../../../src/domain/task/task-settings.ts'
import { askFile, BEFORE, record, STOPPED } from '../../builders.ts'
import { CLEAR, EMPTY, type NeoPatch, patched } from './neo-patch.ts'

export interface World {
  now: number
  made: number
  readonly config: HomeConfig
  readonly rooms: Map<string, RoomFile>
  readonly tasks: Map<string, TaskFile>
  /** Neo's block as committed, of files that stand as stale. */
  readonly committed: Map<string, TaskNeo>
  /** By path: the versions that git had. */
  readonly versions: Map<string, readonly TaskFile[]>
  /** By task id: the last attempt that was started. */
  readonly attempts: Map<string, number>
  readonly asks: Map<string, AskFile>
  readonly askHashes: Map<string, string>
  readonly sessions: Map<string, SessionFact>
  readonly branches: Map<string, BranchFact>
  readonly pulls: Map<string, PullFact>
  deleted: Snapshot['deleted']
  readonly rest: Pick<Facts, 'barred' | 'elsewhere' | 'diskFull' | 'agent'>
  readonly git: Snapshot['git']
  readonly moves: { readonly from: TaskStatus; readonly to: TaskStatus; readonly by: Decision['kind'] }[]
}

/** What is in the home now, as copies that later acts do not touch. */
export function pictureOf(world: World): { snapshot: Snapshot; facts: Facts } {
  const tasks = new Map(world.tasks)
  const invalid = new Set(findCycles(tasks, indexTasks(tasks.values())).flat())
  const { config, git, deleted } = world
  const files = { rooms: new Map(world.rooms), asks: new Map(world.asks), inbox: new Map(), tasks }
  const snapshot = { config, git, deleted, problems: [], invalid, ...files }
  const known = { sessions: new Map(world.sessions), branches: new Map(world.branches) }
  return {
    snapshot,
    facts: {
      ...world.rest,
      ...known,
      attempts: new Map(world.attempts),
      askHashes: new Map(world.askHashes),
      cannot: new Map(),
      budgets: new Map(),
      pulls: new Map(world.pulls),
      neo: { ready: 'no', turns: new Map(), woken: new Set() },
    },
  }
}

export function planOf(world: World): Plan {
  const { snapshot, facts } = pictureOf(world)
  return plan(snapshot, facts, world.now)
}

export function apply(world: World, decision: Decision): void {
  switch (decision.kind) {
    case 'adopt-room': {
      const room = world.rooms.get(decision.room) as RoomFile
      world.rooms.set(room.name, { ...room, room: { ...room.room, neo: { id: next(world, 'r') } } })
      break
    }
    case 'forget':
      world.deleted = world.deleted.filter(({ path }) => path !== decision.path)
      break
    case 'resume':
      setSession(world, decision.session, { state: 'live' })
      break
    case 'stop':
      setSession(world, decision.session, { state: 'ended', outcome: STOPPED, stopping: true })
      break
    case 'discard':
      discard(world, decision.session)
      break
    case 'withdraw':
      handle(world, world.asks.get(decision.path) as AskFile)
      break
    default:
      onTask(world, decision as Parameters<typeof onTask>[1])
  }
}

type OnTask = Extract<Decision, { hash: string }>

function onTask(
  world: World,
  decision: Exclude<OnTask, { kind: 'adopt-room' | 'answer' | 'withdraw' }>,
): void {
  const file = world.tasks.get(decision.path) as TaskFile
  switch (decision.kind) {
    case 'adopt':
      adopt(world, file, decision)
      break
    case 'reconcile':
      write(world, file, { decision, neo: { ...EMPTY, ...world.committed.get(file.path) } })
      break
    case 'record':
      write(world, file, { decision, neo: lastAttempt(world, file.task.neo) })
      break
    case 'start':
      start(world, file, decision)
      break
    case 'hand-over':
      write(world, file, {
        decision,
        status: 'in_progress',
        neo: { attempt: decision.attempt, ...CLEAR },
      })
      break
    case 'requeue':
      write(world, file, { decision, status: 'pending', neo: { session: undefined } })
      break
    case 'block':
      write(world, file, {
        decision,
        status: 'blocked',
        neo: { blocked: decision.by ?? undefined, ...lastAttempt(world, file.task.neo) },
      })
      break
    case 'unblock':
      write(world, file, { decision, status: 'pending', neo: CLEAR })
      break
    case 'open-ask':
      openAsk(world, file, decision)
      break
    case 'close-ask':
      closeAsk(world, file, decision)
      break
    case 'finish':
      finish(world, file, decision)
      break
    case 'publish':
      world.pulls.set(file.task.neo.id ?? '', { kind: 'open', url: 'https://forge.example/1' })
      break
    case 'published':
      write(world, file, {
        decision,
        neo: { pr: decision.url ?? undefined, error: decision.error ?? undefined },
      })
      break
    case 'merge':
    case 'merged':
      endReview(world, file, { decision, status: 'completed' })
      break
    case 'lost':
      endReview(world, file, { decision, status: 'failed' })
      break
  }
}

interface Write {
  readonly decision: Decision
  readonly status?: TaskStatus
  readonly neo: NeoPatch
}

/** The one way in which a decision changes a task: what is written is committed. */
function write(world: World, file: TaskFile, { decision, status = file.task.status, neo }: Write): void {
  if (status !== file.task.status) world.moves.push({ from: file.task.status, to: status, by: decision.kind })
  world.committed.delete(file.path)
  const task = patched(file.task, status, neo)
  const version = { ...file, gitStatus: 'same', committedStatus: null, task } as const
  world.versions.set(file.path, [...(world.versions.get(file.path) ?? []), version])
  put(world, version)
}

/** A person's word counts for what was started, whatever the file says of it. */
function lastAttempt({ attempts }: World, { id = '', attempt = 0 }: TaskNeo): NeoPatch {
  return { attempt: Math.max(attempt, attempts.get(id) ?? 0) || undefined }
}

/** Puts a file into the home, with a hash of its own. */
export function put(world: World, file: TaskFile): void {
  world.tasks.set(file.path, { ...file, hash: next(world, 'h') })
}

export function next(world: World, letter: string): string {
  return `${letter}-${++world.made}`
}

export function setSession(world: World, id: string, over: Partial<SessionFact>): void {
  const fact = world.sessions.get(id)
  if (fact !== undefined) world.sessions.set(id, { ...fact, ...over })
}

function adopt(world: World, file: TaskFile, decision: Extract<Decision, { kind: 'adopt' }>): void {
  const { id, createdAt = BEFORE, createdBy = 'human' } = file.task.neo
  if (decision.id === 'keep') {
    world.deleted = world.deleted.filter(({ taskId }) => taskId !== id)
    write(world, file, { decision, neo: { createdAt, createdBy } })
    return
  }
  const neo = { ...EMPTY, id: next(world, 't'), createdAt, createdBy }
  write(world, file, { decision, neo, ...(id === undefined ? {} : { status: 'draft' as const }) })
}

function start(world: World, file: TaskFile, decision: Extract<Decision, { kind: 'start' }>): void {
  const session = startRecord(world, file)
  setSession(world, session, { state: 'live' })
  world.attempts.set(file.task.neo.id ?? '', decision.attempt)
  const retries = file.task.neo.retryAt === undefined ? undefined : file.task.neo.retries
  const neo = { ...EMPTY, session, attempt: decision.attempt, retries }
  write(world, file, { decision, status: 'in_progress', neo })
  for (const ask of asksOf(world, file)) if (ask.ask.decision === 'approved') handle(world, ask)
}

/** The first half of a start: the record is durable, the file does not name it yet. */
export function startRecord(world: World, file: TaskFile): string {
  const session = next(world, 's')
  const settings = settingsOf(file.task, world.rooms.get(file.room)?.room ?? null, world.config)
  const { room, path: taskPath } = file
  const { review } = settings
  const made = record(session, file.name, { taskId: file.task.neo.id ?? '', room, taskPath, review })
  world.sessions.set(session, { record: made, state: 'dormant', outcome: null, stopping: false })
  return session
}

function asksOf(world: World, file: TaskFile): AskFile[] {
  return [...world.asks.values()].filter(({ ask }) => ask.task === file.task.neo.id && !ask.handledAt)
}

function handle(world: World, ask: AskFile): void {
  world.asks.set(ask.path, { ...ask, ask: { ...ask.ask, handledAt: new Date(world.now).toISOString() } })
}

function openAsk(world: World, file: TaskFile, decision: Extract<Decision, { kind: 'open-ask' }>): void {
  const tool = decision.about === 'start' ? 'run_task' : 'retry_task'
  const expiresAt = new Date(world.now + 1000).toISOString()
  const ask = askFile(next(world, 'a'), { task: file.task.neo.id ?? '', expiresAt }, tool)
  world.asks.set(ask.path, ask)
  world.askHashes.set(ask.ask.id, 'sha')
  write(world, file, {
    decision,
    status: 'blocked',
    neo: { blocked: decision.about === 'start' ? 'ask' : 'interrupted' },
  })
}

function closeAsk(world: World, file: TaskFile, decision: Extract<Decision, { kind: 'close-ask' }>): void {
  const ask = world.asks.get(decision.ask) as AskFile
  const kept = decision.verdict === 'approved' && ask.ask.action.tool === 'run_task'
  if (!kept) handle(world, ask)
  const fails = decision.verdict === 'denied' || decision.verdict === 'expired'
  write(world, file, { decision, status: fails ? 'failed' : 'pending', neo: CLEAR })
}

function finish(world: World, file: TaskFile, decision: Extract<Decision, { kind: 'finish' }>): void {
  finishFile(world, file, decision)
  world.sessions.delete(decision.session)
}

/** The first half of an end: the file says how it was, the record is still there. */
export function finishFile(world: World, file: TaskFile, of: Extract<Decision, { kind: 'finish' }>): void {
  const { review, branch } = (world.sessions.get(of.session) as SessionFact).record
  const merged =
    review === 'none' ? ({ kind: 'merged', commit: 'c2' } as const) : ({ kind: 'not-wanted' } as const)
  const said = verdictOf(file.task, of.outcome, { merged, now: world.now, branch })
  const retryAt = said.neo['retry_at'] as string | undefined
  const neo = { ...EMPTY, session: of.session, attempt: file.task.neo.attempt, retryAt }
  const block = said.neo['blocked'] === undefined ? {} : { blocked: 'interrupted' as const }
  const retries = said.neo['retries'] as number | undefined
  write(world, file, { decision: of, status: said.status, neo: { ...neo, ...block, retries } })
  if (said.status === 'review') world.branches.set(file.task.neo.id ?? '', { kind: 'open', ahead: 1 })
}

function endReview(world: World, file: TaskFile, of: { decision: Decision; status: TaskStatus }): void {
  world.branches.delete(file.task.neo.id ?? '')
  write(world, file, { ...of, neo: { branch: undefined, ...CLEAR } })
}

function discard(world: World, session: string): void {
  world.sessions.delete(session)
  const file = [...world.tasks.values()].find(({ task }) => task.neo.session === session)
  if (file === undefined) return
  const neo = { session: undefined }
  write(world, file, { decision: { kind: 'discard', session, why: '' }, neo })
}
