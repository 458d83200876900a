/**
 * Merges a saved editor buffer that lacks what Neo has written since. Invariant 1: a key that the person didn't
 * change keeps the value of Neo, so that an old status starts nothing. Invariant 2: if both changed the same lines of
 * the body, the whole body of the person wins.
 */
import { NeoError } from '../../domain/home/error.ts'
import { editDocument, type Json, type Keys } from '../edit/edit-header.ts'
import { type Doc, readDocument } from '../header/document.ts'
import { eolOf } from '../header/read-header.ts'
import { isMap } from '../../domain/text/is-map.ts'
import { sameData } from '../values/equal.ts'
import { merge3 } from './diff3.ts'

type Data = Readonly<Record<string, unknown>>

/**
 * Merges three ways. The text keeps the formatting, comments and order of keys of `theirs`.
 * Throws NeoError `internal` if one of the three can't be read.
 */
export function mergeStale(
  base: string,
  ours: string,
  theirs: string,
): { text: string; bodyConflict: boolean } {
  const [was, our, their] = [docOf(base), docOf(ours), docOf(theirs)]
  const merged = merge3(toLf(was.body), toLf(our.body), toLf(their.body))
  const isTheirs = merged === null || merged === toLf(their.body)
  const body = isTheirs ? their.body : withEol(merged, eolOf(their.body.includes('\n') ? their.body : theirs))
  const set = ourKeys(was.data, our.data, their.data)
  const neo = neoKeys(was.data, our.data, their.data)
  const text = editDocument(theirs, { set, neo, ...(body === their.body ? {} : { body }) })
  return { text, bodyConflict: merged === null }
}

/**
 * The version that a text is based on: of those with the same `neo:` block, or else of all, the one with the most
 * lines in common; the newest of several. Null without versions.
 * @param versions newest first
 */
export function closestBase(theirs: string, versions: readonly string[]): string | null {
  const block = neoBlockOf(theirs)
  const same = block === null ? [] : versions.filter((version) => sameData(neoBlockOf(version), block))
  const candidates = same.length > 0 ? same : versions
  const lines = linesOf(theirs)
  let best: string | null = null
  let most = -1
  for (const version of candidates) {
    const likeness = alike(lines, linesOf(version))
    if (likeness > most) [best, most] = [version, likeness]
  }
  return best
}

/** The `neo:` block of a text; null without one, or if the text can't be read. */
export function neoBlockOf(text: string): Record<string, unknown> | null {
  const read = readDocument('', text)
  return read.kind === 'ok' ? blockOf(read.value.data) : null
}

function docOf(text: string): Doc {
  const read = readDocument('', text)
  if (read.kind === 'ok') return read.value
  if (read.kind === 'unfinished' && text.trim() === '')
    return { text, header: null, data: {}, body: text, bodyLine: 1 }
  const why = read.kind === 'bad' ? read.problems[0]?.message : read.why
  throw new NeoError('internal', `Cannot merge: ${why ?? 'a version cannot be read'}`)
}

/** The keys to set in `theirs`: those that are unchanged since `was` and different in `ours`. */
function ourKeys(was: Data, our: Data, their: Data): Keys {
  const set: Record<string, Json | undefined> = {}
  for (const key of new Set([...Object.keys(was), ...Object.keys(our), ...Object.keys(their)])) {
    const untouched = sameData(their[key], was[key])
    if (key !== 'neo' && untouched && !sameData(our[key], their[key])) set[key] = our[key] as Json | undefined
  }
  return set
}

/** A buffer without a block never had it: the block of `ours` is used. */
function neoKeys(was: Data, our: Data, their: Data): Keys {
  const theirs = blockOf(their)
  return theirs === null
    ? ((blockOf(our) ?? {}) as Keys)
    : ourKeys(blockOf(was) ?? {}, blockOf(our) ?? {}, theirs)
}

export function blockOf({ neo }: Data): Record<string, unknown> | null {
  return isMap(neo) ? neo : null
}

/** Lines with their counts, without the `neo:` block. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const block = /^neo:.*(?:\r?\n[ \t].*)*(?:\r?\n|$)/m
  for (const line of toLf(text.replace(block, '')).split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** Dice's coefficient over lines: 1 for the same lines, 0 for none in common. */
function alike(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0
  for (const [line, count] of a) common += Math.min(count, b.get(line) ?? 0)
  const sum = (map: ReadonlyMap<string, number>): number =>
    [...map.values()].reduce((total, count) => total + count, 0)
  return (2 * common) / Math.max(1, sum(a) + sum(b))
}

export function toLf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function withEol(text: string, eol: string): string {
  return eol === '\n' ? text : text.replaceAll('\n', eol)
}
