/**
 * Commands that write tasks through the hub: `neo task new, edit, start, retry, cancel, done, fail, delete`. Git keeps the
 * history of a deleted task; a daemon stops what runs for it.
 */
import { join } from 'node:path'
import type { HubClient } from '../../client/hub-client.ts'
import { NeoError } from '../../domain/home/error.ts'
import type { Task, TaskStatus } from '../../domain/task/task.ts'
import { oneLine } from '../../domain/text/one-line.ts'
import { firstHeading } from '../../files/body/markdown.ts'
import { titleLine } from '../../files/kinds/read-task.ts'
import { camelCase } from '../../files/values/header-values.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import type { TaskView } from '../../hub/views/shapes.ts'
import { usage } from '../cli-failure.ts'
import { inEditor } from '../edit-file.ts'
import { paramsOf, textOrStdin } from '../option-values.ts'
import { dim } from '../output.ts'
import { type Call, type Command, firstOf } from '../spec.ts'
import { withHub } from '../with-hub.ts'
import { type Shown, shownTask, shownView, statusCell } from './task-cells.ts'
import { dependencies, openTaskLookup, type TaskLookup } from './task-lookup.ts'
import { labelOf, roomNames } from './task-paths.ts'

export type Verb = 'start' | 'retry' | 'cancel' | 'done' | 'fail'

export function setStatus(verb: Verb): Command {
  return async (call) => {
    const lookup = await openTaskLookup(call)
    const paths = await lookup.findAll(call.args)
    const message = oneLine(call.text('message') ?? '')
    const changed: Changed[] = []
    await withHub(call, async (hub) => {
      for (const path of paths) {
        const { status: was } = lookup.read(path)
        changed.push({ was, is: shownView(await moved(hub, path, { verb, message })) })
      }
    })
    call.out.data(
      `task.${verb}`,
      changed.map(({ is }) => is.data),
    )
    for (const one of changed) sayChange(call, one)
    return 0
  }
}

interface Changed {
  readonly was: TaskStatus
  readonly is: Shown
}

function moved(
  hub: HubClient,
  taskId: string,
  { verb, message }: { readonly verb: Verb; readonly message: string },
): Promise<TaskView> {
  switch (verb) {
    case 'done':
      return hub.call('task.complete', { taskId, result: message || undefined })
    case 'fail':
      return hub.call('task.fail', { taskId, error: message || undefined })
    case 'start':
    case 'retry':
    case 'cancel':
      return hub.call(`task.${verb}`, { taskId })
  }
}

function sayChange({ out }: Call, { was, is: { path, status } }: Changed): void {
  const label = labelOf(path)
  if (was === status) out.line(label, 'is already', statusCell(status))
  else out.line(label, dim(`${was} →`), statusCell(status))
}

export async function remove(call: Call): Promise<number> {
  const paths = await (await openTaskLookup(call)).findAll(call.args)
  await withHub(call, async (hub) => {
    for (const path of paths) await hub.call('task.delete', { taskId: path })
  })
  call.out.data('task.delete', paths)
  for (const path of paths) call.out.line(path, dim('is deleted; git keeps its history'))
  return 0
}

export async function create(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const room = roomFor(call, lookup)
  const text = await textOrStdin(call, firstOf(call))
  const fields = await fieldsOf(call, lookup)
  const made =
    call.text('template') === null
      ? plain(call, { room, text, fields })
      : filled(call, { room, text, fields })
  const { path, data } = shownView(await withHub(call, made))
  call.out.data('task.new', data)
  call.out.line(path)
  return 0
}

type Fields = Omit<ParamsOf<'task.create'>, 'roomId' | 'title' | 'description'> & { title?: string }

interface Draft {
  readonly room: string
  readonly text: string
  readonly fields: Fields
}

type Making = (hub: HubClient) => Promise<TaskView>

function plain(call: Call, { room, text, fields }: Draft): Making {
  if (call.all('param').length > 0)
    throw usage('Cannot use --param without a template', 'name the template with --template NAME')
  const title = titleLine(fields.title ?? firstHeading(text) ?? firstLine(text))
  if (title === '') throw usage('Cannot create a task without a title', "add --title 'What to do'")
  const params = { ...fields, roomId: room, title, description: text }
  return (hub) => hub.call('task.create', params, 'neo task new --help')
}

