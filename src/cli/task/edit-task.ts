/**
 * `neo task edit`: changes fields of one task, each on its own line; without fields, opens the file in an editor.
 */
import { join } from 'node:path'
import type { Task } from '../../domain/task/task.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { inEditor } from '../editor.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { dependencies, openTaskLookup } from './task-lookup.ts'
import { labelOf } from './task-paths.ts'
import { shownTask, shownView, statusCell } from './task-cells.ts'

const OWN = ['title', 'status', 'priority', 'worker', 'due', 'label', 'unlabel', 'dependsOn', 'unset']

type Updates = ParamsOf<'task.update'>['updates']

export async function edit(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(firstOf(call))
  const text = call.args[1] === '-' ? await readStdin(call.around.stdin) : call.args[1]
  const isByHand = text === undefined && !OWN.some((option) => call.isSet(option))
  if (isByHand)
    inEditor(call, { file: join(lookup.home, path), what: 'the task', next: 'neo task edit --help' })
  const task = lookup.read(path)
  const dependsOn = await dependencies(call, lookup)
  const { title, status, data } = isByHand
    ? shownTask(path, task)
    : shownView(
        await withHub(call, (hub) =>
          hub.call('task.update', { taskId: path, updates: updatesOf(call, task, { text, dependsOn }) }),
        ),
      )
  call.out.data('task.edit', data)
  call.out.line(labelOf(path), statusCell(status), title)
  return 0
}

interface Given {
  readonly text: string | undefined
  readonly dependsOn: readonly string[]
}

/** As the hub calls the keys; what is taken out may be any key of the header. */
function updatesOf(call: Call, task: Task, { text: description, dependsOn }: Given): Updates {
  const given: Record<string, unknown> = description === undefined ? {} : { description }
  const gone = call.all('unset').map(unsettable)
  for (const key of ['title', 'status', 'priority', 'worker', 'due']) {
    const value = call.text(key)
    if (value !== null) given[key] = value
  }
  if (call.isSet('dependsOn')) given['dependsOn'] = [...new Set([...task.dependsOn, ...dependsOn])]
  if (call.isSet('label') || call.isSet('unlabel')) {
    const left = labels(call, task)
    if (left.length === 0) gone.push('labels')
    else given['labels'] = left
  }
  for (const key of gone) delete given[camel(key)]
  return { ...given, ...(gone.length === 0 ? {} : { unset: gone }) }
}

function labels(call: Call, task: Task): string[] {
  const gone = new Set(call.all('unlabel'))
  return [...new Set([...task.labels, ...call.all('label')])].filter((label) => !gone.has(label))
}

function unsettable(key: string): string {
  if (key === 'neo')
    throw usage(
      'Cannot remove "neo": by that block Neo recognises the task',
      'neo task delete deletes the task',
    )
  return key.replaceAll('-', '_')
}

function camel(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
