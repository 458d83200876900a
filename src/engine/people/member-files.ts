/**
 * The members of the home, and codes that bind an account to one. Invariants: 1. a change of a file counts at once: all
 * files are checked once in a turn of the event loop, and changed ones read; 2. without a change the same list is
 * returned, so that callers can cache by it; 3. a file that can't be read gives nobody rights: its last readable version
 * counts, else the committed one, else the numbers in it belong to nobody; 4. a code is stored as its hash, works once
 * and expires after VALID_MS; 5. guessing is hopeless: 96 bits, and an account is ignored for an hour after MOST_WRONG
 * wrong codes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Member, readMember } from '../../files/kinds/read-member.ts'
import type { Files, ReadResult } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Clock } from '../../ports/world.ts'
import { type FolderSource, listOf, replaceRows, rowsOf } from './folder-rows.ts'

export const MEMBERS = 'workspace/members'

interface Said {
  /** Null if the file can't be read. */
  readonly member: Member | null
  /** Numbers in an unreadable file, which may be accounts. `all`: its text can't be read either. */
  readonly numbers: readonly string[] | 'all'
}

const FILES = { folder: MEMBERS, said: saidIn }

/** Sorted by file name. */
export function membersIn(source: FolderSource): readonly Member[] {
  return listOf(source, FILES, (said) => said.flatMap(({ member }) => member ?? []))
}

/** Call once at the start: of files that are unreadable then, the committed version counts. */
export async function recallMembers(
  source: FolderSource,
  git: Pick<Git, 'tree' | 'blob'>,
  head: string | null,
): Promise<void> {
  const found = rowsOf(source, FILES)
  const unread = [...found].filter(([, { said }]) => said.member === null)
  if (unread.length === 0 || head === null) return
  const committed = await git.tree(head, [MEMBERS])
  const rows = new Map(found)
  for (const [path, row] of unread) {
    const blob = committed.get(`${MEMBERS}/${path}`)
    const read = blob === undefined ? null : readMember(path, await git.blob(blob))
    if (read?.kind === 'ok') rows.set(path, { ...row, said: { member: read.value, numbers: [] } })
  }
  replaceRows(source, FILES, rows)
}

/** Without accounts that an unreadable member's file may name: until it can be read, they are not the owner's. */
export function ownersIn(source: FolderSource, allowFrom: readonly string[]): readonly string[] {
  if (allowFrom.length === 0) return allowFrom
  const taken = [...rowsOf(source, FILES).values()].map(({ said }) => said.numbers)
  if (taken.includes('all')) return []
  const numbers = new Set(taken.flat())
  return allowFrom.filter((number) => !numbers.has(number))
}

function saidIn(path: string, read: ReadResult, known: Said | undefined): Said {
  const said = read.kind === 'file' ? readMember(path, read.bytes) : null
  // A file that became unreadable removes no restriction: a child stays a child.
  const member = said?.kind === 'ok' ? said.value : (known?.member ?? null)
  const numbers = member !== null || read.kind === 'missing' ? [] : numbersIn(read)
  return { member, numbers }
}

/** Whatever could be an account, in any encoding: in UTF-16 each character has a zero byte beside it. */
function numbersIn(read: ReadResult): Said['numbers'] {
  if (read.kind !== 'file') return 'all'
  const text = read.bytes.toString('latin1').replaceAll('\0', '')
  return [/\d+/g, /[\w@.-]+/g].flatMap((id) => text.match(id) ?? [])
}

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
