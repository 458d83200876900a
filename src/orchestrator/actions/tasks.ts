/**
 * The actions about tasks: create_task, assign_task, complete_task. Names in depends_on become ids here, so that a task
 * never waits for a wrong name. Invariant 1: one turn makes a task of the same title and description once.
 */
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { dataLine } from '../../domain/agent/neo-data.ts'
import { taskCreate } from '../../hub/methods/task-methods.ts'
import { taskComplete, taskStart } from '../../hub/methods/task-status.ts'
import { WORKER_FORMS } from '../../domain/task/task.ts'
import { type ActionContext, action, fieldOf, hubParams, needs, type Step, takes } from './action.ts'

const create = taskCreate.params.shape

export const createTask = action({
  name: 'create_task',
  who: 'all',
  doc:
    'Create a task: one piece of work that one worker can do and that can be checked. It starts by itself when the ' +
    'tasks in depends_on are completed.',
  input: {
    title: needs(create.title, 'Short and unique in the room'),
    description: needs(
      create.description,
      'Everything the worker needs, in Markdown: goal, files, limits, how to tell that it is done',
    ),
    priority: takes(create.priority, 'Default: normal'),
    worker: takes(create.worker, `${WORKER_FORMS}; default: the worker of the room`),
    labels: takes(create.labels, 'Labels to find it by'),
    due: takes(create.due, 'A date such as 2026-03-05'),
    depends_on: takes(
      create.dependsOn,
      'Titles, names or ids of tasks that must be completed first; create those first',
    ),
  },
  aliases: {
    body: 'description',
    prompt: 'description',
    tags: 'labels',
    due_date: 'due',
    dependencies: 'depends_on',
  },
  step: async ({ depends_on: names = [], ...task }, context) => {
    const twin = context.created.find(
      ({ title, description }) => title === task.title && description === task.description,
    )
    if (twin !== undefined)
      return { kind: 'answer', text: `This turn has already created it: ${twin.id}`, isError: false }
    const depends = await dependsOn(names, context)
    if (typeof depends === 'string') return { kind: 'answer', text: depends, isError: true }
    const more = depends.length > 0 ? { dependsOn: depends } : {}
    return call('task.create', { roomId: context.room, ...hubParams(task), ...more }, 'Created')
  },
})

/** The ids of what is named; a text that says which name is wrong. */
async function dependsOn(
  wanted: readonly string[],
  context: ActionContext,
): Promise<readonly string[] | string> {
  if (wanted.length === 0) return []
  const tasks = await tasksOf(context)
  const ids: string[] = []
  for (const name of wanted) {
    const made = context.created.findLast(({ id, title }) => id === name || same(title, name))
    const found = made?.id ?? (name.includes('/') ? name : idIn(tasks, name))
    if (found === null)
      return `depends_on names "${dataLine(name, 100)}", which is not the title, name or id of exactly one task in this room. Create that task first, or leave it out`
    if (!ids.includes(found)) ids.push(found)
  }
  return ids
}

async function tasksOf({ room, see }: ActionContext): Promise<readonly unknown[]> {
  const tasks = await see('task.list', { roomId: room, limit: 1000 })
  return Array.isArray(tasks) ? tasks : []
}

/** By id or name, else by title if exactly one task has it; tasks that have not ended come first, because titles are reused. */
function idIn(tasks: readonly unknown[], name: string): string | null {
  const exact = tasks.filter((task) => ['id', 'name', 'path'].some((key) => fieldOf(task, key) === name))
  const titled = tasks.filter((task) => same(fieldOf(task, 'title'), name))
  const alive = titled.filter(
    (task) => !['completed', 'cancelled', 'failed'].includes(fieldOf(task, 'status')),
  )
  const [one, ...more] = [exact, alive, titled].find((list) => list.length > 0) ?? []
  return one === undefined || more.length > 0 ? null : fieldOf(one, 'id') || fieldOf(one, 'name') || null
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

const TASK_IDS = { task: 'task_id', id: 'task_id' }

export const assignTask = action({
  name: 'assign_task',
  who: 'all',
  doc: 'Restart a task, or start it now; with session_id, in an idle session. Tasks start by themselves: use this only for one that does not.',
  input: {
    task_id: needs(taskStart.params.shape.taskId, 'Id of the task'),
    session_id: takes(taskStart.params.shape.sessionId, 'Id of the idle session'),
  },
  aliases: { ...TASK_IDS, session: 'session_id' },
  step: async (args) => call('task.start', hubParams(args), 'Started'),
})

export const completeTask = action({
  name: 'complete_task',
  who: 'all',
  doc: 'Mark the work of a task as finished. Checks and review still follow.',
  input: {
    task_id: needs(taskComplete.params.shape.taskId, 'Id of the task'),
    result: needs(taskComplete.params.shape.result, 'The outcome, in one or two lines'),
  },
  aliases: { ...TASK_IDS, summary: 'result' },
  step: async (args) => call('task.complete', hubParams(args), 'Finished'),
})

function call(method: string, params: JsonObject, verb: string): Step {
  return { kind: 'call', method, params, tell: toldTask(verb) }
}

function toldTask(verb: string): (task: unknown) => string {
  return (task) => {
    const id = fieldOf(task, 'id') || fieldOf(task, 'name')
    const status = fieldOf(task, 'status')
    return `${verb}${id === '' ? '' : ` ${id}`}${status === '' ? '' : `, status ${status}`}`
  }
}

/** Whether a create_task that a crash cut off was done: the id of the task, or null. */
export async function findCreated(
  input: JsonObject,
  since: number,
  context: ActionContext,
): Promise<string | null> {
  const title = typeof input['title'] === 'string' ? input['title'] : ''
  const tasks = await tasksOf(context)
  const found = tasks.find(
    (task) =>
      same(fieldOf(task, 'title'), title) &&
      fieldOf(task, 'createdBy') === 'neo' &&
      Date.parse(fieldOf(task, 'createdAt')) >= since - CLOCK_SLACK_MS,
  )
  return found === undefined ? null : fieldOf(found, 'id')
}

/** Times in files are whole seconds. */
const CLOCK_SLACK_MS = 1000
