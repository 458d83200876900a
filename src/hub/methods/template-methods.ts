/**
 * template.list, fill, run: tasks that a person has written with holes, from `templates/tasks/`; filled in, and made.
 * Invariant 1: a value never becomes part of a command: it reaches shell blocks as environment alone. Invariant 2: what
 * a template sets is its writer's word; who fills it in says over it what anybody may say of a task.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { firstReason } from '../../domain/home/problem.ts'
import { type Task, workerText } from '../../domain/task/task.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { isPlainName } from '../../engine/effects/schedule-effects.ts'
import { editDocument } from '../../files/edit/edit-header.ts'
import { newFileName, readTask, titleLine } from '../../files/kinds/read-task.ts'
import { fillTemplate, readTemplate, type Template } from '../../files/kinds/read-template.ts'
import { commit, taskAt } from '../changes/compare-and-write.ts'
import { keysOf, readBack, taskInputs, workerIn } from '../changes/header-inputs.ts'
import { seenDependencies } from '../changes/seen-dependencies.ts'
import { type Actor, type HubEnv, isoNow, look, method, nameOf } from '../env.ts'
import { aboutHome } from '../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { findRoom } from '../views/find-in-home.ts'
import { isLimited } from '../views/without-hidden.ts'
import { idText, roomId, type TaskView, taskView, titleText } from '../views/shapes.ts'
import { viewTask } from '../views/views.ts'

const text = z.string()
const FOLDER = 'templates/tasks'
const templateName = idText.describe('The template: the name of its file in `templates/tasks/`')
const values = z
  .record(z.string().max(100), z.string().max(20_000))
  .optional()
  .describe('Values for its parameters, by name, as strings')

const templateView = z.strictObject({
  name: text,
  title: text,
  params: z.array(
    z.strictObject({
      name: text,
      type: z.enum(['text', 'string', 'number', 'boolean']),
      default: text.nullable(),
      description: text,
    }),
  ),
})

export const templateList = method({
  name: 'template.list',
  summary: 'List task templates',
  details: 'With their parameters. Templates with errors are left out; `neo config check` names them.',
  tool: { effect: 'reads', list: 'templates' },
  params: z.strictObject({}),
  result: z.array(templateView),
  act: 'see',
  resource: aboutHome,
  run: async (env) =>
    namesOf(env).flatMap((name) => {
      const read = readTemplate(`${FOLDER}/${name}.md`, sourceOf(env, name))
      return read.kind === 'ok' ? [viewTemplate(name, read.value)] : []
    }),
})

function viewTemplate(name: string, { title, params }: Template): z.input<typeof templateView> {
  return { name, title, params: params.map((one) => ({ ...one, default: one.default ?? null })) }
}

const fillParams = z.strictObject({ name: templateName, params: values })

export const templateFill = method({
  name: 'template.fill',
  summary: 'Preview a template',
  details: 'Returns the task that these values make, without creating it.',
  params: fillParams,
  result: z.strictObject({ name: text, title: text, description: text, worker: text.nullable() }),
  act: 'see',
  resource: aboutHome,
  run: async (env, { name, params }) => {
    const { task } = filled(env, name, params)
    const worker = task.worker === undefined ? null : workerText(task.worker)
    return { name, title: task.title, description: task.body, worker }
  },
})

const { priority, worker, dependsOn, labels } = taskInputs.nullable
const runParams = z.strictObject({
  roomId,
  name: templateName,
  params: values,
  status: z.enum(['pending', 'draft']).optional().describe('Otherwise `pending`'),
  title: titleText.optional().describe('One line: what is wanted'),
  ...{ priority, worker, dependsOn, labels },
})

export const templateRun = method({
  name: 'template.run',
  summary: 'Create a task from a template',
  details:
    'Use it instead of `task.create` if a template fits: it brings its own checks. `title`, `priority`, `worker`, `dependsOn` and `labels` replace what the template says.',
  tool: { effect: 'adds' },
  params: runParams,
  result: taskView,
  act: 'make-task',
  resource: async (env, { roomId, name, params, status: _status, ...fields }) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, roomId).name
    const { task } = filled(env, name, params)
    const worker = fields.worker ?? (task.worker === undefined ? undefined : workerText(task.worker))
    const sets = new Set(['title', 'description', ...keysOf(fields)])
    return { room, sets: [...sets], worker: workerIn(snapshot, room, { worker }) }
  },
  run: createFromTemplate,
})

/** Throws HubError `missing` or `params` for the template and its values. */
export async function createFromTemplate(
  env: HubEnv,
  {
    roomId,
    name: from,
    params,
    status = 'pending',
    title: said,
    id: given,
    ...fields
  }: z.output<typeof runParams> & {
    /** Absent: a new one. Throws HubError `busy` if a task has it. */
    readonly id?: string
  },
  actor: Actor,
): Promise<TaskView> {
  const snapshot = await look(env)
  const room = findRoom(snapshot, roomId).name
  const { task, source } = filled(env, from, params)
  const title = titleLine(said ?? task.title)
  const id = given ?? env.context.world.random.id('t')
  if ([...snapshot.tasks.values()].some((file) => file.task.neo.id === id))
    throw new HubError(HUB_CODES.busy, `Cannot create the task: the id ${id} is in use`)
  const name = newFileName(title, id, from)
  const path = `rooms/${room}/tasks/${name}.md`
  const neo = { id, created_at: isoNow(env), created_by: nameOf(actor.principal) }
  const { principal } = actor
  // A member could fill a name into a template's list.
  const isFilled = fields.dependsOn === undefined && task.dependsOn.length > 0 && isLimited(env, principal)
  const names = isFilled ? task.dependsOn : fields.dependsOn
  const depends = seenDependencies(env, principal, { snapshot, room, names })
  const set = {
    ...taskInputs.header({ ...fields, ...depends }),
    ...(said === undefined ? {} : { title }),
    status,
  }
  const after = editDocument(source, { set, neo })
  readBack(env, path, { text: after, snapshot })
  const changes = [{ path, before: null, after }]
  const lost = `Cannot create the task: ${path} already exists`
  await commit(env, actor, { room, task: id, what: `create ${name}`, event: 'create', changes, lost })
  return viewTask(taskAt(await look(env), path), isoNow(env))
}

