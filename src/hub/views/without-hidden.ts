/**
 * What callers with access to some rooms learn of the others: nothing. Invariant 1: a member, and Neo while it answers
 * one, find things among the rooms that they see: a name means the same to them, whatever hidden rooms hold. Invariant 2:
 * what isn't there is ruled on as what is in a room that they don't see (NOWHERE), in the same words. Invariant 3: an
 * error that lists tasks of several rooms tells a caller only of those that they see.
 */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Principal, Resource, Rules } from '../../domain/policy/policy-acts.ts'
import { auditedAs, type HubEnv, look } from '../env.ts'
import { HubError } from '../hub.ts'
import { membersOf } from '../rights/member-rules.ts'
import { answersMember, findRoom, sees } from './find-in-home.ts'
import { scopeNamed } from './scopes-at.ts'

/** The room of what isn't there. */
export const NOWHERE = ''

/** True for a member who sees some rooms only, and for Neo while it answers one. */
export function isLimited(env: HubEnv, principal: Principal): boolean {
  const isMember = principal.kind === 'member' || answersMember(principal)
  return isMember && !sees(speakerOf(principal), NOWHERE, membersOf(env))
}

/** Neo in any room: that it acts in its own alone is no secret. */
function speakerOf(principal: Principal): Principal {
  return principal.kind === 'neo' ? { ...principal, room: LOBBY } : principal
}

/** All looks are one, of what the caller sees. */
export async function seenBy(env: HubEnv, principal: Principal): Promise<HubEnv> {
  return { ...env, looks: 'once', looked: seenPart(env, await look(env), principal) }
}

interface Part {
  readonly members: Rules['members']
  readonly snapshot: Snapshot
}

const parts = new WeakMap<Snapshot, Map<string, Part>>()

/** The rooms that the caller sees, and those in which they decide requests. */
export function seenPart(env: HubEnv, snapshot: Snapshot, principal: Principal): Snapshot {
  const members = membersOf(env)
  const made = parts.get(snapshot) ?? new Map<string, Part>()
  parts.set(snapshot, made)
  const key = auditedAs(principal)
  const known = made.get(key)
  if (known?.members === members) return known.snapshot
  const part = onlyRooms(snapshot, (room) => {
    const { approvers = [] } = snapshot.rooms.get(room)?.room ?? {}
    return (
      sees(speakerOf(principal), room, members) ||
      (principal.kind === 'member' && approvers.includes(principal.id))
    )
  })
  made.set(key, { members, snapshot: part })
  return part
}

function onlyRooms(snapshot: Snapshot, isSeen: (room: string) => boolean): Snapshot {
  const seen = new Map<string, boolean>()
  const isIn = (room: string): boolean => {
    const known = seen.get(room) ?? isSeen(room)
    seen.set(room, known)
    return known
  }
  const only = <T extends { readonly room: string }>(files: ReadonlyMap<string, T>) =>
    new Map([...files].filter(([, { room }]) => isIn(room)))
  const isShown = (path: string) => isIn(/^rooms\/([^/]+)\//.exec(path)?.[1] ?? NOWHERE)
  const { rooms, open, schedules } = snapshot
  return {
    ...snapshot,
    rooms: new Map([...rooms].filter(([name]) => isIn(name))),
    tasks: only(snapshot.tasks),
    ...(open === undefined ? {} : { open: only(open) }),
    asks: only(snapshot.asks),
    inbox: only(snapshot.inbox),
    ...(schedules === undefined ? {} : { schedules: only(schedules) }),
    deleted: snapshot.deleted.filter(({ room }) => isIn(room)),
    problems: snapshot.problems.filter(({ file }) => isShown(file)),
    invalid: new Set([...snapshot.invalid].filter(isShown)),
  }
}

/** What `find` finds among what the caller sees; NOWHERE for nothing. */
export function aboutSeen<R extends Resource>(
  env: HubEnv,
  snapshot: Snapshot,
  { principal, find }: { readonly principal: Principal; readonly find: (seen: Snapshot) => R },
): R | { readonly room: string } {
  if (!isLimited(env, principal)) return find(snapshot)
  try {
    return find(seenPart(env, snapshot, principal))
  } catch (error) {
    if (error instanceof HubError && !listsSeen(error)) return { room: NOWHERE }
    throw error
  }
}

/** A name that several have among what the caller sees. */
export function listsSeen({ data }: HubError): boolean {
  return typeof data === 'object' && data !== null && ('paths' in data || 'ids' in data)
}

/** What a call that found nothing is about: the room that it names, if the caller sees it; else Neo's own, or NOWHERE. */
export function aboutNothing(
  env: HubEnv,
  seen: Snapshot,
  { principal, params }: { readonly principal: Principal; readonly params: unknown },
): Resource {
  const named = params as Readonly<Record<string, unknown>>
  const { scopeId } = named
  const room = roomNamed(seen, named) ?? (principal.kind === 'neo' ? principal.room : NOWHERE)
  return typeof scopeId === 'string' ? { room, scope: scopeNamed(env, scopeId) } : { room }
}

function roomNamed(seen: Snapshot, { roomId, ...ids }: Readonly<Record<string, unknown>>): string | null {
  const [id] = [ids['taskId'], ids['askId'], ids['memoryId']].filter((one) => typeof one === 'string')
  const [first = '', second, third] = (id ?? '').split('/')
  const name = roomId ?? (first === 'rooms' && third !== undefined ? second : second && first)
  try {
    return typeof name === 'string' ? findRoom(seen, name).name : null
  } catch {
    return null
  }
}

/** What a caller named, in the words of what policy decided about: a copy of it in a hidden room is never meant. */
export function boundTo(params: unknown, { room, target }: Resource): unknown {
  if (typeof params !== 'object' || params === null) return params
  const own: Record<string, unknown> = { ...params }
  if (typeof own['roomId'] === 'string' && target === undefined && room !== null) own['roomId'] = room
  for (const key of ['taskId', 'askId', 'memoryId'])
    if (key in own && target !== undefined) own[key] = target.path
  return own
}

/** The result of `find`. Throws what it throws, without what the caller doesn't see. */
export async function withoutHidden<T>(
  env: HubEnv,
  principal: Principal,
  find: () => T | Promise<T>,
): Promise<T> {
  try {
    return await find()
  } catch (error) {
    throw error instanceof HubError ? shownTo(env, principal, error) : error
  }
}

function shownTo(env: HubEnv, principal: Principal, error: HubError): HubError {
  const { paths, ids } = (error.data ?? {}) as { readonly paths?: readonly string[]; readonly ids?: unknown }
  if (principal.kind === 'human' || (paths === undefined && ids === undefined)) return error
  const members = membersOf(env)
  const seen = paths?.filter((path) => sees(principal, path.split('/')[1] ?? '', members)) ?? []
  if (paths !== undefined && seen.length === paths.length) return error
  return new HubError(error.code, 'Cannot tell which task this is: use its id', { paths: seen })
}
