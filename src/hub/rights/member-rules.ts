/**
 * The rules that policy is given for one resource: members, approvers and workspaces, as the home's own files say.
 * Invariant 1: rules come from files of the home's branch alone, which no session can write. Tokens of members: one each,
 * for the page and the API. Invariant 2: a token is stored as its hash, in a file of mode 600. Invariant 3: a token that is
 * revoked or past its date is over at once, also for cookies that came from it. Invariant 4: a suspended member is nobody.
 */

import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Rules } from '../../domain/policy/policy-acts.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import { peerIn } from '../../engine/people/peer-files.ts'
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
    peers: {
      known: { get: (id) => activePeer(env, id) },
      access: snapshot.config.access,
      now: env.context.world.clock.now(),
      approval: snapshot.config.agent?.approvalRequired ?? true,
    },
  }
}

/** Its file can be read, and it isn't revoked. */
function activePeer({ context }: HubEnv, id: string): { readonly role: string | null } | undefined {
  const peer = peerIn(context, id)
  return peer === null || peer.revoked ? undefined : { role: peer.role ?? null }
}

/** What was made of a list of members; the list is another one when a file has changed. */
const seen = new WeakMap<readonly Member[], Rules['members']>()

export function membersOf(env: HubEnv): Rules['members'] {
  const people = peopleOf(env)
  const known = seen.get(people)
  if (known !== undefined) return known
  const members = new Map(
    people
      .filter(({ suspended }) => suspended !== true)
      .map((member) => [member.id, { role: member.role, rooms: roomsOf(member) }] as const),
  )
  seen.set(people, members)
  return members
}

/** Those whose files can be read. */
export function peopleOf({ context }: HubEnv): readonly Member[] {
  return membersIn(context)
}

/** `permissions: { rooms: [shop] }`, or the room's name with `allow`. */
export function roomsOf({ permissions }: Member): readonly string[] {
  const { rooms, ...named } = permissions
  const listed = Array.isArray(rooms) ? rooms.filter((one): one is string => typeof one === 'string') : []
  const allowed = Object.entries(named).flatMap(([name, value]) => (value === 'allow' ? [name] : []))
  return [...listed, ...allowed]
}

export interface MemberTokens {
  /** A new one, in place of an earlier one. @param until epoch ms; null: it doesn't expire */
  make(member: string, until?: number | null): string
  /** False if there was none. */
  revoke(member: string): boolean
  /** The member whose token has this SHA-256; null: nobody's. */
  of(hash: string): string | null
  /** By member. A token that has expired is still listed. */
  all(): ReadonlyMap<string, TokenFacts>
  /** Notes that the token with this SHA-256 was used now; at most once in NOTED_MS. Never throws. */
  used(hash: string): void
}

export interface TokenFacts {
  /** ISO 8601; '' if an older version made it. */
  readonly createdAt: string
  readonly expiresAt: string | null
  /** Null: never, as far as it is known. */
  readonly lastUsedAt: string | null
}

interface Kept {
  readonly member: string
  readonly hash: string
  readonly createdAt?: string
  /** ISO 8601; absent: it doesn't expire. */
  readonly expiresAt?: string
}

const NOTED_MS = 10 * 60_000

/** Says in logs and scanners of secrets what it is. */
const PREFIX = 'neo_member_'

export function openMemberTokens(
  files: Pick<Files, 'readJson' | 'writeJson'>,
  clock: Pick<Clock, 'now'>,
  dir: string,
): MemberTokens {
  const path = join(dir, 'member-tokens.json')
  // In a file of its own: writing down a use must never bring a revoked token back.
  const usedPath = join(dir, 'member-tokens-used.json')
  const uses = () => (files.readJson(usedPath) ?? {}) as Readonly<Record<string, unknown>>
  const noted = new Map<string, number>()
  const isOver = ({ expiresAt }: Kept) => expiresAt !== undefined && Date.parse(expiresAt) <= clock.now()
  const all = (): readonly Kept[] => {
    const read = files.readJson(path)
    return Array.isArray(read) ? read.filter(isKept) : []
  }
  const without = (member: string) => all().filter((one) => one.member !== member)
  return {
    make(member, until = null) {
      const token = PREFIX + randomBytes(32).toString('base64url')
      const hash = createHash('sha256').update(token).digest('hex')
      const createdAt = new Date(clock.now()).toISOString()
      const expiry = until === null ? {} : { expiresAt: new Date(until).toISOString() }
      files.writeJson(path, [...without(member), { member, hash, createdAt, ...expiry }])
      return token
    },
    revoke(member) {
      const others = without(member)
      if (others.length === all().length) return false
      files.writeJson(path, others)
      return true
    },
    of: (hash) => all().find((one) => one.hash === hash && !isOver(one))?.member ?? null,
    all: () => new Map(all().map((kept) => [kept.member, factsOf(kept, uses()[kept.hash])])),
    used(hash) {
      const now = clock.now()
      if (now - (noted.get(hash) ?? 0) < NOTED_MS) return
      noted.set(hash, now)
      const kept = all().map((one) => [one.hash, uses()[one.hash]] as const)
      try {
        files.writeJson(usedPath, { ...Object.fromEntries(kept), [hash]: new Date(now).toISOString() })
      } catch {
        // The disk is full: only the time of the last use is lost.
      }
    },
  }
}

function factsOf({ createdAt, expiresAt }: Kept, used: unknown): TokenFacts {
  return {
    createdAt: createdAt ?? '',
    expiresAt: expiresAt ?? null,
    lastUsedAt: typeof used === 'string' ? used : null,
  }
}

function isKept(value: unknown): value is Kept {
  const { member, hash } = (value ?? {}) as Partial<Kept>
  return typeof member === 'string' && typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)
}
