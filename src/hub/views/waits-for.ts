/**
 * What keeps a task from going on, in words, with what they are about. Invariant 1: things in rooms that the caller
 * doesn't see are counted, and have neither link nor title.
 */
import { openAsks, workerOf } from '../../domain/plan/needs.ts'
import { fullSlots, isForPerson } from '../../domain/plan/slots.ts'
import type { SessionFact, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { indexOf } from '../../domain/task/depends.ts'
import { type Blocker, blockersOf, unreadRoom } from '../../domain/task/readiness.ts'
import { startFacts } from '../../engine/snapshot/facts.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { HubEnv } from '../env.ts'
import type { WaitView } from './detail-shapes.ts'

export interface Asked {
  readonly env: HubEnv
  readonly snapshot: Snapshot
  /** Whether the caller sees a room. */
  readonly isSeen: (room: string) => boolean
}

type Link = WaitView['links'][number]

export function waitsFor(file: TaskFile, asked: Asked): readonly WaitView[] {
  switch (file.task.status) {
    case 'draft':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return []
    case 'pending':
      return start(file, asked)
    case 'blocked':
      return blocked(file, asked)
    case 'in_progress':
      return working(file, asked)
    case 'review':
      return [review(file)]
  }
}

/** With what has gone wrong, or why only a person may merge it. */
function review(file: TaskFile): WaitView {
  const { error, hold } = file.task.neo
  const why = plain(error ?? hold ?? '')
  return wait('review', `a review of its work${why === '' ? '' : `: ${why}`}`, [taskLink('review', file)])
}

function start(file: TaskFile, asked: Asked): readonly WaitView[] {
  const { snapshot, env } = asked
  const { git } = snapshot
  if (git.kind !== 'home') return [wait('git', `git: ${git.why}`)]
  const unread = unreadRoom(snapshot, file.room)
  if (unread !== null) return [wait('file', unread)]
  if (snapshot.invalid.has(file.path))
    return [
      wait('file', 'its file to be corrected', [
        { to: 'file', id: file.path, title: file.path, status: null },
      ]),
    ]
  const facts = startFacts(env.context, snapshot)
  const now = env.context.world.clock.now()
  const blockers = [...blockersOf(file, { snapshot, facts, index: indexOf(snapshot.tasks), now })]
  if (blockers.length > 0) return blockers.map((blocker) => blockerView(blocker, file, asked))
  const full = fullSlots(file, { snapshot, sessions: facts.sessions })
  if (full === null || workerOf(snapshot, file).kind === 'human') return []
  const of = full.of === 'room' ? ' of the room' : ''
  const links = full.by.flatMap((fact) => sessionLink(fact, asked))
  return [wait('slot', `a free slot${of}: ${full.by.length} of ${full.limit} in use`, links)]
}

function blockerView(blocker: Blocker, { room }: TaskFile, asked: Asked): WaitView {
  switch (blocker.kind) {
    case 'room':
      return wait('room', `the room ${room}, which is ${blocker.status}`, [
        { to: 'room', id: room, title: room, status: null },
      ])
    case 'stopped':
      return wait('stopped', 'Neo to start again: all work was stopped')
    case 'host':
      return wait('host', `the machine ${blocker.host}, which alone starts work`)
    case 'task': {
      const { task, room: other } = blocker.file
      if (!asked.isSeen(other)) return wait('task', `the task ${blocker.name}`)
      const { status, title } = task
      const how = status === 'failed' || status === 'cancelled' ? `${title}, which is ${status}` : title
      return wait('task', how, [taskLink('task', blocker.file)])
    }
    case 'name':
      if (blocker.name.includes('/') && !asked.isSeen(blocker.name.slice(0, blocker.name.indexOf('/'))))
        return wait('task', `the task ${blocker.name}`)
      return wait('task', `the task ${blocker.name}: ${blocker.why}`)
    case 'time':
      return { ...wait('time', 'its next attempt'), at: isoSecond(blocker.at) }
    case 'disk':
      return wait('disk', 'disk space: the worktrees are larger than `daemon.disk_limit`')
  }
}

function blocked(file: TaskFile, asked: Asked): readonly WaitView[] {
  const { blocked: by, error = '' } = file.task.neo
  if (by === undefined) return [wait('person', 'a person to start it again')]
  switch (by) {
    case 'ask':
    case 'interrupted': {
      const asks = requests(file, asked)
      return asks.length === 0 ? [wait('request', 'a decision')] : asks
    }
    case 'budget':
      return [{ ...wait('budget', `its budget: ${plain(error)}`), at: budgetAt(file, asked) }]
    case 'model':
    case 'filter':
      return [wait(by, `${WORDS[by]}: ${plain(error)}`)]
  }
}

const WORDS = { model: 'its worker', filter: 'a git filter' } as const

/** Without the command that a terminal would need. */
function plain(error: string): string {
  return error.replace(/: neo [a-z]+ .*$/s, '')
}

function budgetAt({ task }: TaskFile, { env, snapshot }: Asked): string | null {
  const at = env.context.agents.facts(snapshot).budgets.get(task.neo.id ?? '')?.at ?? null
  return at === null ? null : isoSecond(at)
}

function working(file: TaskFile, asked: Asked): readonly WaitView[] {
  const { snapshot, env } = asked
  const asks = requests(file, asked)
  if (asks.length > 0) return asks
  if (workerOf(snapshot, file).kind === 'human') return [wait('person', 'a person to do it')]
  const fact = env.context.sessions.facts().get(file.task.neo.session ?? '')
  const { byId } = indexOf(snapshot.tasks)
  const spawned = (fact?.wants ?? [])
    .filter(({ kind }) => kind === 'spawn')
    .flatMap(({ id }) => byId.get(id) ?? [])
  const open = spawned.filter(({ room, task }) => asked.isSeen(room) && task.status !== 'completed')
  return open.length === 0
    ? []
    : [
        wait(
          'task',
          'its subtasks',
          open.map((one) => taskLink('task', one)),
        ),
      ]
}

/** Open requests of the task, and of its session at work. */
function requests({ task, room }: TaskFile, { snapshot, env }: Asked): readonly WaitView[] {
  const { id, session } = task.neo
  const wanted = new Set(
    (env.context.sessions.facts().get(session ?? '')?.wants ?? []).filter(isForPerson).map((want) => want.id),
  )
  return openAsks(snapshot, (one) => one === room)
    .filter(({ ask }) => (id !== undefined && ask.task === id) || wanted.has(ask.id))
    .map(({ ask }) =>
      wait('request', ask.kind === 'question' ? 'an answer' : 'an approval', [
        { to: 'request', id: ask.id, title: ask.reason === '' ? ask.action.tool : ask.reason, status: null },
      ]),
    )
}

function wait(kind: WaitView['kind'], says: string, links: readonly Link[] = []): WaitView {
  return { kind, says, at: null, links: [...links] }
}

function taskLink(to: 'task' | 'review', { task, path }: TaskFile): Link {
  return { to, id: task.neo.id ?? path, title: task.title, status: task.status }
}

function sessionLink({ record }: SessionFact, { isSeen }: Asked): readonly Link[] {
  if (!isSeen(record.room)) return []
  return [{ to: 'session', id: record.id, title: record.title, status: null }]
}
