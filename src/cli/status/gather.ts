/** The data of `neo status`, sorted by next action. */
import { join } from 'node:path'
import { percentOf, readProgress } from '../../agent/mailbox.ts'
import { askSays } from '../../domain/ask/ask.ts'
import type { Problem } from '../../domain/home/problem.ts'
import { type HealthRow, homeRows, needsOf, troubleRow, workerOf } from '../../domain/plan/needs.ts'
import { isForPerson, waitsForPerson } from '../../domain/plan/slots.ts'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { clearsWhen } from '../../domain/task/worker-kinds.ts'
import type { Worker } from '../../domain/task/task.ts'
import { counted } from '../../domain/text/counted.ts'
import { lockOwner } from '../../engine/lock.ts'
import type { Seen } from '../../engine/look-once.ts'
import { memoryRows } from '../../memory/health-rows.ts'
import { placeText } from '../../runner/ending.ts'
import { leftLocks } from '../doctor/git-locks.ts'
import { dateText } from '../shown-text.ts'
import type { Opened } from '../with-world.ts'
import { type DaemonProblem, outboxRows, problemsInFile } from './daemon-state.ts'

export interface Item {
  readonly id: string
  readonly path: string
  readonly title: string
  readonly says: string
  readonly next: string
}

export interface Gathered {
  readonly totalRooms: number
  readonly activeRooms: number
  readonly totalTasks: number
  readonly pendingTasks: number
  readonly inProgressTasks: number
  readonly activeSessions: number
  readonly needsYou: {
    readonly asks: readonly {
      readonly id: string
      readonly path: string
      readonly reason: string
      /** The reason, and the command or the address that it is about, shortened. */
      readonly says: string
      readonly task: string | null
    }[]
    readonly reviews: readonly Item[]
    readonly yours: readonly Item[]
    readonly blocked: readonly Item[]
    readonly failed: readonly Item[]
    readonly problems: readonly Problem[]
  }
  readonly runs: readonly {
    readonly session: string
    readonly path: string
    readonly step: string
    /** 0 to 100; null if unknown. */
    readonly progress: number | null
    readonly startedAt: string
    /** It waits for a person. `ask` is the request; null if a subagent made it. */
    readonly waitsForYou: boolean
    readonly ask: string | null
  }[]
  readonly starts: readonly string[]
  readonly waits: readonly { readonly path: string; readonly on: string }[]
  readonly health: readonly HealthRow[]
}

/** @param reported what the daemon reports itself; null: read its file */
export function gather(
  opened: Opened,
  seen: Seen,
  reported: readonly DaemonProblem[] | null = null,
): Gathered {
  const { snapshot, facts, plan } = seen
  const tasks = [...snapshot.tasks.values()]
  const rooms = [...snapshot.rooms.values()]
  const active = [...facts.sessions.values()].filter(({ state }) => state !== 'ended')
  return {
    totalRooms: rooms.length,
    activeRooms: rooms.filter(({ room }) => room.status === 'active').length,
    totalTasks: tasks.length,
    pendingTasks: tasks.filter(({ task }) => task.status === 'pending').length,
    inProgressTasks: tasks.filter(({ task }) => task.status === 'in_progress').length,
    activeSessions: active.length,
    needsYou: needs(
      seen,
      opened.world.clock.now(),
      lockOwner(opened.world.git.gitDir, opened.world) !== null,
    ),
    runs: active.map(({ record, ...fact }) => ({
      session: record.id,
      path: record.taskPath,
      ...farOf(opened, record, snapshot.tasks.get(record.taskPath)),
      startedAt: record.startedAt,
      waitsForYou: waitsForPerson({ record, ...fact }, facts.sessions),
      ask: fact.wants?.find(isForPerson)?.id ?? null,
    })),
    starts: plan.decisions.flatMap((decision) => (decision.kind === 'start' ? [decision.path] : [])),
    waits: plan.waiting,
    health: healthOf(opened, seen, reported),
  }
}

/** The progress of a session, as its agent reports it or by the steps of its script. */
function farOf(
  { world, dir }: Opened,
  record: SessionRecord,
  file: TaskFile | undefined,
): { readonly step: string; readonly progress: number | null } {
  const own = join(dir, 'sessions', record.id)
  const { steps } = record
  const said = readProgress(world.files, own)
  if (steps.length === 0) {
    const step = said?.text ?? file?.task.neo.currentStep ?? ''
    return { step, progress: percentOf(file?.task.body ?? '', said) }
  }
  const begun = world.files.names(join(own, 'steps')).filter((name) => /^step-\d+$/.test(name)).length
  const name = steps[begun - 1]?.name ?? ''
  const progress = Math.round((100 * Math.max(0, begun - 1)) / steps.length)
  const step = begun === 0 ? 'setup' : placeText('step', { at: begun, of: steps.length, name })
  return { step, progress }
}

