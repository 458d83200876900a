/**
 * `neo task start, retry, cancel, done, fail, delete`: changes tasks through the hub. Git keeps the history of a deleted
 * task; a daemon stops what runs for it.
 */
import type { TaskStatus } from '../../domain/task/task.ts'
import type { HubClient } from '../../client/hub-client.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call, Command } from '../spec.ts'
import { openTaskLookup } from './task-lookup.ts'
import { labelOf } from './task-paths.ts'
import { type Shown, shownView, statusCell } from './task-cells.ts'

export type Verb = 'start' | 'retry' | 'cancel' | 'done' | 'fail'

export function setStatus(verb: Verb): Command {
  return async (call) => {
    const lookup = await openTaskLookup(call)
    const paths: string[] = []
    for (const typed of call.args) paths.push(await lookup.find(typed))
    const changed: Changed[] = []
    await withHub(call, async (hub) => {
      for (const path of new Set(paths)) {
        const { status: was } = lookup.read(path)
        changed.push({ was, is: await moved(hub, path, { verb, message: messageOf(call) }) })
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

async function moved(hub: HubClient, taskId: string, { verb, message }: How): Promise<Shown> {
  const words = message === null || message === '' ? undefined : message
  switch (verb) {
    case 'done':
      return shownView(await hub.call('task.complete', { taskId, result: words }))
    case 'fail':
      return shownView(await hub.call('task.fail', { taskId, error: words }))
    case 'start':
    case 'retry':
    case 'cancel':
      return shownView(await hub.call(`task.${verb}`, { taskId }))
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function sayChange({ out }: Call, { was, is: { path, status } }: Changed): void {
  const label = labelOf(path)
  if (was === status) out.line(label, 'is already', statusCell(status))
  else out.line(label, { text: `${was} →`, style: 'dim' }, statusCell(status))
}

export async function remove(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const paths: string[] = []
  for (const typed of call.args) paths.push(await lookup.find(typed))
  const unique = [...new Set(paths)]
  await withHub(call, async (hub) => {
    for (const path of unique) await hub.call('task.delete', { taskId: path })
  })
  call.out.data('task.delete', unique)
  for (const path of unique) call.out.line(path, { text: 'is deleted; git keeps its history', style: 'dim' })
  return 0
}