/** Throws HubError `missing` if there is no such template, `params` if the values don't fit it. */
function filled(
  env: HubEnv,
  name: string,
  params: Readonly<Record<string, string>> = {},
): { readonly task: Task; readonly source: string } {
  const made = fillTemplate(sourceOf(env, name), params)
  if (made.kind === 'bad')
    throw badParams(['params'], firstReason(made.problems) ?? 'the template is incomplete')
  const task = readTask(`${FOLDER}/${name}.md`, made.text, env.context.look.config().timezone)
  if (task.kind !== 'ok') throw badParams(['name'], 'the result is not a valid task')
  return { task: task.value, source: made.text }
}

function namesOf({ context }: HubEnv): readonly string[] {
  const names = context.world.files.names(join(context.home, FOLDER))
  return names
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -'.md'.length))
    .filter(isPlainName)
    .toSorted()
}

function sourceOf(env: HubEnv, name: string): string {
  const { context } = env
  const path = join(context.home, FOLDER, `${name}.md`)
  const read = isPlainName(name) ? context.world.files.read(path, MAX_BYTES) : null
  if (read?.kind !== 'file') throw noTemplate(env, name)
  return read.bytes.toString('utf8')
}

function noTemplate(env: HubEnv, name: string): HubError {
  const names = namesOf(env)
  const why =
    names.length === 0 ? 'this home has no task templates' : `the templates are: ${names.join(', ')}`
  return new HubError(HUB_CODES.missing, `Cannot find the template "${name}"`, { why })
}
