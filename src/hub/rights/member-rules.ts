/**
 * The rules that policy is given for one resource: members, approvers and workspaces, as the home's own files say.
 * Invariant 1: rules come from files of the home's branch alone, which no session can write. Tokens of members: one each,
 * for the page and the API. Invariant 2: a token is stored as its hash, in a file of mode 600. Invariant 3: a revoked token
 * is over at once, also for cookies that came from it.
 */

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Rules } from '../../domain/policy/policy-acts.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import type { Member } from '../../files/kinds/read-member.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'
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

export interface MemberTokens {
  /** A new one, in place of an earlier one. */
  make(member: string): string
  /** False if there was none. */
  revoke(member: string): boolean
  /** The member whose token has this SHA-256; null: nobody's. */
  of(hash: string): string | null
  /** Members that have one. */
  holders(): ReadonlySet<string>
}

interface Kept {
  readonly member: string
  readonly hash: string
  readonly createdAt: string
}

/** Says in logs and scanners of secrets what it is. */
const PREFIX = 'neo_member_'

export function openMemberTokens(
  files: Pick<Files, 'readJson' | 'writeJson'>,
  clock: Pick<Clock, 'now'>,
  dir: string,
): MemberTokens {
  const path = join(dir, 'member-tokens.json')
  const all = (): readonly Kept[] => {
    const read = files.readJson(path)
    return Array.isArray(read) ? read.filter(isKept) : []
  }
  const without = (member: string) => all().filter((one) => one.member !== member)
  return {
    make(member) {
      const token = PREFIX + randomBytes(32).toString('base64url')
      const hash = createHash('sha256').update(token).digest('hex')
      const createdAt = new Date(clock.now()).toISOString()
      files.writeJson(path, [...without(member), { member, hash, createdAt }])
      return token
    },
    revoke(member) {
      const others = without(member)
      if (others.length === all().length) return false
      files.writeJson(path, others)
      return true
    },
    of: (hash) => all().find((one) => one.hash === hash)?.member ?? null,
    holders: () => new Set(all().map(({ member }) => member)),
  }
}

function isKept(value: unknown): value is Kept {
  const { member, hash } = (value ?? {}) as Partial<Kept>
  return typeof member === 'string' && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)
}
