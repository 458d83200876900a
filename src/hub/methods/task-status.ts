/**
 * task.start, retry, cancel, complete, fail: moving a task from one status to another. Invariant 1: Neo and sessions
 * never end a task: with a session at work they tell it, without one a person is asked, so that verify and review follow
 * (4-api, task.complete).
 */
import { z } from 'zod'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import type { Resource } from '../../domain/policy/policy-acts.ts'
import { ENDED, type TaskStatus } from '../../domain/task/task.ts'
import type { IdleSession } from '../../engine/agents/idle-sessions.ts'
import { oneLine } from '../../engine/effects/commit-words.ts'
import { checkEdit, type Editing, editTask } from '../changes/compare-and-write.ts'
import { readBack, workerIn } from '../changes/header-inputs.ts'
import { deliver, findIdleSession, giveTask } from '../changes/waiting-sessions.ts'
import { type Actor, type HubEnv, isByPerson, isoNow, look, method, nameOf } from '../env.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { sees, taskOf } from '../views/find-in-home.ts'
import { idText, type TaskView, taskId, taskParams, taskView } from '../views/shapes.ts'
import { viewTask } from '../views/views.ts'
import { aboutTask, byHand } from './task-methods.ts'

const words = z.string().trim().min(1).max(20_000).optional()

export const taskStart = method({
  name: 'task.start',
  summary: 'Start a task',
  details:
    'Sets it to `pending`: it runs when it is ready. With `sessionId`, it runs in a session that waits for tasks.',
  tool: { effect: 'adds' },
  params: z.strictObject({
    taskId,
    sessionId: idText.optional().describe('A session of `session.create` that waits for tasks'),
  }),
  result: taskView,
  act: 'move-task',
  resource: (env, { taskId, sessionId }) => moved(env, taskId, { to: 'pending', idle: sessionId }),
  run: (env, { taskId, sessionId }, actor) =>
    move(env, actor, {
      taskId,
      to: 'pending',
      verb: 'start',
      refuse: (status) => status === 'in_progress',
      ...(sessionId === undefined ? {} : { idle: sessionId }),
    }),
})

export const taskRetry = method({
  name: 'task.retry',
  summary: 'Retry a task',
  details: 'Runs an ended task again.',
  tool: { effect: 'adds' },
  params: taskParams,
  result: taskView,
  act: 'move-task',
  resource: (env, { taskId }) => moved(env, taskId, { to: 'pending' }),
  run: (env, { taskId }, actor) =>
    move(env, actor, {
      taskId,
      to: 'pending',
      verb: 'retry',
      refuse: (status) => status === 'in_progress' || status === 'draft',
    }),
})

export const taskCancel = method({
  name: 'task.cancel',
  summary: 'Cancel a task',
  details: 'Its sessions and their processes stop.',
  tool: { effect: 'changes' },
  params: taskParams,
  result: taskView,
  act: 'move-task',
  resource: (env, { taskId }) => moved(env, taskId, { to: 'cancelled' }),
  run: (env, { taskId }, actor) =>
    move(env, actor, { taskId, to: 'cancelled', verb: 'cancel', refuse: () => false }),
})

export const taskComplete = method({
  name: 'task.complete',
  summary: 'Complete a task',
  details:
    'Called by a person, it ends the task. Called by a model, it reports that the work is finished: checks and review follow. If no session works on the task, a person is asked.',
  tool: { effect: 'changes' },
  params: z.strictObject({ taskId, result: words.describe('Result in one line. Required from models') }),
  result: taskView,
  act: 'finish-task',
  resource: (env, { taskId }) => moved(env, taskId, { to: 'completed' }),
  run: (env, { taskId, result }, actor) =>
    end(env, actor, {
      taskId,
      to: 'completed',
      words: result,
      neo: { ...(result === undefined ? {} : { result: oneLine(result) }), error: undefined },
    }),
})

export const taskFail = method({
  name: 'task.fail',
  summary: 'Fail a task',
  details:
    'Called by a person, it ends the task as failed. Called by a model, it tells the session that works on the task; without one, the task fails.',
  tool: { effect: 'changes' },
  params: z.strictObject({ taskId, error: words.describe('Why it failed. Required from models') }),
  result: taskView,
  act: 'fail-task',
  resource: (env, { taskId }) => moved(env, taskId, { to: 'failed' }),
  run: (env, { taskId, error }, actor) =>
    end(env, actor, {
      taskId,
      to: 'failed',
      words: error,
      neo: error === undefined ? {} : { error: oneLine(error) },
    }),
})

interface Moved {
  readonly to: TaskStatus
  /** The waiting session that the task is given to: its worker would be the task's. */
  readonly idle?: string | undefined
}

