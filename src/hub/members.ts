/**
 * The rules that policy is given for one resource: members, approvers and workspaces, as the home's own files say.
 * Takes the picture and a room; gives Rules. Leaves to core/rules/policy.ts: what follows from them.
 * Invariant 1: rules come from files of the home's branch alone, which no session can write.
 */
import { join } from 'node:path'
import type { Snapshot } from '../core/model/snapshot.ts'
import type { Rules } from '../core/rules/policy.ts'
import { DEFAULT_WORKSPACE } from '../core/rules/settings.ts'
import { type Member, readMember } from '../formats/member.ts'
import { MAX_BYTES } from '../flow/transact.ts'
import type { HubEnv } from './env.ts'

export function rulesFor(env: HubEnv, snapshot: Snapshot, room: string | null): Rules {
  const own = room === null ? undefined : snapshot.rooms.get(room)?.room
  return {
    members: membersOf(env),
    approvers: own?.approvers ?? [],
    workspaces: [own?.workspace ?? DEFAULT_WORKSPACE, ...snapshot.config.daemon.workspaces],
  }
}

export function membersOf(env: HubEnv): Rules['members'] {
  return new Map(
    peopleOf(env).map((member) => [member.id, { role: member.role, rooms: roomsOf(member) }] as const),
  )
}

/** Those whose files can be read. */
export function peopleOf({ context }: HubEnv): readonly Member[] {
  const folder = join(context.home, 'workspace', 'members')
  const names = context.world.files
    .names(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
  return names.flatMap((name) => {
    const read = context.world.files.read(join(folder, name), MAX_BYTES)
    const member = read.kind === 'file' ? readMember(name, read.bytes) : null
    return member?.kind === 'ok' ? [member.value] : []
  })
}

/** `permissions: { rooms: [shop] }`, or the room's name with `allow`. */
function roomsOf({ permissions }: Member): readonly string[] {
  const { rooms, ...named } = permissions
  const listed = Array.isArray(rooms) ? rooms.filter((one): one is string => typeof one === 'string') : []
  const allowed = Object.entries(named).flatMap(([name, value]) => (value === 'allow' ? [name] : []))
  return [...listed, ...allowed]
}
