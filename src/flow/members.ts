/**
 * The members of the home, as their files say now. Takes the home; gives those whose files can be read.
 * Leaves to core/rules: what a role may do, and who a number is; to bus/members.ts: changing a file.
 * Invariant 1: a change of a file counts at once: all files are looked at, once in a turn of the event loop, and those
 * read that are not as they were.
 * Invariant 2: nothing changed means the same list, so that what was made of it can be kept beside it.
 */
import { join } from 'node:path'
import { type Member, readMember } from '../formats/member.ts'
import type { Clock, Files, ScanEntry } from '../ports.ts'
import type { Context } from './context.ts'
import { MAX_BYTES } from './transact.ts'

export const MEMBERS = 'workspace/members'

export interface MembersDesk {
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
}

interface Roll {
  rows: ReadonlyMap<string, Row>
  members: readonly Member[]
  /** Looked at in this turn of the event loop: one decision asks several times. */
  isFresh: boolean
}

const RACY_MS = 3_000
const rolls = new WeakMap<MembersDesk['files'], Map<string, Roll>>()

/** Asked before each decision on rights, so it must not read all files each time. By the names of the files. */
export function membersOf(desk: MembersDesk): readonly Member[] {
  const roll = rollOf(desk)
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

function look(desk: MembersDesk, roll: Roll): void {
  const root = join(desk.home, MEMBERS)
  const found = desk.files
    .scan(root, (path, kind) => kind === 'file' && path.endsWith('.md') && path !== 'README.md')
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const rows = new Map(found.map((stat) => [stat.path, rowOf(desk, stat, roll.rows.get(stat.path))]))
  const isSame = rows.size === roll.rows.size && [...rows].every(([path, row]) => roll.rows.get(path) === row)
  if (isSame) return
  roll.rows = rows
  roll.members = [...rows.values()].flatMap(({ member }) => (member === null ? [] : [member]))
}

export function membersIn({ home, world }: Pick<Context, 'home' | 'world'>): readonly Member[] {
  return membersOf({ home, files: world.files, clock: world.clock })
}

function rollOf({ files, home }: MembersDesk): Roll {
  const homes = rolls.get(files) ?? new Map<string, Roll>()
  rolls.set(files, homes)
  const roll = homes.get(home) ?? { rows: new Map(), members: [], isFresh: false }
  homes.set(home, roll)
  return roll
}

function rowOf({ home, files, clock }: MembersDesk, stat: ScanEntry, known: Row | undefined): Row {
  if (known?.isCalm === true && isSame(known.stat, stat)) return known
  const now = clock.now()
  const read = files.read(join(home, MEMBERS, stat.path), MAX_BYTES)
  const member = read.kind === 'file' ? readMember(stat.path, read.bytes) : null
  const changedAt = Math.max(stat.mtimeMs, stat.ctimeMs ?? Number.POSITIVE_INFINITY)
  // What could not be read may be readable next time without a change of the file.
  const isCalm = now - changedAt > RACY_MS && read.kind === 'file'
  // A file that turned bad takes no rule away from its person: a child stays a child.
  return { stat, isCalm, member: member?.kind === 'ok' ? member.value : (known?.member ?? null) }
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
