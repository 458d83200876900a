/** What a call is about, for policy: the home, or the room or session that it names; and the rooms that a list has. */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { type HubEnv, look } from '../env.ts'
import { membersOf } from '../rights/member-rules.ts'
import { findRoom, findSession, roomNames, type SessionAt, sees } from './find-in-home.ts'
import { findScope, scopeResource } from './scopes-at.ts'

export const aboutHome = async () => ({ room: null })

/** Throws HubError `missing`. */
export async function aboutRoom(env: HubEnv, { roomId }: { readonly roomId: string }) {
  return { room: findRoom(await look(env), roomId).name }
}

interface OnlyRoom {
  readonly roomId?: string | undefined
}

/** Of what may be limited to a room. */
export async function aboutOnlyRoom(env: HubEnv, { roomId }: OnlyRoom) {
  return roomId === undefined ? { room: null } : await aboutRoom(env, { roomId })
}

/** Throws HubError `missing`. */
export async function aboutSession(env: HubEnv, { sessionId }: { readonly sessionId: string }) {
  return { room: (await sessionNamed(env, sessionId)).room, session: sessionId }
}

/** Throws HubError `missing`. */
export async function sessionNamed(env: HubEnv, id: string): Promise<SessionAt> {
  return findSession(env, roomNames(await look(env)), id)
}

/** Throws HubError `missing`. */
export async function aboutScope(env: HubEnv, { scopeId, roomId }: OnlyRoom & { readonly scopeId: string }) {
  return { ...(await aboutOnlyRoom(env, { roomId })), scope: scopeResource(env, findScope(env, scopeId)) }
}

/** The room that a list is limited to; else all that the caller sees. */
export function listedRooms(
  env: HubEnv,
  snapshot: Snapshot,
  { roomId, principal }: OnlyRoom & { readonly principal: Principal },
): (room: string) => boolean {
  const only = roomId === undefined ? null : findRoom(snapshot, roomId).name
  const members = membersOf(env)
  return (room) => (only === null ? sees(principal, room, members) : room === only)
}
