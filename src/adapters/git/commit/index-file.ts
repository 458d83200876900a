/**
 * The bytes of git's index (format 2 and 3): puts entries in, replaces and takes them out, in process. Invariants: 1.
 * only an entry that still is the old one is changed: what a person staged, conflicts and paths marked by `add -N` stay;
 * 2. all other entries are copied byte for byte, in one scan; 3. caches (TREE, UNTR, …) go, since they would no longer
 * be true. Names are bytes.
 */
import { createHash } from 'node:crypto'
import type { Leaf } from '../reading/tree.ts'

export interface Edit {
  readonly path: string
  readonly old: Leaf | null
  readonly now: Leaf | null
  /** What it was of our commits between the two: an index that the user's git brought so far follows as well. */
  readonly passed?: readonly (Leaf | null)[]
}

const HEADER = 12
/** Bytes of an entry before its name; two more if it is extended. */
export const FIXED = 62
export const MODE_AT = 24
export const OID_AT = 40
export const FLAGS_AT = 60
export const EXTENDED = 0x4000
export const STAGE = 0x3000
const LONGEST = 0xfff
export const INTENT_TO_ADD = 0x2000
const SHA = 20

export interface Patched {
  readonly bytes: Buffer
  /** The tree that git noted for the whole index before; null if it noted none. */
  readonly tree: string | null
}

/** The new index; null if it is not ours to write. `bytes` null: there isn't one yet. */
export function patchIndex(bytes: Buffer | null, edits: readonly Edit[]): Patched | null {
  const index = bytes === null ? EMPTY : parse(bytes)
  if (index === null) return null
  const splices = splicesOf(index, edits)
  const same = splices.length === 0 && bytes !== null
  return { bytes: same ? bytes : withSplices(index, splices), tree: notedIn(index) }
}

/** Whether the index has all of these changes. */
export function holdsAll(bytes: Buffer, edits: readonly Edit[]): boolean {
  const index = parse(bytes, 'trusted')
  return index !== null && edits.every(({ path, now }) => equal(leafNamed(index, Buffer.from(path)), now))
}

function withSplices(index: Index, splices: readonly Splice[]): Buffer {
  const parts: Buffer[] = [header(index, splices)]
  let at = 0
  for (const { from, to, entry } of splices) {
    parts.push(index.bytes.subarray(index.starts[at] ?? index.end, index.starts[from] ?? index.end))
    if (entry !== null) parts.push(entry)
    at = to
  }
  parts.push(index.bytes.subarray(index.starts[at] ?? index.end, index.end), ...index.kept)
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return Buffer.concat([...parts, hash.digest()])
}

/** The tree that git noted for this whole index; null if it noted none. */
export function treeOf(bytes: Buffer): string | null {
  const index = parse(bytes, 'trusted')
  return index === null ? null : notedIn(index)
}

function notedIn({ extensions }: Index): string | null {
  const tree = extensions.find(({ name }) => name === 'TREE')?.data
  if (tree === undefined || tree[0] !== 0) return null
  const line = tree.indexOf(10)
  const valid = line > 0 && !tree.toString('latin1', 1, line).startsWith('-')
  return valid && tree.length >= line + 1 + SHA ? tree.toString('hex', line + 1, line + 1 + SHA) : null
}

export interface Index {
  readonly bytes: Buffer
  readonly version: number
  /** Where each entry begins. */
  readonly starts: Uint32Array
  /** Where the entries end. */
  readonly end: number
  readonly extensions: readonly { readonly name: string; readonly data: Buffer }[]
  /** Extensions that stay true. */
  readonly kept: readonly Buffer[]
}

const EMPTY: Index = {
  bytes: Buffer.alloc(0),
  version: 2,
  starts: new Uint32Array(0),
  end: 0,
  extensions: [],
  kept: [],
}

/**
 * Null for an index that only git may read.
 * @param trust `trusted`: its checksum was compared before
 */
