/**
 * `neo task edit`: changes fields of one task, each on its own line; without fields, opens the file in an editor.
 */
import { join } from 'node:path'
import type { Task } from '../../domain/task/task.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { inEditor } from '../editor.ts'
import { paramsOf } from '../option-values.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { shownTask, shownView, statusCell } from './task-cells.ts'
import { dependencies, openTaskLookup } from './task-lookup.ts'
import { labelOf } from './task-paths.ts'

type Updates = ParamsOf<'task.update'>['updates']

export async function edit(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(firstOf(call))
  const text = call.args[1] === '-' ? await readStdin(call.around.stdin) : call.args[1]
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
  for (const key of gone) delete updates[camel(key)]
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

function camel(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
