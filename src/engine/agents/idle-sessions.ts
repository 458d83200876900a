/**
 * Sessions that wait for their next task: a folder each, `<git dir>/neo/seats/<id>/`. A task that is assigned to one runs
 * under its id and in its worktree, which is kept. Invariants: 1. the assignment is on disk before the task starts, so a
 * kill in between assigns no other session; 2. a message that arrives while it waits goes to the next task, once.
 */
import { join } from 'node:path'
import { openMailbox } from '../../agent/mailbox.ts'
import type { Delivery } from '../../domain/session/session.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Context } from '../context.ts'

export interface IdleSession {
  readonly v: 1
  readonly id: string
  readonly room: string
  /** Null: by the task and its room. */
  readonly worker: string | null
  readonly model: string | null
  readonly workspace: string | null
  readonly startedAt: string
  /** The workspace of its worktree; null before its first task. */
  readonly place: string | null
  /** Id of its last task. */
  readonly task: string | null
  readonly messages: readonly Delivery[]
}

export interface IdleSessions {
  get(id: string): IdleSession | null
  all(): readonly IdleSession[]
  /** The session that this task was assigned to. */
  ofTask(task: string): IdleSession | null
  put(idle: IdleSession): void
  remove(id: string): void
}

const ID = /^s-[a-z0-9]{1,40}$/

export function openIdleSessions({
  world,
  dir,
}: {
  readonly world: { readonly files: Pick<Files, 'names' | 'readJson' | 'writeJson' | 'removeTree'> }
  /** `<git dir>/neo` */
  readonly dir: string
}): IdleSessions {
  const { files } = world
  const folder = join(dir, 'seats')
  const get = (id: string): IdleSession | null => {
    const read = ID.test(id) ? (files.readJson(join(folder, id, 'seat.json')) as IdleSession | null) : null
    return read?.v === 1 && read.id === id ? read : null
  }
  const all = (): readonly IdleSession[] => files.names(folder).flatMap((id) => get(id) ?? [])
  return {
    get,
    all,
    ofTask: (task) => all().find((idle) => idle.task === task) ?? null,
    put: (idle) => files.writeJson(join(folder, idle.id, 'seat.json'), idle),
    remove(id) {
      if (ID.test(id)) files.removeTree(join(folder, id))
    },
  }
}

/** Drops messages that are in the session's mailbox already: a crash may have left them here as well. */
export function dropDelivered(context: Context, session: string): void {
  const store = openIdleSessions(context)
  const idle = store.get(session)
  if (idle === null || idle.messages.length === 0) return
  const mail = openMailbox(context.world.files, context.sessions.dir(session)).messages()
  const heard = new Set(mail.map(({ key }) => key))
  const messages = idle.messages.filter(({ key }) => !heard.has(key))
  if (messages.length < idle.messages.length) store.put({ ...idle, messages })
}
