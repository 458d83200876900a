/**
 * `neo task show`: the fields of one task, then its text. Reads its file alone: opening the hub would take twice as long.
 */
import { taskKeys } from '../../files/kinds/task-keys.ts'
import { type Task, workerText } from '../../domain/task/task.ts'
import type { Cell } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { openTaskLookup } from './task-lookup.ts'
import { fullData, statusCell } from './task-cells.ts'

export async function show(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(firstOf(call))
  const task = lookup.read(path)
  const { out } = call
  out.data('task.show', fullData(path, task))
  out.heading(task.title)
  out.table(rows(path, task))
  if (task.body.trim() !== '') {
    out.line('')
    out.block(task.body)
  }
  return 0
}

/** Keys of the header that are shown otherwise, or only with `--json`. */
const NOT_ROWS: ReadonlySet<string> = new Set([
  'title',
  'model',
  'retry',
  'on_interrupt',
  'timeout',
  'budget',
  'env',
  'params',
  'neo',
] satisfies (keyof typeof taskKeys)[])

function rows(path: string, task: Task): Cell[][] {
  const { neo } = task
  const all: (readonly [string, Cell | undefined])[] = [
    ['path', path],
    ...headerRows(task),
    ['id', neo.id],
    ['created', joined(neo.createdAt, neo.createdBy === undefined ? undefined : `by ${neo.createdBy}`)],
    ['session', neo.session],
    ['attempt', neo.attempt === undefined ? undefined : String(neo.attempt)],
    ['step', joined(neo.currentStep, neo.progress === undefined ? undefined : `${neo.progress} %`)],
    ['started', neo.startedAt],
    ['completed', neo.completedAt],
    ['result', neo.result],
    ['error', neo.error === undefined ? undefined : { text: neo.error, style: 'red' }],
    ['blocked', neo.blocked],
    ['next try', neo.retryAt],
    ['branch', neo.branch],
  ]
  return all.flatMap(([name, cell]) =>
    cell === undefined ? [] : [[{ text: name, style: 'dim' } as const, cell]],
  )
}

/** The keys of the header that are set, in their order there. */
function headerRows(task: Task): (readonly [string, Cell | undefined])[] {
  const keys = Object.keys(taskKeys).filter((key) => !NOT_ROWS.has(key))
  return keys.map((key) => {
    const value: unknown = task[key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as 'due']
    if (key === 'status') return [key, statusCell(task.status)]
    if (key === 'worker') return [key, task.worker && workerText(task.worker)]
    const text = Array.isArray(value) ? listed(value) : value
    return [key.replaceAll('_', ' '), text === undefined ? undefined : String(text)]
  })
}

function listed(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ')
}

function joined(...parts: readonly (string | undefined)[]): string | undefined {
  const said = parts.filter((part) => part !== undefined && part !== '')
  return said.length === 0 ? undefined : said.join(' ')
}
