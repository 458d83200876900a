/**
 * What follows from what is due now: a home planned again and again, on the assumption that each task succeeds and
 * nobody changes anything. Pure. Invariants: 1. each subject is followed up to the first decision whose outcome
 * nobody can foresee: a request, a merge, a turn of Neo; 2. it ends: no task starts twice, and steps and rows have a
 * bound.
 */
import type { Decision, Waiting } from './decision.ts'
import type { Mark } from '../schedule/schedule.ts'
import type { Facts, ScheduleFile, Snapshot, TaskFile } from './snapshot.ts'
import type { Task } from '../task/task.ts'
import { mayDecide } from '../room/host.ts'
import { plan } from './plan.ts'
import { settingsOf } from '../task/task-settings.ts'
import { workingSessions } from './slots.ts'

export interface Scene {
  readonly snapshot: Snapshot
  readonly facts: Facts
  readonly now: number
}

export interface Foreseen {
  /** Due now, and this host's to do. */
  readonly now: readonly Decision[]
  /** What follows, in order. */
  readonly then: readonly (readonly Decision[])[]
  /** What still waits after that. */
  readonly waiting: readonly Waiting[]
  /** `bound`: more would follow. */
  readonly end: 'rest' | 'bound'
}

/** Rows that somebody still reads. */
export const MOST_ROWS = 100
const MOST_STEPS = 60
const LEAST_STEPS = 3
/** Tasks looked at in all steps together, for a second or two. */
const MOST_WORK = 200_000

/** The snapshot after the adoptions that are due: facts about tasks go by their ids. */
export function afterAdoption({ snapshot, facts, now }: Scene): Snapshot {
  const due = plan(snapshot, facts, now).decisions.filter((one) => mayDecide(one, snapshot, facts))
  const adoptions = due.filter(({ kind }) => kind.startsWith('adopt'))
  return adoptions.length === 0 ? snapshot : assume({ snapshot, facts, now }, adoptions).snapshot
}

/** @param adopted of `afterAdoption`, with the facts about it */
export function foresee(scene: Scene, adopted: Pick<Scene, 'snapshot' | 'facts'>): Foreseen {
  const first = due(scene, new Set())
  const left = new Set(first.filter(isLast).map(subjectOf))
  let at = assume(
    { ...scene, ...adopted },
    first.filter(({ kind }) => !kind.startsWith('adopt')),
  )
  const then: Decision[][] = []
  let rows = 0
  const steps = Math.min(MOST_STEPS, Math.max(LEAST_STEPS, MOST_WORK / Math.max(1, at.snapshot.tasks.size)))
  for (let step = 0; step < steps && rows < MOST_ROWS; step++) {
    const next = due(at, left)
    const ended = next.length === 0 ? afterSessions(at) : null
    if (next.length === 0 && ended === null) return { now: first, then, waiting: waitingIn(at), end: 'rest' }
    for (const one of next.filter(isLast)) left.add(subjectOf(one))
    at = ended ?? assume(at, next)
    const shown = next.filter(isWorthARow)
    rows += shown.length
    if (shown.length > 0) then.push(shown)
  }
  return { now: first, then, waiting: waitingIn(at), end: 'bound' }
}

function due({ snapshot, facts, now }: Scene, left: ReadonlySet<string>): Decision[] {
  return plan(snapshot, facts, now).decisions.filter(
    (one) => mayDecide(one, snapshot, facts) && !left.has(subjectOf(one)),
  )
}

function waitingIn({ snapshot, facts, now }: Scene): readonly Waiting[] {
  return plan(snapshot, facts, now).waiting
}

function subjectOf(one: Decision): string {
  if ('path' in one && one.kind !== 'adopt-room') return one.path
  return 'session' in one ? one.session : one.room
}

/** After a start, the task's own success is all that is assumed. */
function isLast({ kind }: Decision): boolean {
  return !FOLLOWED.has(kind)
}

const FOLLOWED: ReadonlySet<Decision['kind']> = new Set([
  ...(['adopt', 'adopt-room', 'adopt-schedule', 'record', 'record-schedule', 'requeue', 'unblock'] as const),
  ...(['forget', 'fire'] as const),
])

/** A schedule whose mark alone is kept does nothing. */
export function isWorthARow(one: Decision): boolean {
  return one.kind !== 'fire' || one.slots.length + one.missed > 0
}

