/**
 * `neo task list` and `neo task show`. They read the files: opening the hub would take twice as long. An invalid file never
 * hides the others.
 */
import { counted } from '../../domain/text/counted.ts'
import { NeoError } from '../../domain/home/error.ts'
import { whereOf } from '../../domain/home/problem.ts'
import type { Task } from '../../domain/task/task.ts'
import { taskKeys } from '../../files/kinds/task-keys.ts'
import { headerRows } from '../header-rows.ts'
import { type Cell, fieldRows, printBody } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { fullData, headData, statusCell } from './task-cells.ts'
import { type Summary, taskSummaries } from './task-list-cache.ts'
import { openTaskLookup, type TaskLookup } from './task-lookup.ts'
import { labelOf, partsOf, roomNames } from './task-paths.ts'

type Fine = Extract<Summary, { kind: 'ok' }>

export async function list(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  checkRooms(call, lookup)
  const all = taskSummaries(lookup.cache)
  const rooms = new Set(call.all('room'))
  const inRooms = rooms.size === 0 ? all : all.filter(({ path }) => rooms.has(partsOf(path).room))
  const fine = await chosen(call, lookup, { all, inRooms })
  const unread = inRooms.filter(({ kind }) => kind !== 'ok')
  if (call.out.mode === 'json')
    call.out.data(
      'task.list',
      fine.map(({ path, head }) => headData(path, head)),
    )
  call.out.table(fine.map(row), 3)
  sayUnread(call, unread)
  if (fine.length === 0) call.out.note('No matching tasks.', "Create one: neo task new --title 'What to do'")
  return 0
}

function checkRooms(call: Call, { home, files }: TaskLookup): void {
  const there = roomNames(home, files)
  for (const room of call.all('room')) {
    if (!there.includes(room))
      throw new NeoError('missing', `Cannot list the room "${room}": no room has this name`, {
        next: 'neo room list',
      })
  }
}

interface From {
  readonly all: readonly Summary[]
  readonly inRooms: readonly Summary[]
}

async function chosen(call: Call, lookup: TaskLookup, { all, inRooms }: From): Promise<readonly Fine[]> {
  const statuses = new Set(call.all('status'))
  const labels = call.all('label')
  const fine = inRooms.filter(
    (summary): summary is Fine =>
      summary.kind === 'ok' &&
      (statuses.size === 0 || statuses.has(summary.head.status)) &&
      labels.every((label) => summary.head.labels.includes(label)),
  )
  if (!call.isSet('ready')) return fine
  const { readyPaths } = await import('./ready-tasks.ts')
  const ready = readyPaths(
    lookup,
    all.filter((summary): summary is Fine => summary.kind === 'ok'),
  )
  return fine.filter(({ path }) => ready.has(path))
}

function row({ path, head }: Fine): Cell[] {
  const priority: Cell = head.priority === 'normal' ? '' : { text: head.priority, style: 'bold' }
  return [labelOf(path), statusCell(head.status), priority, head.title]
}

function sayUnread(call: Call, unread: readonly Summary[]): void {
  const broken = unread.filter(
    (summary) => summary.kind === 'bad' || (summary.kind === 'unfinished' && summary.is === 'open'),
  )
  for (const summary of broken) {
    if (summary.kind === 'unfinished') call.out.note({ text: summary.path, style: 'yellow' }, summary.why)
    const [first] = summary.kind === 'bad' ? summary.problems : []
    if (first !== undefined) call.out.note({ text: whereOf(first), style: 'red' }, first.message)
  }
  if (broken.length > 0)
    call.out.note(`${counted(broken.length, 'file')} can't be read: neo config check says why.`)
}

export async function show(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(firstOf(call))
  const task = lookup.read(path)
  const { out } = call
  out.data('task.show', fullData(path, task))
  out.heading(task.title)
  out.table(fieldRows(fieldsOf(path, task)))
  printBody(out, task.body)
  return 0
}

const NOT_ROWS = [
  'title',
  'model',
  'retry',
  'on_interrupt',
  'timeout',
  'budget',
  'env',
  'params',
  'neo',
] as const

type Field = readonly [name: string, value: Cell | undefined]

function fieldsOf(path: string, task: Task): readonly Field[] {
  const { neo } = task
  return [
    ['path', path],
    ...headerRows(taskKeys, task, NOT_ROWS).map(
      ([key, text]): Field => [key, key === 'status' ? statusCell(task.status) : text],
    ),
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
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ')
}
