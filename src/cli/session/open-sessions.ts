/**
 * Sessions: their files in rooms, and the records of running ones. Invalid files are left out; `neo config check` names
 * them.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { SessionFile, SessionRecord } from '../../domain/session/session.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { labelOf, partsOf, roomNames } from '../task/task-paths.ts'
import type { Call } from '../spec.ts'
import type { Opened } from '../with-world.ts'

export interface Session {
  readonly id: string
  readonly room: string
  /** Path of its file, relative to the home. */
  readonly path: string
  readonly file: SessionFile
  /** Until the end of the session is written into its task. */
  readonly record: SessionRecord | null
}

/** All sessions, newest first. */
export function allSessions({ home, world, dir }: Opened, room: string | null): readonly Session[] {
  const rooms = room === null ? roomNames(home, world.files) : [room]
  const seats = openIdleSessions({ world, dir })
  const sessions = rooms.flatMap((name) =>
    world.files
      .names(join(home, 'rooms', name, 'sessions'))
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        const path = `rooms/${name}/sessions/${file}`
        const read = world.files.read(join(home, path), MAX_BYTES)
        const session = read.kind === 'file' ? readSession(path, read.bytes) : null
        if (session?.kind !== 'ok') return []
        const { id } = session.value
        const record = recordOf({ world, dir }, id)
        const waits = record === null && seats.get(id) !== null
        return [{ id, room: name, path, file: waits ? waiting(session.value) : session.value, record }]
      }),
  )
  return sessions.toSorted((a, b) => (a.file.startedAt < b.file.startedAt ? 1 : -1))
}

/** A session that waits for its next task is open, however the last one ended (as in hub/views/sessions-at.ts). */
function waiting({ endedAt: _, ...file }: SessionFile): SessionFile {
  return { ...file, status: 'waiting_for_input' }
}

function recordOf({ world, dir }: Pick<Opened, 'world' | 'dir'>, id: string): SessionRecord | null {
  if (!/^[\w-]+$/.test(id)) return null
  const record = world.files.readJson(join(dir, 'sessions', id, 'record.json'))
  return record as SessionRecord | null
}

/** By id, by the path of its file, or by the name of its task: then the newest. Throws NeoError `missing`. */
export async function findSession(call: Call, opened: Opened, typed: string): Promise<Session> {
  const all = allSessions(opened, null)
  const direct = all.find(({ id, path }) => id === typed || path === typed)
  if (direct !== undefined) return direct
  const lookup = await openTaskLookup(call)
  const path = await lookup.find(typed).catch((error: unknown) => {
    if (error instanceof NeoError && error.code === 'missing')
      throw new NeoError(
        'missing',
        `Cannot find the session "${typed}": no session and no task has this name or id`,
        { next: 'neo session list' },
      )
    throw error
  })
  const { neo } = lookup.read(path)
  const own = all.find(({ file }) => file.task === neo.id)
  if (own === undefined)
    throw new NeoError('missing', `Cannot find a session of "${labelOf(path)}": it has not run`, {
      next: `neo task start ${labelOf(path)}`,
    })
  return own
}

/** The task's name while its record exists, else its id. */
export function taskNameOf({ record, file }: Session): string {
  return record === null ? file.task : `${partsOf(record.taskPath).room}/${record.taskName}`
}
