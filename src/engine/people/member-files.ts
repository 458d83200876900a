/**
 * The members of the home, as their files say now. Invariant 1: a change of a file counts at once: all files are looked
 * at, once in a turn of the event loop, and those read that are not as they were. Invariant 2: nothing changed means the
 * same list, so that what was made of it can be kept beside it. Invariant 3: a file that cannot be read gives its person
 * no rights: the last readable version counts, else the committed one, else the numbers in the file belong to nobody.
 */
import { join } from 'node:path'
import { type Member, readMember } from '../../files/kinds/read-member.ts'
import type { Clock, Files, Git, ReadResult, ScanEntry } from '../../ports/world.ts'
import type { Context } from '../context.ts'
import { MAX_BYTES } from '../commit/file-change.ts'

export const MEMBERS = 'workspace/members'

export interface MembersSource {
  readonly home: string
  readonly files: Pick<Files, 'scan' | 'read'>
  readonly clock: Pick<Clock, 'now'>
}

interface Row {
  readonly stat: ScanEntry
  /** False where it changed just before it was read: the clock of a file system is coarse. */
  readonly isCalm: boolean
  /** Null for what cannot be read. */
  readonly member: Member | null
  /** Numbers in a file without a readable version: they may be accounts. `all`: its text cannot be read either. */
  readonly numbers: readonly string[] | 'all'
}

interface MemberList {
  rows: ReadonlyMap<string, Row>
  members: readonly Member[]
  /** Looked at in this turn of the event loop: one decision asks several times. */
  isFresh: boolean
}

const RACY_MS = 3_000
const rolls = new WeakMap<MembersSource['files'], Map<string, MemberList>>()

/** Asked before each decision on rights, so it must not read all files each time. By the names of the files. */
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

/** Call once at the start: files that are already broken then count as their committed version says. */
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

/** Without the accounts that a member's file may name that cannot be read: they are not the owner's until it can. */
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
  // A file that turned bad takes no rule away from its person: a child stays a child.
  const member = said?.kind === 'ok' ? said.value : (known?.member ?? null)
  const changedAt = Math.max(stat.mtimeMs, stat.ctimeMs ?? Number.POSITIVE_INFINITY)
  // What could not be read may be readable next time without a change of the file.
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