function assume(scene: Scene, decisions: readonly Decision[]): Scene {
  const { snapshot, facts } = scene
  const tasks = new Map(snapshot.tasks)
  for (const one of decisions) {
    const file = 'path' in one ? tasks.get(one.path) : undefined
    if (file !== undefined) tasks.set(file.path, changed(file, one, scene))
  }
  const schedules = new Map(snapshot.schedules ?? [])
  const marks = new Map(facts.schedules?.marks ?? [])
  for (const one of decisions) inSchedules(one, schedules, marks)
  const kept = facts.schedules === undefined ? {} : { schedules: { ...facts.schedules, marks } }
  const of = (kind: Decision['kind']) => new Set(decisions.filter((one) => one.kind === kind).map(subjectOf))
  const gone = of('forget')
  const deleted = snapshot.deleted.filter(({ path }) => !gone.has(path))
  const rooms = roomsAfter(snapshot, of('adopt-room'))
  const ended = new Set(decisions.flatMap((one) => (one.kind === 'finish' ? [one.session] : [])))
  const sessions = new Map([...facts.sessions].filter(([id]) => !ended.has(id)))
  return {
    ...scene,
    snapshot: withTasks({ ...snapshot, rooms, schedules, deleted }, tasks),
    facts: { ...facts, ...kept, sessions },
  }
}

function roomsAfter({ rooms }: Snapshot, adopted: ReadonlySet<string>): Snapshot['rooms'] {
  return new Map(
    [...rooms].map(([name, file]) =>
      adopted.has(name)
        ? [name, { ...file, gitStatus: 'same', room: { ...file.room, neo: NEW } }]
        : [name, file],
    ),
  )
}

function inSchedules(one: Decision, schedules: Map<string, ScheduleFile>, marks: Map<string, Mark>): void {
  if (one.kind !== 'fire' && one.kind !== 'adopt-schedule' && one.kind !== 'record-schedule') return
  const file = schedules.get(one.path)
  if (file === undefined) return
  const id = file.schedule.neo.id ?? `assumed:${one.path}`
  if (one.kind === 'fire') marks.set(id, one.mark)
  else
    schedules.set(one.path, {
      ...file,
      gitStatus: 'same',
      schedule: { ...file.schedule, neo: { ...file.schedule.neo, id } },
    })
}

const NEW = { id: 'r-assumed' }

function withTasks(snapshot: Snapshot, tasks: ReadonlyMap<string, TaskFile>): Snapshot {
  if (snapshot.open === undefined) return { ...snapshot, tasks }
  const open = [...snapshot.open.keys()].flatMap((path) => {
    const file = tasks.get(path)
    return file === undefined ? [] : [[path, file] as const]
  })
  return { ...snapshot, tasks, open: new Map(open) }
}

/** The task as it is after the decision. */
function changed(file: TaskFile, one: Decision, { snapshot }: Scene): TaskFile {
  const { task } = file
  const status = statusAfter(file, one, snapshot)
  const isNew = one.kind === 'adopt' && one.id === 'new'
  const id = isNew || task.neo.id === undefined ? `assumed:${file.path}` : task.neo.id
  const neo = { ...task.neo, id, ...(one.kind === 'block' && one.by !== null ? { blocked: one.by } : {}) }
  const now = isNew && task.neo.id !== undefined ? 'draft' : status
  return { ...file, gitStatus: 'same', committedStatus: now, task: { ...task, status: now, neo } }
}

function statusAfter(file: TaskFile, one: Decision, { rooms, config }: Snapshot): Task['status'] {
  switch (one.kind) {
    case 'start':
    case 'resume':
      return success(file, { rooms, config })
    case 'finish':
      return one.outcome.kind === 'done' ? success(file, { rooms, config }) : 'failed'
    case 'hand-over':
      return 'in_progress'
    case 'requeue':
    case 'unblock':
      return 'pending'
    case 'block':
    case 'open-ask':
      return 'blocked'
    case 'merge':
    case 'merged':
      return 'completed'
    case 'lost':
      return 'failed'
    default:
      return file.task.status
  }
}

/** Work with a review waits for a person. */
function success(file: TaskFile, { rooms, config }: Pick<Snapshot, 'rooms' | 'config'>): Task['status'] {
  const { review } = settingsOf(file.task, rooms.get(file.room)?.room ?? null, config)
  return review === 'none' ? 'completed' : 'review'
}

/** The home once the sessions that work now have ended well; null if none works. */
function afterSessions(scene: Scene): Scene | null {
  const { snapshot, facts } = scene
  const working = workingSessions(facts.sessions)
  if (working.length === 0) return null
  const tasks = new Map(snapshot.tasks)
  const sessions = new Map(facts.sessions)
  for (const { record } of working) {
    const file = tasks.get(record.taskPath)
    sessions.delete(record.id)
    if (file?.task.status !== 'in_progress') continue
    const status = success(file, snapshot)
    tasks.set(file.path, { ...file, committedStatus: status, task: { ...file.task, status } })
  }
  return { ...scene, snapshot: withTasks(snapshot, tasks), facts: { ...facts, sessions } }
}
