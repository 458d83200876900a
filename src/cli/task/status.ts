/**
 * `neo task start, retry, cancel, done, fail`: what a person does by changing `status:` in the file.
 * Takes names; changes one line of each file, and one of the `neo:` block where words go with it.
 * Leaves to the daemon: stopping what runs, starting what can start, committing it as the person's.
 * Invariant 1: Neo's own keys stay as they are but for those words: a block older than Neo's would count as an old
 * editor buffer and start nothing.
 */
import { join } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import type { Task, TaskStatus } from '../../core/model/task.ts'
import { editDocument } from '../../formats/edit.ts'
import { editFile } from '../edit-file.ts'
import type { Call, Command } from '../spec.ts'
import { type Desk, openDesk, parseTask } from './open.ts'
import { labelOf } from './paths.ts'
import { statusCell, taskData } from './view.ts'

export type Verb = 'start' | 'retry' | 'cancel' | 'done' | 'fail'

const TO: Readonly<Record<Verb, TaskStatus>> = {
  start: 'pending',
  retry: 'pending',
  cancel: 'cancelled',
  done: 'completed',
  fail: 'failed',
}

export function setStatus(verb: Verb): Command {
  return async (call) => {
    const desk = await openDesk(call)
    const paths: string[] = []
    for (const typed of call.args) paths.push(await desk.find(typed))
    const changed = [...new Set(paths)].map((path) => ({
      path,
      ...change(desk, path, { verb, message: call.text('message') }),
    }))
    call.out.data(
      `task.${verb}`,
      changed.map(({ path, task }) => taskData(path, task)),
    )
    for (const { path, task, was } of changed) sayChange(call, { path, task, was })
    return 0
  }
}

interface Changed {
  readonly task: Task
  readonly was: TaskStatus
}

function change(desk: Desk, path: string, how: { verb: Verb; message: string | null }): Changed {
  const full = join(desk.home, path)
  let was: TaskStatus = 'pending'
  editFile(desk.files, full, (text, bytes) => {
    const task = parseTask(path, bytes, desk.zone)
    was = task.status
    refuse(path, task, how.verb)
    const key = how.verb === 'done' ? 'result' : 'error'
    const words = how.message === null ? {} : { neo: { [key]: oneLine(how.message) } }
    const status = TO[how.verb]
    if (task.status === status && how.message === null) return null
    return editDocument(text, { set: { status }, ...words })
  })
  return { task: desk.read(path), was }
}

/** What would make no sense is said, not done. */
function refuse(path: string, task: Task, verb: Verb): void {
  const { status } = task
  const label = labelOf(path)
  if (verb === 'start' && status === 'in_progress')
    throw new NeoError('failed', `Cannot start the task "${label}": it runs already`, {
      next: `neo task cancel ${label}`,
    })
  if (verb !== 'retry') return
  if (status === 'in_progress')
    throw new NeoError('failed', `Cannot retry the task "${label}": it runs now`, {
      next: `neo task cancel ${label}`,
    })
  if (status === 'draft')
    throw new NeoError('failed', `Cannot retry the task "${label}": it is a draft and has not run yet`, {
      next: `neo task start ${label}`,
    })
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function sayChange(call: Call, { path, task, was }: { path: string; task: Task; was: TaskStatus }): void {
  const label = labelOf(path)
  if (was === task.status) call.out.line(label, 'is already', statusCell(task.status))
  else call.out.line(label, { text: `${was} →`, style: 'dim' }, statusCell(task.status))
}
