/**
 * Tokens of members: one each, with which a member reaches page and API under their own name and with their own rights.
 * Invariant 1: a token is kept as its hash, in a file of mode 600. Invariant 2: one that was taken back is over at once,
 * also for cookies that were had for it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Files } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'

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
