/**
 * `neo task start, retry, cancel, done, fail`: what a person does by changing `status:` in the file.
 * Takes names; the daemon's hub moves the tasks, or one line of each file is changed, and one of the `neo:` block where
 * words go with it. Leaves to the daemon: stopping what runs, starting what can start, committing it as the person's.
 * Invariant 1: Neo's own keys stay as they are but for those words: a block older than Neo's would count as an old
 * editor buffer and start nothing.
 */
import { join } from 'node:path'
import { NeoError } from '../../core/model/error.ts'
import type { TaskStatus } from '../../core/model/task.ts'
import { editDocument } from '../../formats/edit.ts'
import type { ParamsOf } from '../../hub/table.ts'
import { editFile } from '../edit-file.ts'
import { openAct } from '../rpc/act.ts'
import type { Call, Command } from '../spec.ts'
import { type Desk, openDesk, parseTask } from './open.ts'
import { labelOf } from './paths.ts'
import { type Shown, shownTask, shownView, statusCell } from './view.ts'

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
    const act = openAct(call, desk)
    const paths: string[] = []
    for (const typed of call.args) paths.push(await desk.find(typed))
    const changed: Changed[] = []
    for (const path of new Set(paths)) {
      const how = { verb, message: messageOf(call) }
      const { status: was } = desk.read(path)
      refuse(path, was, verb)
      changed.push(
        await act({
          ...asked(path, how),
          shown: (view) => ({ was, is: shownView(view) }),
          byFiles: () => change(desk, path, how),
        }),
      )
    }
    call.out.data(
      `task.${verb}`,
      changed.map(({ is }) => is.data),
    )
    for (const one of changed) sayChange(call, one)
    return 0
  }
}

function messageOf(call: Call): string | null {
  const message = call.text('message')
  return message === null ? null : oneLine(message)
}

interface How {
  readonly verb: Verb
  readonly message: string | null
}

interface Changed {
  readonly was: TaskStatus
  readonly is: Shown
}

type Asked = `task.${'start' | 'retry' | 'cancel' | 'complete' | 'fail'}`

/** What the hub calls it. */
function asked(taskId: string, { verb, message }: How): { method: Asked; params: ParamsOf<Asked> } {
  const words = message === null || message === '' ? undefined : message
  switch (verb) {
    case 'done':
      return { method: 'task.complete', params: { taskId, result: words } }
    case 'fail':
      return { method: 'task.fail', params: { taskId, error: words } }
    case 'start':
    case 'retry':
    case 'cancel':
      return { method: `task.${verb}`, params: { taskId } }
  }
}

function change(desk: Desk, path: string, how: How): Changed {
  const full = join(desk.home, path)
  let was: TaskStatus = 'pending'
  editFile(desk.files, full, (text, bytes) => {
    was = parseTask(path, bytes, desk.zone).status
    refuse(path, was, how.verb)
    const key = how.verb === 'done' ? 'result' : 'error'
    const words = how.message === null ? {} : { neo: { [key]: how.message } }
    const status = TO[how.verb]
    if (was === status && how.message === null) return null
    return editDocument(text, { set: { status }, ...words })
  })
  return { was, is: shownTask(path, desk.read(path)) }
}

/** What would make no sense is said, not done. */
function refuse(path: string, status: TaskStatus, verb: Verb): void {
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

function sayChange({ out }: Call, { was, is: { path, status } }: Changed): void {
  const label = labelOf(path)
  if (was === status) out.line(label, 'is already', statusCell(status))
  else out.line(label, { text: `${was} →`, style: 'dim' }, statusCell(status))
}
