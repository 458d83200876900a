/** The sessions of the home as their files tell them: `rooms/<room>/sessions/<id>.md`. */
import { join } from 'node:path'
import type { SessionFile } from '../../domain/session/session.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import type { HubEnv } from '../env.ts'
import { missing } from './find-in-home.ts'

export type SessionAt = SessionFile & { readonly room: string }

const ID = /^[A-Za-z0-9][\w-]{0,63}$/

export function sessionIds({ context }: HubEnv, room: string): readonly string[] {
  return context.world.files
    .names(join(context.home, 'rooms', room, 'sessions'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -3))
    .filter((id) => ID.test(id))
    .toSorted()
}

/** Null if there is no such file, or it does not read. */
export function sessionAt({ context }: HubEnv, room: string, id: string): SessionAt | null {
  const path = `rooms/${room}/sessions/${id}.md`
  const read = context.world.files.read(join(context.home, path), MAX_BYTES)
  if (read.kind !== 'file') return null
  const session = readSession(path, read.bytes)
  return session.kind === 'ok' ? asItIs(context, { ...session.value, room }) : null
}

/** One that waits for its next task does so, whatever became of the last one. */
function asItIs(context: HubEnv['context'], session: SessionAt): SessionAt {
  const waits =
    !context.sessions.facts().has(session.id) && openIdleSessions(context).get(session.id) !== null
  if (!waits) return session
  const { endedAt: _, ...rest } = session
  return { ...rest, status: 'waiting_for_input' }
}

/** Newest first. */
export function sessionsOf(env: HubEnv, room: string): readonly SessionAt[] {
  return sessionIds(env, room)
    .flatMap((id) => sessionAt(env, room, id) ?? [])
    .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0))
}

/** Looks in all of these rooms. Throws HubError `missing`. */
export function findSession(env: HubEnv, rooms: readonly string[], id: string): SessionAt {
  if (ID.test(id)) {
    const known = env.context.sessions.facts().get(id)?.record.room
    for (const room of known === undefined ? rooms : [known]) {
      const found = sessionAt(env, room, id)
      if (found !== null) return found
    }
  }
  throw missing('session', id)
}
