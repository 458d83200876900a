/**
 * The actions about tasks: create_task, assign_task, complete_task. Names in depends_on become ids here, so that a task
 * never waits for a wrong name. Invariant 1: one turn makes a task of the same title and description once.
 */
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { dataLine } from '../../domain/agent/neo-data.ts'
import {
  type Action,
  type ActionContext,
  type Arguments,
  fieldOf,
  given,
  type Step,
  textOf,
} from './action.ts'

const TASK_ID = { name: 'task_id', aliases: ['task', 'id'], type: 'line', required: 'yes' } as const

export const createTask: Action = {
  name: 'create_task',
  who: 'all',
  doc:
    'Create a task: one piece of work that one worker can do and that can be checked. It starts by itself when the ' +
    'tasks in depends_on are completed.',
  params: [
    { name: 'title', type: 'line', required: 'yes', doc: 'Short and unique in the room' },
    {
      name: 'description',
      aliases: ['body', 'prompt'],
      type: 'text',
      required: 'yes',
      doc: 'Everything the worker needs, in Markdown: goal, files, limits, how to tell that it is done',
    },
    {
      name: 'priority',
      type: 'choice',
      of: ['low', 'normal', 'high', 'urgent'],
      required: 'no',
      doc: 'Default: normal',
    },
    {
      name: 'worker',
      type: 'line',
      required: 'no',
      doc: 'agent, human or exec:<name>; default: the worker of the room',
    },
    { name: 'labels', aliases: ['tags'], type: 'texts', required: 'no', doc: 'Labels to find it by' },
    { name: 'due', aliases: ['due_date'], type: 'line', required: 'no', doc: 'A date such as 2026-03-05' },
    {
      name: 'depends_on',
      aliases: ['dependencies'],
      type: 'texts',
      required: 'no',
      doc: 'Titles, names or ids of tasks that must be completed first; create those first',
    },
  ],
  step: async (args, context) => {
    const twin = twinOf(args, context)
    if (twin !== undefined)
      return { kind: 'answer', text: `This turn has already created it: ${twin.id}`, isError: false }
    const depends = await dependsOn(args, context)
    if (typeof depends === 'string') return { kind: 'answer', text: depends, isError: true }
    const names = { title: 'title', description: 'description', priority: 'priority', worker: 'worker' }
    const fields = given(args, { ...names, labels: 'labels', due: 'due' })
    const params = { roomId: context.room, ...fields, ...(depends.length > 0 ? { dependsOn: depends } : {}) }
    return { kind: 'call', method: 'task.create', params, tell: toldTask('Created') }
  },
}

function twinOf(args: Arguments, { created }: ActionContext) {
  return created.find(
    ({ title, description }) => title === args['title'] && description === textOf(args, 'description'),
  )
}

/** The ids of what is named; a text that says which name is wrong. */
async function dependsOn(args: Arguments, context: ActionContext): Promise<readonly string[] | string> {
  const wanted = args['depends_on']
  if (!Array.isArray(wanted) || wanted.length === 0) return []
  const tasks = await tasksOf(context)
  const ids: string[] = []
  for (const name of wanted as readonly string[]) {
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

export const assignTask: Action = {
  name: 'assign_task',
  who: 'all',
  doc: 'Restart a task, or start it now; with session_id, in an idle session. Tasks start by themselves: use this only for one that does not.',
  params: [
    { ...TASK_ID, doc: 'Id of the task' },
    { name: 'session_id', aliases: ['session'], type: 'line', required: 'no', doc: 'Id of the idle session' },
  ],
  step: async (args) =>
    call('task.start', given(args, { task_id: 'taskId', session_id: 'sessionId' }), 'Started'),
}

export const completeTask: Action = {
  name: 'complete_task',
  who: 'all',
  doc: 'Mark the work of a task as finished. Checks and review still follow.',
  params: [
    { ...TASK_ID, doc: 'Id of the task' },
    {
      name: 'result',
      aliases: ['summary'],
      type: 'text',
      required: 'yes',
      doc: 'The outcome, in one or two lines',
    },
  ],
  step: async (args) =>
    call('task.complete', given(args, { task_id: 'taskId', result: 'result' }), 'Finished'),
}

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