async function moved(env: HubEnv, taskId: string, { to, idle }: Moved): Promise<Resource> {
  const snapshot = await look(env)
  const file = taskOf(snapshot, taskId)
  const session = workingOn(env, file)
  const given = idle === undefined ? null : findIdleSession(env, idle)
  // One of another room is refused, in the same words whether it is there or not.
  const worker = given?.room === file.room ? (given.worker ?? undefined) : undefined
  return {
    ...aboutTask(file),
    to,
    ...(worker === undefined ? {} : { sets: ['worker'] }),
    worker: workerIn(snapshot, file.room, { task: file.task, worker }),
    ...(session === null ? {} : { session }),
  }
}

/** The session that works on a task now. */
function workingOn(env: HubEnv, { task }: TaskFile): string | null {
  const id = task.neo.session
  const fact = id === undefined ? undefined : env.context.sessions.facts().get(id)
  if (task.status !== 'in_progress' || fact === undefined || fact.state === 'ended') return null
  return fact.record.id
}

interface Move {
  readonly taskId: string
  readonly to: TaskStatus
  readonly verb: string
  readonly refuse: (status: TaskStatus) => boolean
  /** The session that it is given to. */
  readonly idle?: string
}

async function move(env: HubEnv, actor: Actor, of: Move): Promise<TaskView> {
  const { path } = taskOf(await look(env), of.taskId)
  const editing: Editing = {
    path,
    edit: (file, snapshot) => {
      const { task } = file
      if (of.refuse(task.status)) throw refused(of.verb, path, task.status)
      const roomWorkspace = snapshot.rooms.get(file.room)?.room.workspace
      const isSeen = (room: string) => sees(actor.principal, room, membersOf(env))
      const idle = of.idle === undefined ? null : giveTask(env, of.idle, { file, roomWorkspace, isSeen })
      const own = idle === null ? {} : settingsOf(idle)
      if (task.status === of.to && Object.keys(own).length === 0) return null
      return {
        verb: of.verb,
        event: of.verb,
        patch: { set: { ...own, status: of.to }, neo: byHand(env, task, of.to) },
      }
    },
    ...(of.idle === undefined
      ? {}
      : { check: (text, _, snapshot) => void readBack(env, path, { text, snapshot }) }),
  }
  if (of.idle === undefined) await checkEdit(env, editing)
  return viewTask(await editTask(env, actor, editing), isoNow(env))
}

/** What the session was opened with holds for each task in it. */
function settingsOf({ worker, model, workspace }: IdleSession): Record<string, string> {
  const given = Object.entries({ worker, model, workspace }).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as Record<string, string>
}

function refused(verb: string, path: string, status: TaskStatus): HubError {
  const [room = '', name = ''] = path.slice('rooms/'.length, -'.md'.length).split('/tasks/')
  const next = `neo task ${status === 'draft' ? 'start' : 'cancel'} ${room}/${name}`
  return new HubError(HUB_CODES.busy, `Cannot ${verb} "${path}": it is ${status}`, { status, next })
}

interface End {
  readonly taskId: string
  readonly to: 'completed' | 'failed'
  /** What is said of it; only a person may leave it out. */
  readonly words: string | undefined
  readonly neo: Readonly<Record<string, string | undefined>>
}

async function end(env: HubEnv, actor: Actor, of: End): Promise<TaskView> {
  const snapshot = await look(env)
  const file = taskOf(snapshot, of.taskId)
  if (!isByPerson(actor)) {
    const key = of.to === 'completed' ? 'result' : 'error'
    if (of.words === undefined) throw badParams([key], 'is missing; say how it ended')
    const said = await saidFinished(env, actor, { ...of, words: of.words, file })
    if (said !== null) return said
  }
  const changed = await editTask(env, actor, {
    path: file.path,
    edit: ({ task }) => {
      if (task.status === of.to && of.words === undefined) return null
      const verb = of.to === 'completed' ? 'complete' : 'fail'
      const set = task.status === of.to ? {} : { set: { status: of.to } }
      return {
        verb,
        says: of.words ?? '',
        event: verb,
        patch: { ...set, neo: { ...byHand(env, task, of.to), ...of.neo } },
      }
    },
  })
  return viewTask(changed, isoNow(env))
}

/** A model's words go to the session that works on the task. Null without one: the task may be ended. */
async function saidFinished(
  env: HubEnv,
  actor: Actor,
  of: End & { readonly words: string; readonly file: TaskFile },
): Promise<TaskView | null> {
  const { file, to } = of
  const session = workingOn(env, file)
  if (session !== null) {
    const says = to === 'completed' ? 'This task is finished' : 'This task cannot be done'
    await deliver(env, { session, from: nameOf(actor.principal), text: `${says}: ${of.words}` })
    return viewTask(file)
  }
  if (to === 'completed' || ENDED.has(file.task.status)) return viewTask(file)
  return null
}
