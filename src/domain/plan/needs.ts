/**
 * What needs a person now: requests, reviews, own tasks, blocked and failed ones, and what keeps the whole home from going
 * on. `neo status` and the page show it.
 */
import type { Worker } from '../task/task.ts'
import { settingsOf } from '../task/task-settings.ts'
import type { AskFile, Facts, Snapshot, TaskFile } from './snapshot.ts'

export interface Needs {
  readonly asks: readonly AskFile[]
  readonly reviews: readonly TaskFile[]
  /** Tasks at work whose worker is a person. */
  readonly yours: readonly TaskFile[]
  /** Those that no request asks about. */
  readonly blocked: readonly TaskFile[]
  readonly failed: readonly TaskFile[]
}

/** Failures older than this are history. */
const RECENT_MS = 7 * 86_400_000

/** @param now epoch ms */
export function needsOf(snapshot: Snapshot, isSeen: (room: string) => boolean, now: number): Needs {
  const files = [...snapshot.tasks.values()].filter(({ room }) => isSeen(room))
  const having = (status: string) => files.filter(({ task }) => task.status === status)
  return {
    asks: openAsks(snapshot, isSeen),
    reviews: having('review'),
    yours: having('in_progress').filter((file) => workerOf(snapshot, file).kind === 'human'),
    blocked: having('blocked').filter(
      ({ task: { neo } }) => neo.blocked !== 'ask' && neo.blocked !== 'interrupted',
    ),
    failed: having('failed').filter(
      ({ task }) => (Date.parse(task.neo.completedAt ?? '') || 0) > now - RECENT_MS,
    ),
  }
}

/** Requests that nobody has decided or answered. */
export function openAsks({ asks }: Snapshot, isSeen: (room: string) => boolean): readonly AskFile[] {
  return [...asks.values()].filter(
    ({ ask, room }) =>
      isSeen(room) && ask.decision === 'pending' && ask.handledAt === undefined && ask.answer === undefined,
  )
}

/** The task's own worker, else its room's, else the home's. */
export function workerOf({ rooms, config }: Snapshot, { task, room }: TaskFile): Worker {
  return settingsOf(task, rooms.get(room)?.room ?? null, config).worker
}

export interface HealthRow {
  readonly part: string
  /** `off`: not in use, which may be fine. */
  readonly state: 'ok' | 'off' | 'trouble'
  readonly says: string
  /** Only a person ends it: `neo status` lists it under "Needs you". */
  readonly needs?: 'person' | undefined
}

export function troubleRow(part: string, says: string, needs: HealthRow['needs']): HealthRow {
  return { part, state: 'trouble', says, needs }
}

/** Git, the model, and why nothing starts. */
export function homeRows(
  snapshot: Snapshot,
  { agent, barred, elsewhere, diskFull }: Pick<Facts, 'agent' | 'barred' | 'elsewhere' | 'diskFull'>,
): HealthRow[] {
  const { git, config } = snapshot
  const forPerson = (part: string, says: string) => troubleRow(part, says, 'person')
  const held = git.kind !== 'home' || git.held === undefined ? '' : `; ${git.held}`
  const stopped = whyStopped(snapshot)
  const rows: HealthRow[] = [
    stopped === null
      ? { part: 'git', state: 'ok', says: `on branch ${homeBranch(snapshot)}${held}` }
      : forPerson('git', stopped),
    agent.kind === 'ready'
      ? { part: 'model', state: 'ok', says: config.model }
      : { part: 'model', state: 'off', says: agent.error },
  ]
  if (barred)
    rows.push(forPerson('starts', 'stopped by neo stop --all, until you run neo watch or neo run again'))
  if (elsewhere !== null) rows.push({ part: 'host', state: 'off', says: `only ${elsewhere} starts work` })
  if (diskFull)
    rows.push(
      forPerson(
        'disk',
        'worktrees exceed daemon.disk_limit: neo clean removes old ones, neo doctor lists all',
      ),
    )
  return rows
}

/** Null while HEAD is on the home's branch. */
export function whyStopped(snapshot: Snapshot): string | null {
  const { git } = snapshot
  return git.kind === 'home' ? null : `nothing starts: ${git.why}; to continue, ${wayBack(snapshot)}`
}

/** How a person gets the home to where Neo can write. */
export function wayBack(snapshot: Snapshot): string {
  return snapshot.git.kind === 'away' ? `git switch ${homeBranch(snapshot)}` : 'finish or abort it'
}

/** The branch that Neo works on. */
export function homeBranch({ git, config }: Snapshot): string {
  return (git.kind === 'busy' ? undefined : git.branch) ?? config.daemon.branch ?? 'main'
}
