/**
 * task.create, list, get, update, delete: the files in `tasks/`, made and changed line by line. Invariant 1: a new file
 * is committed with its own `neo:` block, so that nothing adopts it as somebody else's. Invariant 2: it never replaces a
 * file.
 */
import { z } from 'zod'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { MASK } from '../../domain/secrets/mask-literals.ts'
import { ENDED, TASK_STATUSES, type Task, type TaskStatus } from '../../domain/task/task.ts'
import { noteGone } from '../../engine/commit/new-id.ts'
import { type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { newFileName, titleLine } from '../../files/kinds/read-task.ts'
import { camelCase } from '../../files/values/header-values.ts'
import { checkEdit, commit, type Editing, editTask, inOrder, taskAt } from '../changes/compare-and-write.ts'
import {
  asBody,
  DESCRIPTION,
  defined,
  keysOf,
  readBack,
  taskInputs,
  workerIn,
} from '../changes/header-inputs.ts'
import { seenDependencies } from '../changes/seen-dependencies.ts'
import { type Actor, type HubEnv, isoNow, look, method, nameOf } from '../env.ts'
import { aboutOnlyRoom, listedRooms } from '../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { findRoom, sees, taskOf, updatedAt } from '../views/find-in-home.ts'
import { taskDetail } from '../views/detail-shapes.ts'
import {
  bodyText,
  limit,
  onlyRoom,
  roomId,
  type TaskView,
  taskId,
  taskParams,
  taskView,
  titleText,
} from '../views/shapes.ts'
import { detailOf } from '../views/task-detail.ts'
import { viewTask } from '../views/views.ts'

const TITLE = 'One line: what is wanted'

const createParams = z.strictObject({
  title: titleText.describe(TITLE),
  description: bodyText.describe(DESCRIPTION),
  roomId,
  ...taskInputs.nullable,
  status: z.enum(['pending', 'draft']).optional().describe('Otherwise `pending`'),
})

export const taskCreate = method({
  name: 'task.create',
  summary: 'Create a task',
  details:
    'It starts by itself when it is ready, unless you set `status: draft`. Put all that its worker has to know into the description: the worker sees the repository, not this conversation. If a model sets anything but title, description, priority, worker, persona, dependsOn, labels and due, a person has to approve it.',
  tool: { effect: 'adds' },
  params: createParams,
  result: taskView,
  act: 'make-task',
  resource: async (env, { roomId, status: _status, ...fields }) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, roomId).name
    return {
      room,
      sets: keysOf(fields),
      worker: workerIn(snapshot, room, { worker: fields.worker }),
      ...(typeof fields.workspace === 'string' ? { workspace: fields.workspace } : {}),
    }
  },
  run: create,
})

/** If the name is taken, another id is drawn. */
const ROUNDS = 8

async function create(env: HubEnv, params: z.output<typeof createParams>, actor: Actor): Promise<TaskView> {
  const { roomId, title: said, description, status = 'pending', ...fields } = params
  const snapshot = await look(env)
  const room = findRoom(snapshot, roomId).name
  const title = titleLine(said)
  const depends = seenDependencies(env, actor.principal, { snapshot, room, names: fields.dependsOn })
  for (let round = 0; round < ROUNDS; round++) {
    const id = env.context.world.random.id('t')
    const name = newFileName(title, id)
    const path = `rooms/${room}/tasks/${name}.md`
    const onBehalfOf = actor.principal.kind === 'neo' ? actor.principal.onBehalfOf : undefined
    const { scope = null, speaker = 'human' } = onBehalfOf ?? {}
    if (scope !== null) env.context.scopes.tasks.started(id, { scope, speaker })
    const neo = { id, created_at: isoNow(env), created_by: nameOf(actor.principal) }
    const set = defined<Json>(taskInputs.header({ ...fields, ...depends }))
    const text = renderDocument({ title, status, ...set, neo }, asBody(description))
    readBack(env, path, { text, snapshot })
    const changes = [{ path, before: null, after: text }]
    const done = await commit(env, actor, {
      room,
      task: id,
      what: `create ${name}`,
      event: 'create',
      changes,
    })
    if (done === 'done') return viewTask(taskAt(await look(env), path), isoNow(env))
  }
  throw new HubError(
    HUB_CODES.busy,
    `Cannot create a task in "${room}": no free name was found; use another title`,
  )
}

export const taskList = method({
  name: 'task.list',
  summary: 'List tasks',
  details: 'Sorted by path.',
  tool: { effect: 'reads', list: 'tasks', limit: 50, note: 'Without descriptions; `task.get` returns them.' },
  params: z.strictObject({
    roomId: onlyRoom,
    status: z
      .array(z.enum(TASK_STATUSES))
      .max(TASK_STATUSES.length)
      .optional()
      .describe('Only tasks with one of these'),
    label: z.string().optional().describe('Only tasks with this label'),
    limit: limit(1_000, 200),
    cursor: z.string().optional().describe('The path of the last task of the page before'),
  }),
  result: z.array(taskView),
  act: 'see',
  resource: aboutOnlyRoom,
  run: async (env, { roomId, status, label, limit: most, cursor = '' }, { principal }) => {
    const snapshot = await look(env)
    const isListed = listedRooms(env, snapshot, { roomId, principal })
    const from = cursor.includes(MASK) ? taskOf(snapshot, cursor).path : cursor
    return [...snapshot.tasks.values()]
      .filter(({ room }) => isListed(room))
      .filter(({ task }) => status === undefined || status.includes(task.status))
      .filter(({ task }) => label === undefined || task.labels.includes(label))
      .filter(({ path }) => path > from)
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .slice(0, most)
      .map((file) => viewTask(file))
  },
})

