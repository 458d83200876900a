/**
 * Pairing: a code that binds the account that sends it to a member. Invariants: 1. a code is stored as its hash, works
 * once, and expires after VALID_MS; 2. guessing is hopeless: 96 bits, and an account is ignored for an hour after
 * MOST_WRONG wrong codes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Files } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'

export interface Pairing {
  begin(member: string, channel: string): string
  /** `account`: the sender. Null: unknown code, or too many wrong codes. */
  redeem(code: string, of: { readonly channel: string; readonly account: string }): string | null
}

interface Open {
  readonly hash: string
  readonly member: string
  readonly channel: string
  readonly until: number
}

const VALID_MS = 15 * 60_000
const MOST_WRONG = 5
const WRONG_MS = 3_600_000
const MOST_OPEN = 100

export function openPairing(
  files: Pick<Files, 'readJson' | 'writeJson'>,
  clock: Pick<Clock, 'now'>,
  dir: string,
): Pairing {
  const path = join(dir, 'pairing.json')
  const wrong = new Map<string, number[]>()
  const open = (): readonly Open[] => {
    const read = files.readJson(path)
    return Array.isArray(read) ? read.filter(isOpen).filter(({ until }) => until > clock.now()) : []
  }
  return {
    begin(member, channel) {
      const code = randomBytes(12).toString('base64url')
      const others = open().filter((one) => one.member !== member || one.channel !== channel)
      const mine = { hash: hashOf(code), member, channel, until: clock.now() + VALID_MS }
      files.writeJson(path, [...others, mine].slice(-MOST_OPEN))
      return code
    },
    redeem(code, { channel, account }) {
      const recent = (wrong.get(account) ?? []).filter((at) => at > clock.now() - WRONG_MS)
      if (recent.length >= MOST_WRONG) return null
      const all = open()
      const found = all.find((one) => one.hash === hashOf(code) && one.channel === channel)
      if (found === undefined) {
        if (wrong.size > 1_000) wrong.clear()
        wrong.set(account, [...recent, clock.now()])
        return null
      }
      files.writeJson(
        path,
        all.filter((one) => one !== found),
      )
      return found.member
    },
  }
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex')
}

function isOpen(value: unknown): value is Open {
  const { hash, member, channel, until } = (value ?? {}) as Partial<Open>
  return [hash, member, channel].every((text) => typeof text === 'string') && typeof until === 'number'
}
