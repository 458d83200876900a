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
import type { Files, ReadResult, ScanEntry } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Clock } from '../../ports/world.ts'
import { MAX_BYTES } from '../commit/journal.ts'
import type { Context } from '../context.ts'

export const MEMBERS = 'workspace/members'

interface MembersSource {
  readonly home: string
  readonly files: Pick<Files, 'scan' | 'read'>
  readonly clock: Pick<Clock, 'now'>
}

interface Row {
  readonly stat: ScanEntry
  /** False if it changed just before it was read: file system clocks are coarse. */
  readonly isCalm: boolean
  /** Null if it can't be read. */
  readonly member: Member | null
  /** Numbers in an unreadable file, which may be accounts. `all`: its text can't be read either. */
  readonly numbers: readonly string[] | 'all'
}

interface MemberList {
  rows: ReadonlyMap<string, Row>
  members: readonly Member[]
  /** Checked in this turn of the event loop: one decision asks several times. */
  isFresh: boolean
}

const RACY_MS = 3_000
const rolls = new WeakMap<MembersSource['files'], Map<string, MemberList>>()

/** Called before each decision on rights, so it reads changed files only. Sorted by file name. */
export function membersOf(desk: MembersSource): readonly Member[] {
  const roll = listOf(desk)
  if (roll.isFresh) return roll.members
  roll.isFresh = true
  setImmediate(() => {
    roll.isFresh = false
  })
  try {
    look(desk, roll)
  } catch (error) {
    roll.isFresh = false
    throw error
  }
  return roll.members
}

function look(desk: MembersSource, roll: MemberList): void {
  const root = join(desk.home, MEMBERS)
  const found = desk.files
    .scan(root, (path, kind) => kind === 'file' && path.endsWith('.md') && path !== 'README.md')
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const rows = new Map(found.map((stat) => [stat.path, rowOf(desk, stat, roll.rows.get(stat.path))]))
  const isSame = rows.size === roll.rows.size && [...rows].every(([path, row]) => roll.rows.get(path) === row)
  if (isSame) return
  roll.rows = rows
  roll.members = membersAt(rows)
}

function membersAt(rows: MemberList['rows']): readonly Member[] {
  return [...rows.values()].flatMap(({ member }) => (member === null ? [] : [member]))
}

/** Call once at the start: of files that are unreadable then, the committed version counts. */
export async function recallMembers(
  desk: MembersSource,
  git: Pick<Git, 'tree' | 'blob'>,
  head: string | null,
): Promise<void> {
  membersOf(desk)
  const roll = listOf(desk)
  const unread = [...roll.rows].filter(([, { member }]) => member === null)
  if (unread.length === 0 || head === null) return
  const committed = await git.tree(head, [MEMBERS])
  const rows = new Map(roll.rows)
  for (const [path, row] of unread) {
    const blob = committed.get(`${MEMBERS}/${path}`)
    const read = blob === undefined ? null : readMember(path, await git.blob(blob))
    if (read?.kind === 'ok') rows.set(path, { ...row, member: read.value, numbers: [] })
  }
  roll.rows = rows
  roll.members = membersAt(rows)
}

/** Without accounts that an unreadable member's file may name: until it can be read, they are not the owner's. */
export function ownersOf(desk: MembersSource, allowFrom: readonly string[]): readonly string[] {
  if (allowFrom.length === 0) return allowFrom
  membersOf(desk)
  const taken = [...listOf(desk).rows.values()].map(({ numbers }) => numbers)
  if (taken.includes('all')) return []
  const numbers = new Set(taken.flat())
  return allowFrom.filter((number) => !numbers.has(number))
}

export function membersIn({ home, world }: Pick<Context, 'home' | 'world'>): readonly Member[] {
  return membersOf({ home, files: world.files, clock: world.clock })
}

export function ownersIn(
  { home, world }: Pick<Context, 'home' | 'world'>,
  allowFrom: readonly string[],
): readonly string[] {
  return ownersOf({ home, files: world.files, clock: world.clock }, allowFrom)
}

function listOf({ files, home }: MembersSource): MemberList {
  const homes = rolls.get(files) ?? new Map<string, MemberList>()
  rolls.set(files, homes)
  const roll = homes.get(home) ?? { rows: new Map(), members: [], isFresh: false }
  homes.set(home, roll)
  return roll
}

function rowOf({ home, files, clock }: MembersSource, stat: ScanEntry, known: Row | undefined): Row {
  if (known?.isCalm === true && isSame(known.stat, stat)) return known
  const now = clock.now()
  const read = files.read(join(home, MEMBERS, stat.path), MAX_BYTES)
  const said = read.kind === 'file' ? readMember(stat.path, read.bytes) : null
  // A file that became unreadable removes no restriction: a child stays a child.
  const member = said?.kind === 'ok' ? said.value : (known?.member ?? null)
  const changedAt = Math.max(stat.mtimeMs, stat.ctimeMs ?? Number.POSITIVE_INFINITY)
  // A file may become readable without a change.
  const isCalm = now - changedAt > RACY_MS && read.kind === 'file'
  const numbers = member !== null || read.kind === 'missing' ? [] : numbersIn(read)
  return { stat, isCalm, member, numbers }
}

/** Whatever could be an account, in any encoding: in UTF-16 each character has a zero byte beside it. */
function numbersIn(read: ReadResult): Row['numbers'] {
  if (read.kind !== 'file') return 'all'
  const text = read.bytes.toString('latin1').replaceAll('\0', '')
  return [/\d+/g, /[\w@.-]+/g].flatMap((id) => text.match(id) ?? [])
}

function isSame(a: ScanEntry, b: ScanEntry): boolean {
  return (
    a.size === b.size &&
    a.ino === b.ino &&
    a.mtimeMs === b.mtimeMs &&
    a.ctimeMs === b.ctimeMs &&
    a.kind === b.kind
  )
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
