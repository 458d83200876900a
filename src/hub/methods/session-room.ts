/**
 * room.assignSession, room.unassignSession: which room a session belongs to. Invariant 1: refused while a task runs
 * in it: what runs knows its room.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { LOBBY } from '../../domain/policy/policy.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import { commit } from '../changes/compare-and-write.ts'
import { type Actor, type HubEnv, look, method } from '../env.ts'
import { aboutSession } from '../views/about.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { findRoom, findSession, roomNames, type SessionAt } from '../views/find-in-home.ts'
import { roomId, type SessionView, sessionId, sessionView } from '../views/shapes.ts'
import { viewSession } from '../views/views.ts'

export const roomAssignSession = method({
  name: 'room.assignSession',
  summary: 'Move a session into a room',
  details:
    'Moves its file and its transcript. For a session that has ended, or that waits for its first task. Refused while a task runs in it.',
  params: z.strictObject({ sessionId, roomId }),
  result: sessionView,
  act: 'move-session',
  resource: async (env, { sessionId, roomId }) => {
    const snapshot = await look(env)
    // Both rooms are there; the one that it is taken out of is the one that loses something.
    findRoom(snapshot, roomId)
    return { room: findSession(env, roomNames(snapshot), sessionId).room, session: sessionId }
  },
  run: (env, { sessionId, roomId }, actor) => move(env, actor, { sessionId, roomId }),
})

export const roomUnassignSession = method({
  name: 'room.unassignSession',
  summary: 'Move a session back to the lobby',
  details:
    'Moves its file and its transcript. For a session that has ended, or that waits for its first task. Refused while a task runs in it.',
  params: z.strictObject({ sessionId }),
  result: sessionView,
  act: 'move-session',
  resource: aboutSession,
  run: (env, { sessionId }, actor) => move(env, actor, { sessionId, roomId: LOBBY }),
})

/** Whole transcripts are moved; a larger one stays local in any case. */
const MOST_BYTES = 64 * 1024 * 1024

async function move(
  env: HubEnv,
  actor: Actor,
  of: { readonly sessionId: string; readonly roomId: string },
): Promise<SessionView> {
  const snapshot = await look(env)
  const to = findRoom(snapshot, of.roomId).name
  const session = findSession(env, roomNames(snapshot), of.sessionId)
  if (session.room === to) return viewSession(session, undefined)
  const idle = openIdleSessions(env.context).get(session.id)
  if (idle !== null && idle.place !== null) throw busy(session, 'its worktree belongs to this room')
  if (env.context.sessions.facts().has(session.id))
    throw busy(session, 'a task runs in it; stop the session first')
  const paths = (room: string) => [
    `rooms/${room}/sessions/${session.id}.md`,
    `rooms/${room}/transcripts/${session.id}.jsonl`,
  ]
  const targets = paths(to)
  const changes = paths(session.room).flatMap((from, at) => moved(env, from, targets[at] ?? ''))
  await commit(env, actor, {
    room: to,
    what: `move session ${session.id}`,
    says: `from ${session.room}`,
    event: 'move-session',
    trailers: [['Neo-Session', session.id]],
    changes,
    lost: whyNot(session, 'its file is being edited, or it already exists there'),
  })
  if (idle !== null) openIdleSessions(env.context).put({ ...idle, room: to })
  return viewSession({ ...session, room: to }, undefined)
}

function busy(session: SessionAt, why: string): HubError {
  return new HubError(HUB_CODES.busy, whyNot(session, why))
}

function whyNot({ id }: SessionAt, why: string): string {
  return `Cannot move the session "${id}": ${why}`
}

function moved({ context }: HubEnv, from: string, to: string): FileChange[] {
  const { files, git } = context.world
  const read = files.read(join(context.home, from), MOST_BYTES)
  if (read.kind !== 'file') return []
  return [
    { path: from, before: git.blobId(read.bytes), after: null },
    { path: to, before: null, after: read.bytes.toString('utf8') },
  ]
}
