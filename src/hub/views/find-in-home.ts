/**
 * Finding rooms, tasks, asks and sessions by what a client calls them. Invariant 1: a room is found by its folder or its
 * own id, a task by id, path, name or `room/name`; never by a guess. A name is also found as clients are shown it,
 * without the known secrets in it. Invariant 2: nothing here leads out of `rooms/`: names are looked up, not joined.
 * Invariant 3: when a file was last committed is asked once for a commit of the home, because it costs a process.
 */

import { join } from 'node:path'
import type { AskFile, RoomFile, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { type ScopeSpeaker, speakersOf } from '../../domain/policy/scope-types.ts'
import type { Room } from '../../domain/room/room.ts'
import { maskSure } from '../../domain/secrets/known-secrets.ts'
import { MASK } from '../../domain/secrets/mask-literals.ts'
import type { SessionFile } from '../../domain/session/session.ts'
import { findTask, indexTasks } from '../../domain/task/depends.ts'
import { unreadRoom } from '../../domain/task/readiness.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { readSession } from '../../files/kinds/read-session.ts'
import type { Git } from '../../ports/git-port.ts'
import type { HubEnv } from '../env.ts'
import { HUB_CODES, HubError } from '../hub.ts'

/** A room with its file; `file` is null for a folder without ROOM.md, which has all defaults. */
export interface RoomAt {
  readonly name: string
  readonly room: Room
  readonly file: RoomFile | null
}

export function missing(what: string, id: string): HubError {
  return new HubError(HUB_CODES.missing, `Cannot find the ${what} "${id}"`)
}

export function roomNames(snapshot: Snapshot): readonly string[] {
  const tasks = [...snapshot.tasks.values()].map(({ room }) => room)
  return [...new Set([LOBBY, ...snapshot.rooms.keys(), ...tasks])].toSorted()
}

/** Throws HubError `missing`, and `busy` if the room's settings can't be read: defaults may be too permissive. */
export function findRoom(snapshot: Snapshot, id: string): RoomAt {
  const own = [...snapshot.rooms.values()].find(({ room }) => room.neo.id === id)
  const name = own?.name ?? nameShownAs(snapshot, id)
  const unread = unreadRoom(snapshot, name)
  if (unread !== null)
    throw new HubError(HUB_CODES.busy, `Cannot use the room "${id}": it waits for ${unread}`)
  if (!roomNames(snapshot).includes(name)) throw missing('room', id)
  return roomAt(snapshot, name)
}

/** Clients are shown names without the known secrets in them, and call things by what they are shown. */
function nameShownAs(snapshot: Snapshot, id: string): string {
  if (!id.includes(MASK)) return id
  return roomNames(snapshot).find((name) => maskSure(name) === id) ?? id
}

/** Throws HubError `missing` where several are shown so. */
function taskShownAs(snapshot: Snapshot, id: string): TaskFile | undefined {
  if (!id.includes(MASK)) return undefined
  const found = [...snapshot.tasks.values()].filter(({ path, room, name }) =>
    [path, `${room}/${name}`, name].some((text) => maskSure(text) === id),
  )
  if (found.length > 1)
    throw new HubError(HUB_CODES.missing, `More than one task is called "${id}": use an id`, {
      ids: found.map(({ task }) => task.neo.id ?? null),
    })
  return found[0]
}

export function roomAt(snapshot: Snapshot, name: string): RoomAt {
  const file = snapshot.rooms.get(name) ?? null
  return { name, room: file?.room ?? bareRoom(name), file }
}

function bareRoom(name: string): Room {
  const read = readRoom(`rooms/${name}/ROOM.md`, `# ${name}\n`, name)
  if (read.kind !== 'ok') throw new HubError(HUB_CODES.internal, 'Cannot read the defaults of a room')
  return { ...read.value, body: '' }
}

/** Throws HubError `missing`, also if several tasks have this name. */
export function taskOf(snapshot: Snapshot, id: string): TaskFile {
  const byPath = snapshot.tasks.get(id)
  if (byPath !== undefined) return byPath
  const index = indexTasks(snapshot.tasks.values())
  const original = index.originals.get(id) ?? index.byId.get(id)?.[0]
  if (original !== undefined) return original
  const shown = taskShownAs(snapshot, id)
  if (shown !== undefined) return shown
  const found = findTask(index, id, '')
  if (found.kind === 'one') return found.file
  if (found.kind === 'none') throw missing('task', id)
  throw new HubError(
    HUB_CODES.missing,
    `Cannot tell which task "${id}" is: ${found.paths.length} have this name`,
    {
      paths: found.paths,
    },
  )
}

/** By id or path. Throws HubError `missing`, and `busy` where several open files claim the id: one of them is a copy. */
export function askOf(snapshot: Snapshot, id: string): AskFile {
  const byPath = snapshot.asks.get(id)
  if (byPath !== undefined) return byPath
  const found = [...snapshot.asks.values()].filter(({ ask }) => ask.id === id)
  const open = found.filter(({ ask }) => ask.handledAt === undefined)
  if (open.length > 1)
    throw new HubError(
      HUB_CODES.busy,
      `Cannot tell which request "${id}" is: ${open.length} files have this id`,
      {
        paths: open.map(({ path }) => path),
      },
    )
  const [file = found[0]] = open
  if (file === undefined) throw missing('request', id)
  return file
}

/** Whether a caller may see a room at all; lists hold only these. */
export function sees(principal: Principal, room: string, members: ReadonlyMap<string, MemberRooms>): boolean {
  switch (principal.kind) {
    case 'human':
    case 'editor':
      return true
    case 'neo':
      return (
        (principal.room === LOBBY || principal.room === room) &&
        speakersFor(principal).every((speaker) => seesAs(speaker, room, members))
      )
    case 'session':
      return principal.room === room
    case 'member':
      return seesAs(`member:${principal.id}`, room, members)
    case 'peer':
      return false
  }
}

/** What the whole home remembers: not for members with access to some rooms only, nor for Neo if it answers them. */
export function seesShared(principal: Principal, members: ReadonlyMap<string, MemberRooms>): boolean {
  if (principal.kind === 'session') return true
  if (principal.kind !== 'neo') return sees(principal, LOBBY, members)
  return speakersFor(principal).every((speaker) => seesAs(speaker, LOBBY, members))
}

/** Whom Neo answers; empty if it acts by itself. */
function speakersFor(principal: Principal): readonly ScopeSpeaker[] {
  const onBehalfOf = principal.kind === 'neo' ? principal.onBehalfOf : undefined
  return onBehalfOf === undefined ? [] : speakersOf(onBehalfOf)
}

/** True where Neo answers somebody else than the owner. */
export function answersMember(principal: Principal): boolean {
  return speakersFor(principal).some((speaker) => speaker !== 'human')
}

function seesAs(speaker: ScopeSpeaker, room: string, members: ReadonlyMap<string, MemberRooms>): boolean {
  if (speaker === 'human') return true
  const member = members.get(speaker.slice('member:'.length))
  return member !== undefined && (member.role === 'parent' || member.rooms.includes(room))
}

interface MemberRooms {
  readonly role: string
  readonly rooms: readonly string[]
}

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

interface Known {
  readonly commit: string
  readonly at: string | null
}

const MOST = 1_000
const known = new WeakMap<Git, Map<string, Known>>()

/** Null if no commit has it. */
export async function updatedAt(env: HubEnv, { git }: Snapshot, path: string): Promise<string | null> {
  const { git: history } = env.context.world
  const ask = async (): Promise<string | null> =>
    (await history.log({ paths: [path], limit: 1 }))[0]?.at ?? null
  // Elsewhere than on the home's branch nobody knows which commit counts.
  if (git.kind !== 'home') return ask()
  const times = known.get(history) ?? new Map<string, Known>()
  known.set(history, times)
  const before = times.get(path)
  if (before?.commit === git.commit) return before.at
  const at = await ask()
  if (times.size >= MOST) times.clear()
  times.set(path, { commit: git.commit, at })
  return at
}