function filled(call: Call, { room, text, fields: { title, ...fields } }: Draft): Making {
  if (text !== '')
    throw usage('Cannot take a text with --template: the template is the text', 'leave one of the two out')
  const params = {
    ...fields,
    roomId: room,
    name: call.text('template') ?? '',
    params: valuesOf(call.all('param')),
    ...(title === undefined ? {} : { title: titleLine(title) }),
  }
  return (hub) => hub.call('template.run', params, 'neo task new --help')
}

function roomFor(call: Call, { home, files }: TaskLookup): string {
  const room = call.text('room') ?? 'lobby'
  const rooms = roomNames(home, files)
  if (rooms.includes(room)) return room
  throw new NeoError('missing', `Cannot create a task in the room "${room}": no room has this name`, {
    why: rooms.length === 0 ? 'this home has no rooms yet' : `the rooms are: ${rooms.join(', ')}`,
    next: 'neo room new NAME',
  })
}

function firstLine(text: string): string {
  return text.split(/\r?\n/).find((line) => line.trim() !== '') ?? ''
}

/** The status always, so that it can be edited. */
async function fieldsOf(call: Call, lookup: TaskLookup): Promise<Fields> {
  const dependsOn = await dependencies(call, lookup)
  const given = paramsOf<Fields>(call)
  return { status: 'pending', ...given, ...(dependsOn.length === 0 ? {} : { dependsOn: [...dependsOn] }) }
}

/** Throws NeoError `usage` for a text other than `NAME=VALUE`. */
function valuesOf(params: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    params.map((param) => {
      const at = param.indexOf('=')
      if (at < 1) throw usage(`Cannot take the parameter "${param}": want NAME=VALUE`, '--param folder=docs')
      return [param.slice(0, at), param.slice(at + 1)]
    }),
  )
}

type Updates = ParamsOf<'task.update'>['updates']

export async function edit(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(firstOf(call))
  const text = call.args[1] === undefined ? undefined : await textOrStdin(call, call.args[1])
  const given = paramsOf<Updates>(call)
  const isByHand = text === undefined && Object.keys(given).length === 0 && !call.isSet('unlabel')
  if (isByHand)
    inEditor(call, { file: join(lookup.home, path), what: 'the task', next: 'neo task edit --help' })
  const task = lookup.read(path)
  if (given.dependsOn) given.dependsOn = [...(await dependencies(call, lookup))]
  if (text !== undefined) given.description = text
  const updates = updatesOf(given, task, call.all('unlabel'))
  const { title, status, data } = isByHand
    ? shownTask(path, task)
    : shownView(await withHub(call, (hub) => hub.call('task.update', { taskId: path, updates })))
  call.out.data('task.edit', data)
  call.out.line(labelOf(path), statusCell(status), title)
  return 0
}

/** Lists are added to what the task has. `unset` may name any key of the header. */
function updatesOf({ unset = [], ...given }: Updates, task: Task, unlabel: readonly string[]): Updates {
  const updates: Record<string, unknown> = unlabel.length === 0 ? given : { labels: [], ...given }
  const gone = unset.map(unsettable)
  for (const [key, value] of Object.entries(updates)) {
    if (!Array.isArray(value)) continue
    const all = [...new Set([...(task[key as 'labels'] ?? []), ...value])]
    updates[key] = key === 'labels' ? all.filter((label) => !unlabel.includes(label)) : all
  }
  if (unlabel.length > 0 && (updates['labels'] as string[]).length === 0) gone.push('labels')
  for (const key of gone) delete updates[camelCase(key)]
  return { ...updates, ...(gone.length === 0 ? {} : { unset: gone }) }
}

function unsettable(key: string): string {
  if (key === 'neo')
    throw usage(
      'Cannot remove "neo": by that block Neo recognises the task',
      'neo task delete deletes the task',
    )
  return key.replaceAll('-', '_')
}
