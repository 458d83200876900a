/**
 * Reports the end of a task to the conversation that started it. Invariant 1: each end is reported once, over kills.
 * Invariant 2: with the rights that the speaker has then, or not at all. Invariant 3: if a guard checks what is sent, the
 * result is not shown, because no guard has seen it.
 */

import { markOf } from '../../domain/plan/plan-neo.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { ENDED } from '../../domain/task/task.ts'
import type { Context } from '../../engine/context.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import type { StartedTask } from '../../engine/people/scope-board.ts'
import { scopeAt, scopeStore } from '../../engine/people/scope-store.ts'
import { type Hub, HubError } from '../../hub/hub.ts'
import { placeOf, principalOf } from '../channel-message.ts'
import type { Sending } from './outbound.ts'

export interface TaskEndsOptions {
  readonly context: Context
  readonly hub: Pick<Hub, 'call'>
  readonly sending: Pick<Sending, 'put'>
}

export interface TaskEnds {
  saw(snapshot: Snapshot): void
  close(): Promise<void>
}

const MOST_LETTERS = 2_000

export function openTaskEnds(options: TaskEndsOptions): TaskEnds {
  const { context } = options
  const { tasks } = context.scopes
  const telling = new Map<string, Promise<void>>()
  const begin = (id: string, file: TaskFile, of: StartedTask): void => {
    if (telling.has(id)) return
    const work = tell(options, file, { id, ...of })
      .catch(() =>
        context.emit({ kind: 'trouble', text: `${of.scope}: could not report the end of ${id}; retrying` }),
      )
      .finally(() => telling.delete(id))
    telling.set(id, work)
  }
  return {
    saw(snapshot) {
      const open = tasks.all()
      if (open.size === 0) return
      for (const file of snapshot.tasks.values()) {
        const { id = '' } = file.task.neo
        const of = open.get(id)
        if (of !== undefined && ENDED.has(file.task.status) && of.told !== markOf(file)) begin(id, file, of)
      }
    },
    close: async () => void (await Promise.all(telling.values())),
  }
}

async function tell(
  { context, hub, sending }: TaskEndsOptions,
  file: TaskFile,
  { id, scope: name, speaker }: StartedTask & { readonly id: string },
): Promise<void> {
  const { task } = file
  const scope = scopeAt(scopeStore(context), name)
  const place = placeOf(scope.key)
  if (place !== null && (await mayHear(hub, principalOf(speaker), { task: id, scope: name }))) {
    const member = membersIn(context).find((one) => `member:${one.id}` === speaker)
    const isGuarded = scope.guards.out !== undefined || member?.guards.out !== undefined
    const { title, status, neo } = task
    const said = isGuarded ? '' : (neo.result ?? neo.error ?? '').trim()
    const head = `**${title}** ${status === 'failed' ? 'failed' : `is ${status}`}.`
    const content = redact(`${head}${said === '' ? '' : `\n\n${said.slice(0, MOST_LETTERS)}`}`)
    sending.put({ key: `ended:${id}:${markOf(file)}`, ...place, content })
  }
  context.scopes.tasks.ended(id, markOf(file))
}

/** What is asked of the hub is decided and recorded there. */
async function mayHear(
  hub: Pick<Hub, 'call'>,
  who: Principal,
  { task, scope }: { readonly task: string; readonly scope: string },
): Promise<boolean> {
  try {
    const { roomId } = (await hub.call(who, 'task.get', { taskId: task })) as { readonly roomId: string }
    await hub.call(who, 'scope.get', { scopeId: scope, roomId })
    return true
  } catch (error) {
    if (error instanceof HubError) return false
    throw error
  }
}
