/**
 * `neo task edit`: changes fields of one task, each on its own line; without any, opens the file in an editor. Invariant
 * 1: what would not read back as a task is refused, and the file stays.
 */
import { join } from 'node:path'
import type { Task } from '../../domain/task/task.ts'
import { editDocument, type Json, type Patch } from '../../files/edit/edit-header.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { bytesAt } from '../edit-file.ts'
import { inEditor } from '../editor.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { givenWorker, oneLineTitle, readBack } from './task-fields.ts'
import { type Desk, openDesk, parseTask } from './task-access.ts'
import { labelOf } from './task-paths.ts'
import { type Shown, shownTask, shownView, statusCell } from './task-cells.ts'

const OWN = ['title', 'status', 'priority', 'worker', 'due', 'label', 'unlabel', 'dependsOn', 'unset']

export async function edit(call: Call): Promise<number> {
  const desk = await openDesk(call)
  const path = await desk.find(firstOf(call))
  const text = call.args[1] === '-' ? await readStdin(call.around.stdin) : call.args[1]
  const isByHand = text === undefined && !OWN.some((option) => call.isSet(option))
  if (isByHand)
    inEditor(call, { file: join(desk.home, path), what: 'the task', next: 'neo task edit --help' })
  const { title, status, data } = isByHand
    ? shownTask(path, desk.read(path))
    : await changed(call, desk, { path, text })
  call.out.data('task.edit', data)
  call.out.line(labelOf(path), statusCell(status), title)
  return 0
}

interface Editing {
  readonly path: string
  readonly text: string | undefined
}

async function changed(call: Call, desk: Desk, { path, text }: Editing): Promise<Shown> {
  const body = text === undefined || text === '' || text.endsWith('\n') ? text : `${text}\n`
  const bytes = bytesAt(desk.files, join(desk.home, path))
  const task = parseTask(path, bytes, desk.zone)
  const patch: Patch = { set: fields(call, task), ...(body === undefined ? {} : { body }) }
  const after = editDocument(bytes.toString('utf8'), patch)
  readBack(path, after, desk.zone)
  const view = await withHub(call, (hub) =>
    hub.call('task.update', { taskId: path, updates: updatesOf(patch) }),
  )
  return shownView(view)
}

/** As the hub calls the keys; what is taken out may be any key of the header. */
function updatesOf({ set = {}, body }: Patch): ParamsOf<'task.update'>['updates'] {
  const keys = Object.keys(set)
  const gone = keys.filter((key) => set[key] === undefined)
  const given = keys.filter((key) => set[key] !== undefined).map((key) => [camel(key), set[key]])
  return {
    ...Object.fromEntries(given),
    ...(gone.length === 0 ? {} : { unset: gone }),
    ...(body === undefined ? {} : { description: body }),
  }
}

function camel(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function fields(call: Call, task: Task): Record<string, Json | undefined> {
  const set: Record<string, Json | undefined> = {}
  const title = call.text('title')
  if (title !== null) set['title'] = oneLineTitle(title)
  const worker = givenWorker(call)
  if (worker !== null) set['worker'] = worker
  for (const key of ['status', 'priority', 'due']) {
    const value = call.text(key)
    if (value !== null) set[key] = value
  }
  if (call.isSet('label') || call.isSet('unlabel')) set['labels'] = labels(call, task)
  if (call.isSet('dependsOn')) set['depends_on'] = [...new Set([...task.dependsOn, ...call.all('dependsOn')])]
  for (const key of call.all('unset')) set[unsettable(key)] = undefined
  return set
}

function labels(call: Call, task: Task): string[] | undefined {
  const gone = new Set(call.all('unlabel'))
  const left = [...new Set([...task.labels, ...call.all('label')])].filter((label) => !gone.has(label))
  return left.length === 0 ? undefined : left
}

function unsettable(key: string): string {
  if (key === 'neo')
    throw usage('Cannot take out "neo": that block is how Neo knows the task', 'neo task delete')
  return key.replaceAll('-', '_')
}