function needs({ snapshot, facts, plan }: Seen, now: number, isWatched: boolean): Gathered['needsYou'] {
  const { asks, reviews, yours, blocked, failed } = needsOf(snapshot, () => true, now)
  const noAgent = facts.agent.kind === 'none' ? facts.agent.error : ''
  const clears = new Set(plan.decisions.flatMap((one) => (one.kind === 'unblock' ? [one.path] : [])))
  const next = (file: TaskFile) => {
    if (clears.has(file.path))
      return isWatched ? 'continues in a moment' : 'continues with neo watch or neo run'
    const spent = facts.budgets.get(file.task.neo.id ?? '')
    return clearing(file, workerOf(snapshot, file), spent?.at ?? null)
  }
  return {
    asks: asks.map(({ path, ask }) => ({
      id: ask.id,
      path,
      reason: ask.reason,
      says: askSays(ask),
      task: ask.task ?? null,
    })),
    reviews: reviews.map((file) =>
      item(file, file.task.neo.error ?? file.task.neo.result ?? file.task.title),
    ),
    yours: yours.map((file) => item(file, file.task.title)),
    blocked: blocked.map((file) => {
      const { blocked: by, error } = file.task.neo
      return { ...item(file, error ?? (by === 'model' ? noAgent : file.task.title)), next: next(file) }
    }),
    failed: failed.map((file) => item(file, file.task.neo.error ?? file.task.title)),
    problems: snapshot.problems,
  }
}

function item({ path, task }: TaskFile, says: string): Item {
  return { id: task.neo.id ?? path, path, title: task.title, says, next: '' }
}

/** What makes a blocked task continue: the command of a person, or when Neo goes on. */
function clearing({ path, task: { neo } }: TaskFile, worker: Worker, resetsAt: number | null): string {
  const id = neo.id ?? path
  switch (neo.blocked) {
    case 'budget':
      // Only the limits of a day reset.
      return resetsAt === null
        ? `neo task edit ${id}`
        : `continues at ${dateText(new Date(resetsAt).toISOString())}, or with a higher budget`
    // A worker of any kind that can't work.
    case 'model':
      return `continues when ${clearsWhen(worker) ?? 'its model can be used: neo doctor says why not'}`
    default:
      return `neo task start ${id}`
  }
}

function healthOf(
  { home, world, dir }: Opened,
  { snapshot, facts }: Seen,
  reported: readonly DaemonProblem[] | null,
): HealthRow[] {
  const owner = lockOwner(world.git.gitDir, world)
  const ok = (part: string, says: string): HealthRow => ({ part, state: 'ok', says })
  const branch = snapshot.git.kind === 'home' ? snapshot.git.branch : null
  const locks = leftLocks(world, branch)
  const kept = keptCount({ home, world, dir })
  return [
    owner === null
      ? { part: 'daemon', state: 'off', says: 'not running; start it with neo watch' }
      : ok('daemon', `process ${owner.pid} on ${owner.host}, since ${dateText(owner.at)}`),
    ...homeRows(snapshot, facts),
    ...locks.map(({ says, next }) => troubleRow('git', `${says}; ${next}`, 'person')),
    ...(owner === null ? [] : watched(reported ?? problemsInFile(world.files, home))),
    ...(owner === null ? [] : memoryRows(world.files.readJson(join(home, '.neo', 'memory.json')))),
    ...(kept === 0
      ? []
      : [ok('kept', `${counted(kept, 'worktree')} of ended attempts; neo clean removes old ones`)]),
    ...outboxRows({ files: world.files, dir }),
  ]
}

/** Worktrees of ended attempts; `neo doctor` measures their size. */
function keptCount({ home, world, dir }: Opened): number {
  const names = world.files.names(join(home, '.neo', 'worktrees'))
  return names.filter((name) => world.files.names(join(dir, 'sessions', name)).length === 0).length
}

/** The watcher is ok if the daemon reports nothing else. */
function watched(reported: readonly DaemonProblem[]): HealthRow[] {
  const rows = reported.map(({ part, why, needs }) => troubleRow(part, why, needs))
  return rows.some(({ part }) => part === 'watcher')
    ? rows
    : [{ part: 'watcher', state: 'ok', says: '' }, ...rows]
}