export const taskGet = method({
  name: 'task.get',
  summary: 'Get a task',
  details:
    'Its description and status, what it waits for, its result or error, its cost, and the branch that holds the work.',
  tool: { effect: 'reads' },
  params: taskParams,
  result: taskDetail,
  act: 'see',
  resource: async (env, { taskId }) => ({ room: taskOf(await look(env), taskId).room }),
  run: async (env, { taskId }, { principal }) => {
    const snapshot = await look(env)
    const file = taskOf(snapshot, taskId)
    const members = membersOf(env)
    const isSeen = (room: string) => sees(principal, room, members)
    const task = viewTask(file, await updatedAt(env, snapshot, file.path))
    return { ...task, ...detailOf(file, { env, snapshot, isSeen }) }
  },
})

const taskUpdates = z.strictObject({
  title: titleText.optional().describe(TITLE),
  description: bodyText.optional().describe(DESCRIPTION),
  ...taskInputs.nullable,
  status: z.enum(TASK_STATUSES).optional(),
  unset: z
    .array(z.string().trim().min(1).max(1_000))
    .max(100)
    .optional()
    .describe('Keys of the header to remove, as the file names them'),
  id: z.unknown().optional(),
  roomId: z.unknown().optional(),
  sessionIds: z.unknown().optional(),
  neo: z.unknown().optional(),
})

export const taskUpdate = method({
  name: 'task.update',
  summary: 'Update a task',
  details:
    '`null` removes a field. An agent that works on the task receives a new description as a message. A model can set the same fields as in `task.create`; anything else, a person has to approve.',
  tool: { effect: 'changes', hidden: ['unset'] },
  params: z.strictObject({ taskId, updates: taskUpdates.describe('The fields to set') }),
  result: taskView,
  act: 'change-task',
  resource: async (env, { taskId, updates }) => {
    const snapshot = await look(env)
    const file = taskOf(snapshot, taskId)
    return {
      ...aboutTask(file),
      sets: setsOf(updates),
      worker: workerIn(snapshot, file.room, { task: file.task, worker: workerOf(updates) }),
      ...(typeof updates.workspace === 'string' ? { workspace: updates.workspace } : {}),
    }
  },
  run: async (env, { taskId, updates }, actor) => {
    const {
      description,
      title,
      status,
      unset = [],
      id: _id,
      roomId: _room,
      sessionIds: _s,
      neo: _neo,
      ...header
    } = updates
    const snapshot = await look(env)
    const { path, room, task: now } = taskOf(snapshot, taskId)
    const names = { snapshot, room, names: header.dependsOn, kept: now.dependsOn }
    const set = {
      ...Object.fromEntries(unset.map((key) => [key, undefined])),
      ...taskInputs.header({ ...header, ...seenDependencies(env, actor.principal, names) }),
      ...(title === undefined ? {} : { title: titleLine(title) }),
      ...(status === undefined ? {} : { status }),
    }
    const body = asBody(description)
    const editing: Editing = {
      path,
      edit: ({ task }) => ({
        verb: 'update',
        event: 'update',
        patch: {
          set,
          ...(body === undefined ? {} : { body }),
          ...(status === undefined || status === task.status ? {} : { neo: byHand(env, task, status) }),
        },
      }),
      check: (text, file, present) => void readBack(env, file.path, { text, snapshot: present }),
    }
    await checkEdit(env, editing)
    return viewTask(await editTask(env, actor, editing), isoNow(env))
  },
})

type Updates = z.output<typeof taskUpdates>

/** Keys that are taken out are set too, by the hub's names. */
function setsOf({ unset = [], ...updates }: Updates): readonly string[] {
  return [...keysOf(updates), ...unset.map(camelCase)]
}

/** null: the key is taken out. */
function workerOf({ worker, unset = [] }: Updates): Updates['worker'] {
  return worker === undefined && unset.includes('worker') ? null : worker
}

/** What goes with a status that a person sets: the keys of the attempt before. */
export function byHand(env: HubEnv, { neo }: Task, status: TaskStatus): Record<string, Json | undefined> {
  const cleared = { attempt: env.context.sessions.lastAttempt(neo), blocked: undefined }
  if (!ENDED.has(status)) return cleared
  return { ...cleared, completed_at: isoNow(env), current_step: undefined, retry_at: undefined }
}

/** What policy gets to know of a task. */
export function aboutTask({ room, path, task }: TaskFile) {
  const { createdBy, blocked, id = path } = task.neo
  return {
    room,
    target: { id, path },
    from: task.status,
    author: createdBy ?? 'human',
    ...(blocked === undefined ? {} : { blockedBy: blocked }),
  }
}

export const taskDelete = method({
  name: 'task.delete',
  summary: 'Delete a task',
  details:
    'Its sessions stop. Git keeps the history of the file. A model needs approval to delete what others wrote.',
  tool: { effect: 'changes' },
  params: taskParams,
  result: z.null(),
  act: 'delete-task',
  resource: async (env, { taskId }) => aboutTask(taskOf(await look(env), taskId)),
  run: async (env, { taskId }, actor) => {
    const { path } = taskOf(await look(env), taskId)
    const { file } = await inOrder(env, path)
    const done = await commit(env, actor, {
      room: file.room,
      task: file.task.neo.id,
      what: `delete ${file.name}`,
      event: 'delete',
      changes: [{ path, before: file.hash, after: null }],
    })
    if (done === 'lost') throw badParams(['taskId'], 'the task is being edited; try again in a moment')
    noteGone(env.context, [file.task.neo.id ?? path])
    return null
  },
})
