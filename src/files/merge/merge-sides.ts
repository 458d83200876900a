/**
 * Merges a file of the home that two hosts changed and git can't merge. Invariants: 1. only keys that Neo writes
 * (`status`, the `neo:` block, the decision of a request) merge by rule; what people wrote merges by lines, or is a
 * conflict; 2. both hosts get the same result, no matter which one is `ours`.
 */
import { merge3 } from './diff3.ts'
import { blockOf, toLf } from './merge-stale.ts'
import { type Doc, readDocument } from '../header/document.ts'
import { editDocument, type Keys } from '../edit/edit-header.ts'
import { sameData } from '../values/equal.ts'
import type { askShape } from '../kinds/read-ask.ts'
import type { taskKeys } from '../kinds/task-keys.ts'
import type { RoomStatus } from '../../domain/room/room.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import type { SessionStatus } from '../../domain/session/session.ts'
import type { TaskStatus } from '../../domain/task/task.ts'
import type { Infer } from '../values/shape.ts'

/** Null for a side without the file. */
export interface SidesOfFile {
  readonly base: string | null
  readonly ours: string | null
  readonly theirs: string | null
}

export type Settled =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'conflict' }

type Data = Readonly<Record<string, unknown>>

const CONFLICT: Settled = { kind: 'conflict' }

export function mergeSides({ base, ours, theirs }: SidesOfFile): Settled {
  if (ours === null || theirs === null) return withDeletion(base, ours ?? theirs)
  const [our, their] = [docOf(ours), docOf(theirs)]
  if (our === null || their === null) return CONFLICT
  // Git makes a base with conflict markers from two bases; it is ignored.
  const was = base === null ? null : docOf(base)
  const own = bookkeeping(was?.data ?? {}, our.data, their.data)
  if (own === null) return CONFLICT
  const [a, b] = [bare(our, own.set), bare(their, own.set)]
  const merged = was === null ? sameText(a, b) : (merge3(bare(was, own.set), a, b) ?? sameText(a, b))
  if (merged === null || docOf(merged) === null) return CONFLICT
  const text = editDocument(merged, { neo: own.neo })
  const [before, mine, other] = [base, ours, theirs].map((side) => side?.includes('\r\n') === true)
  const isCrlf = mine === before ? other : mine
  return { kind: 'text', text: isCrlf ? text.replaceAll('\n', '\r\n') : text }
}

/** The text with the settled keys and without the `neo:` block; without a header if that is empty then. */
function bare({ text, data }: Doc, set: Data): string {
  const others = Object.entries(set).filter(([key, value]) => !sameData(data[key], value))
  const keys = data['neo'] === undefined ? others : [...others, ['neo', undefined] as const]
  const edited = keys.length === 0 ? text : editDocument(text, { set: Object.fromEntries(keys) as Keys })
  return toLf(edited).replace(/^---\n---\n/, '')
}

/** One of two texts with the same data in another order; null if the data differ. */
function sameText(a: string, b: string): string | null {
  const [one, other] = [docOf(a), docOf(b)]
  const isSame = one !== null && other !== null && one.body === other.body && sameData(one.data, other.data)
  return isSame ? ([a, b].toSorted()[0] ?? null) : a === b ? a : null
}

/** A deletion wins, unless the other side changed what people write. */
function withDeletion(base: string | null, left: string | null): Settled {
  if (left === null) return { kind: 'delete' }
  const [was, now] = [base === null ? null : docOf(base), docOf(left)]
  if (was === null || now === null) return CONFLICT
  const isSame = toLf(was.body) === toLf(now.body) && sameData(byPeople(was.data), byPeople(now.data))
  return isSame ? { kind: 'delete' } : CONFLICT
}

function docOf(text: string): Doc | null {
  const read = readDocument('', text)
  return read.kind === 'ok' ? read.value : null
}

type AskKey = keyof Infer<typeof askShape>

/** Keys outside of its block that Neo writes. All others merge by lines, so that a new key needs nothing here. */
const DECISION: readonly string[] = ['decision', 'decided_by', 'decided_at'] satisfies readonly AskKey[]
const BY_NEO: readonly string[] = [
  ...(['status', 'handled_at'] satisfies readonly (AskKey | keyof typeof taskKeys)[]),
  ...DECISION,
]

