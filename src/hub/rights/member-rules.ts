/**
 * The rules that policy is given for one resource: members, approvers and workspaces, as the home's own files say.
 * Invariant 1: rules come from files of the home's branch alone, which no session can write.
 */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Rules } from '../../domain/policy/policy-acts.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import type { Member } from '../../files/kinds/read-member.ts'
import type { HubEnv } from '../env.ts'

export function rulesFor(env: HubEnv, snapshot: Snapshot, room: string | null): Rules {
  const own = room === null ? undefined : snapshot.rooms.get(room)?.room
  return {
    members: membersOf(env),
    approvers: own?.approvers ?? [],
    workspaces: [own?.workspace ?? DEFAULT_WORKSPACE, ...snapshot.config.daemon.workspaces],
  }
}

/** What was made of a list of members; the list is another one when a file has changed. */
const seen = new WeakMap<readonly Member[], Rules['members']>()

export function membersOf(env: HubEnv): Rules['members'] {
  const people = peopleOf(env)
  const known = seen.get(people)
  if (known !== undefined) return known
  const members = new Map(
    people.map((member) => [member.id, { role: member.role, rooms: roomsOf(member) }] as const),
  )
  seen.set(people, members)
  return members
}

/** Those whose files can be read. */
export function peopleOf({ context }: HubEnv): readonly Member[] {
  return membersIn(context)
}

/** `permissions: { rooms: [shop] }`, or the room's name with `allow`. */
function roomsOf({ permissions }: Member): readonly string[] {
  const { rooms, ...named } = permissions
  const listed = Array.isArray(rooms) ? rooms.filter((one): one is string => typeof one === 'string') : []
  const allowed = Object.entries(named).flatMap(([name, value]) => (value === 'allow' ? [name] : []))
  return [...listed, ...allowed]
}
