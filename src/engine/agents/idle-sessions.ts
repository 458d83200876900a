/**
 * Sessions that wait for tasks: a folder each, `<git dir>/neo/seats/<id>/`. A task that is given to one runs under its
 * id and in its worktree, which stays for the next. Invariant 1: a seat is on disk before a task is given to it, so a
 * kill in between gives the task no other one. Invariant 2: what is said to it while it waits is kept in it, and handed
 * to the next task once.
 */
import { join } from 'node:path'
import type { Delivery } from '../../domain/session/session.ts'
import type { Files } from '../../ports/world.ts'
import { openMailbox } from '../../agent/mailbox.ts'
import type { Context } from '../context.ts'

export interface Seat {
  readonly v: 1
  readonly id: string
  readonly room: string
  /** Null: as the task and its room say. */
  readonly worker: string | null
  readonly model: string | null
  readonly workspace: string | null
  readonly startedAt: string
  /** The workspace that its worktree is of; null before its first task. */
  readonly place: string | null
  /** Id of the task that it was given last. */
  readonly task: string | null
  readonly messages: readonly Delivery[]
}

export interface Seats {
  get(id: string): Seat | null
  all(): readonly Seat[]
  /** The seat that this task was given to. */
  ofTask(task: string): Seat | null
  put(seat: Seat): void
  remove(id: string): void
}

const ID = /^s-[a-z0-9]{1,40}$/

export function openSeats({
  world,
  dir,
}: {
  readonly world: { readonly files: Pick<Files, 'names' | 'readJson' | 'writeJson' | 'removeTree'> }
  /** `<git dir>/neo` */
  readonly dir: string
}): Seats {
  const { files } = world
  const folder = join(dir, 'seats')
  const get = (id: string): Seat | null => {
    const read = ID.test(id) ? (files.readJson(join(folder, id, 'seat.json')) as Seat | null) : null
    return read?.v === 1 && read.id === id ? read : null
  }
  const all = (): readonly Seat[] => files.names(folder).flatMap((id) => get(id) ?? [])
  return {
    get,
    all,
    ofTask: (task) => all().find((seat) => seat.task === task) ?? null,
    put: (seat) => files.writeJson(join(folder, seat.id, 'seat.json'), seat),
    remove(id) {
      if (ID.test(id)) files.removeTree(join(folder, id))
    },
  }
}

/** What the mailbox of a session that has run holds was handed over, though a crash left it with the seat as well. */
export function takeHeard(context: Context, session: string): void {
  const seats = openSeats(context)
  const seat = seats.get(session)
  if (seat === null || seat.messages.length === 0) return
  const mail = openMailbox(context.world.files, context.sessions.dir(session)).messages()
  const heard = new Set(mail.map(({ key }) => key))
  const messages = seat.messages.filter(({ key }) => !heard.has(key))
  if (messages.length < seat.messages.length) seats.put({ ...seat, messages })
}