function byPeople(data: Data): Data {
  return Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'neo' && !BY_NEO.includes(key)))
}

interface Bookkeeping {
  readonly set: Data
  readonly neo: Keys
}

/** The keys of Neo after the merge; null if a status is unknown. */
function bookkeeping(was: Data, our: Data, their: Data): Bookkeeping | null {
  const status = statusOf(was, our, their)
  if (status === null) return null
  const blocks = { was: blockOf(was) ?? {}, our: blockOf(our) ?? {}, their: blockOf(their) ?? {} }
  const isOurs = status === 'either' ? isLater(blocks.our, blocks.their) : status === 'ours'
  const set = threeWay(BY_NEO, { was, our, their }, (key) => {
    if (DECISION.includes(key)) return isBefore(our['decided_at'], their['decided_at'])
    return key === 'handled_at' ? isBefore(our[key], their[key]) : isOurs
  })
  const isOlder = isBorn(blocks.our, blocks.their)
  const [first, second] = isOurs ? [blocks.our, blocks.their] : [blocks.their, blocks.our]
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  const neo = threeWay(keys, blocks, (key) => (BIRTH.has(key) ? isOlder : isOurs))
  return { set, neo: neo as Keys }
}

/** True if our block was created first. */
function isBorn(our: Data, their: Data): boolean {
  const [a, b] = [our['created_at'], their['created_at']]
  return a === b ? isBefore(our['id'], their['id']) : isBefore(a, b)
}

const BIRTH: ReadonlySet<string> = new Set(['id', 'created_at', 'created_by'])

/** Each key from the side that changed it; from the one that `isOurs` names if both did. */
function threeWay(
  keys: readonly string[],
  { was, our, their }: Readonly<Record<'was' | 'our' | 'their', Data>>,
  isOurs: (key: string) => boolean,
): Data {
  return Object.fromEntries(
    keys.map((key) => {
      if (sameData(our[key], was[key])) return [key, their[key]]
      return [key, sameData(their[key], was[key]) || isOurs(key) ? our[key] : their[key]]
    }),
  )
}

/**
 * From what stops least to what counts most: a status that ends work wins over one that continues it, what a person
 * stopped wins over what was just started.
 */
const RANKS: Readonly<Record<TaskStatus | SessionStatus | RoomStatus | Schedule['status'], number>> = {
  active: 1,
  paused: 2,
  archived: 3,
  done: 4,
  pending: 5,
  starting: 6,
  running: 7,
  waiting_for_input: 8,
  verifying: 9,
  in_progress: 10,
  draft: 11,
  blocked: 12,
  review: 13,
  stopped: 14,
  failed: 15,
  cancelled: 16,
  completed: 17,
}
const RANK_OF: ReadonlyMap<unknown, number> = new Map(Object.entries(RANKS))

/** Whose status counts. */
function statusOf(was: Data, our: Data, their: Data): 'ours' | 'theirs' | 'either' | null {
  const [before, mine, other] = [was['status'], our['status'], their['status']]
  if (mine === other) return 'either'
  if (mine === before) return 'theirs'
  if (other === before) return 'ours'
  const [a, b] = [mine, other].map((status) => (status === undefined ? 0 : RANK_OF.get(status)))
  return a === undefined || b === undefined ? null : a > b ? 'ours' : 'theirs'
}

/**
 * True if our block is the later attempt, or began or ended later; else by an arbitrary rule that both hosts share.
 */
function isLater(our: Data, their: Data): boolean {
  const keyOf = (block: Data) => [
    String(block['attempt'] ?? 0).padStart(6, '0'),
    ...['completed_at', 'started_at', 'session'].map((key) => String(block[key] ?? '')),
    JSON.stringify(Object.entries(block).toSorted()),
  ]
  const [a, b] = [keyOf(our), keyOf(their)]
  const at = a.findIndex((one, index) => one !== b[index])
  return at < 0 || (a[at] as string) > (b[at] as string)
}

/** Absent counts as last. */
function isBefore(a: unknown, b: unknown): boolean {
  return b === undefined || (a !== undefined && String(a) <= String(b))
}
