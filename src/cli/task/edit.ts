/**
 * `neo task edit`: changes fields of one task, each on its own line; without any, opens the file in an editor.
 * Takes a name and fields; leaves every other line as it is.
 * Invariant 1: what would not read back as a task is refused, and the file stays.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import type { Task } from '../../core/model/task.ts'
import { editDocument, type Json, type Patch } from '../../formats/edit.ts'
import { editFile } from '../edit-file.ts'
import { usage } from '../failure.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { givenWorker, oneLineTitle, readBack } from './fields.ts'
import { type Desk, openDesk, parseTask } from './open.ts'
import { labelOf } from './paths.ts'
import { statusCell, taskData } from './view.ts'

const OWN = ['title', 'status', 'priority', 'worker', 'due', 'label', 'unlabel', 'dependsOn', 'unset']

export async function edit(call: Call): Promise<number> {
  const desk = await openDesk(call)
  const path = await desk.find(firstOf(call))
  const text = call.args[1] === '-' ? await readStdin(call.around.stdin) : call.args[1]
  if (text === undefined && !OWN.some((option) => call.isSet(option))) inEditor(call, join(desk.home, path))
  else
    editFile(desk.files, join(desk.home, path), (old, bytes) =>
      edited(call, desk, { path, old, bytes, text }),
    )
  const task = desk.read(path)
  call.out.data('task.edit', taskData(path, task))
  call.out.line(labelOf(path), statusCell(task.status), task.title)
  return 0
}

interface Editing {
  readonly path: string
  readonly old: string
  readonly bytes: Buffer
  readonly text: string | undefined
}

function edited(call: Call, desk: Desk, { path, old, bytes, text }: Editing): string | null {
  const task = parseTask(path, bytes, desk.zone)
  const body = text === undefined || text === '' || text.endsWith('\n') ? text : `${text}\n`
  const patch: Patch = { set: fields(call, task), ...(body === undefined ? {} : { body }) }
  const next = editDocument(old, patch)
  readBack(path, next, desk.zone)
  return next === old ? null : next
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

/** As git does it: the editor is a command line of the person's own. */
function inEditor(call: Call, file: string): void {
  const { env, stdin } = call.around
  const editor = env['VISUAL'] || env['EDITOR'] || ''
  if (editor === '' || stdin.isTTY !== true || call.out.isTerminal === 'no')
    throw usage(
      'Cannot edit the task: neither a field was said nor is there a terminal with $EDITOR',
      'neo task edit --help',
    )
  const ended = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (ended.status !== 0)
    throw new NeoError(
      'failed',
      `Cannot edit the task: the editor "${editor}" ended with ${ended.status ?? ended.signal ?? 'no code'}`,
    )
}