export function parse(bytes: Buffer, trust: 'trusted' | 'new' = 'new'): Index | null {
  if (bytes.length < HEADER + SHA || bytes.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = bytes.readUInt32BE(4)
  if ((version !== 2 && version !== 3) || (trust === 'new' && !isWhole(bytes))) return null
  const count = bytes.readUInt32BE(8)
  if (count * FIXED > bytes.length) return null
  const starts = new Uint32Array(count)
  let at = HEADER
  for (let n = 0; n < starts.length; n++) {
    starts[n] = at
    if (at + FIXED >= bytes.length - SHA) return null
    at += sizeOf(nameEnd(bytes, at) - at)
  }
  return extensionsOf({ bytes, version, starts, end: at })
}

/** Git leaves the checksum out (zeros) if so configured. */
function isWhole(bytes: Buffer): boolean {
  const sum = bytes.subarray(bytes.length - SHA)
  if (sum.every((byte) => byte === 0)) return true
  return createHash('sha1').update(bytes.subarray(0, -SHA)).digest().equals(sum)
}

function extensionsOf(index: Pick<Index, 'bytes' | 'version' | 'starts' | 'end'>): Index | null {
  const { bytes } = index
  const extensions: { name: string; data: Buffer }[] = []
  const kept: Buffer[] = []
  let at = index.end
  for (const end = bytes.length - SHA; at < end; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const next = at + 8 + bytes.readUInt32BE(at + 4)
    if (!/^[A-Z]/.test(name) || next > end) return null
    extensions.push({ name, data: bytes.subarray(at + 8, next) })
    if (name === 'REUC') kept.push(bytes.subarray(at, next))
    at = next
  }
  return at === bytes.length - SHA ? { ...index, extensions, kept } : null
}

/** With at least one zero after the name, to a multiple of eight. */
function sizeOf(length: number): number {
  return (length + 8) & ~7
}

export function nameAt(bytes: Buffer, entry: number): number {
  return entry + FIXED + ((bytes[entry + FLAGS_AT] ?? 0) & (EXTENDED >> 8) ? 2 : 0)
}

export function nameEnd(bytes: Buffer, entry: number): number {
  const at = nameAt(bytes, entry)
  const length = (((bytes[entry + FLAGS_AT] ?? 0) & 0xf) << 8) | (bytes[entry + FLAGS_AT + 1] ?? 0)
  return length < LONGEST ? at + length : bytes.indexOf(0, at)
}

function header({ version, starts }: Index, splices: readonly Splice[]): Buffer {
  const head = Buffer.from('DIRC\0\0\0\0\0\0\0\0', 'latin1')
  head.writeUInt32BE(version, 4)
  const more = splices.reduce((sum, { from, to, entry }) => sum + (entry === null ? 0 : 1) - (to - from), 0)
  head.writeUInt32BE(starts.length + more, 8)
  return head
}

/** Entries `from` to before `to` give way to `entry`. */
interface Splice {
  readonly from: number
  readonly to: number
  readonly name: Buffer
  readonly entry: Buffer | null
}

function splicesOf(index: Index, edits: readonly Edit[]): Splice[] {
  const wanted = edits.flatMap(({ path, old, now, passed = [] }) => {
    const name = Buffer.from(path)
    const at = findName(index, name)
    const there = leafNamed(index, name)
    if (![old, ...passed].some((one) => equal(there, one)) || equal(there, now)) return []
    const entry = now === null ? null : entryOf(index, { at: there === null ? null : at, name, leaf: now })
    return [{ from: at, to: there === null ? at : at + 1, name, entry }]
  })
  const gone = new Set(wanted.filter(({ entry }) => entry === null).map(({ from }) => from))
  const fitting = wanted.filter(
    ({ from, to, name, entry }) => entry === null || to > from || !isInTheWay(index, name, gone),
  )
  return fitting.sort((a, b) => a.from - b.from || Buffer.compare(a.name, b.name))
}

/** The first entry whose name is not before this one. */
function findName({ bytes, starts }: Index, name: Buffer): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    const start = starts[middle] ?? 0
    if (name.compare(bytes, nameAt(bytes, start), nameEnd(bytes, start)) > 0) low = middle + 1
    else high = middle
  }
  return low
}

function holds({ bytes, starts }: Index, at: number, name: Buffer): boolean {
  const start = starts[at]
  return start !== undefined && name.compare(bytes, nameAt(bytes, start), nameEnd(bytes, start)) === 0
}

function leafNamed(index: Index, name: Buffer): Leaf | 'kept' | null {
  const at = findName(index, name)
  return holds(index, at, name) ? leafAt(index, at) : null
}

function leafAt({ bytes, starts }: Index, at: number): Leaf | 'kept' {
  const start = starts[at] ?? 0
  const flags = bytes.readUInt16BE(start + FLAGS_AT)
  const extended = flags & EXTENDED ? bytes.readUInt16BE(start + FIXED) : 0
  if ((flags & STAGE) !== 0 || (extended & INTENT_TO_ADD) !== 0) return 'kept'
  const mode = bytes.readUInt32BE(start + MODE_AT).toString(8)
  return { mode, oid: bytes.toString('hex', start + OID_AT, start + OID_AT + SHA) }
}

/** `kept`: of a conflict, or marked by `add -N`; it equals nothing. */
export function equal(a: Leaf | 'kept' | null, b: Leaf | null): boolean {
  if (a === null || b === null || a === 'kept') return a === b
  return a.mode === b.mode && a.oid === b.oid
}

/** Input of `git update-index -z --index-info`: mode 0 takes a path out. */
export function indexInfo(edits: readonly Pick<Edit, 'path' | 'now'>[]): string {
  return edits.map(({ path, now }) => `${now?.mode ?? '0'} ${now?.oid ?? '0'.repeat(40)}\t${path}\0`).join('')
}

/** A file in place of a folder, or the other way round: theirs, unless Neo removes it. */
function isInTheWay(index: Index, name: Buffer, gone: ReadonlySet<number>): boolean {
  for (let slash = name.lastIndexOf(47); slash > 0; slash = name.lastIndexOf(47, slash - 1)) {
    const parent = name.subarray(0, slash)
    const at = findName(index, parent)
    if (holds(index, at, parent) && !gone.has(at)) return true
  }
  const folder = Buffer.concat([name, Buffer.from('/')])
  const { bytes, starts } = index
  for (let at = findName(index, folder); at < starts.length; at++) {
    const from = nameAt(bytes, starts[at] ?? 0)
    if (!bytes.subarray(from, from + folder.length).equals(folder)) return false
    if (!gone.has(at)) return true
  }
  return false
}

/** No stat data: git reads the file once, and then knows it. Flags that a person set on the old entry stay. */
function entryOf(index: Index, of: { at: number | null; name: Buffer; leaf: Leaf }): Buffer {
  const { name, leaf, at } = of
  const start = at === null ? null : (index.starts[at] ?? 0)
  const extra = start === null ? 0 : nameAt(index.bytes, start) - start - FIXED
  const entry = Buffer.alloc(sizeOf(FIXED + extra + name.length))
  if (start === null) entry.writeUInt16BE(Math.min(name.length, LONGEST), FLAGS_AT)
  else index.bytes.copy(entry, FLAGS_AT, start + FLAGS_AT, start + FIXED + extra)
  entry.writeUInt32BE(Number.parseInt(leaf.mode, 8), MODE_AT)
  entry.write(leaf.oid, OID_AT, 'hex')
  name.copy(entry, FIXED + extra)
  return entry
}
