/**
 * Sets a key of a block map, one `key: value` a line, and items of lists, by splicing the text; unchanged items keep
 * their lines, comments and quotes. Invariant 1: a new key goes before the `neo:` block, so that this stays last.
 */
import type { Pair, YAMLMap, YAMLSeq } from 'yaml'
import { lineEnd, lineStart } from '../header/read-header.ts'
import { keyOf, yaml } from '../header/yaml.ts'
import { isMap } from '../../domain/text/is-map.ts'
import { colonEnd, quoteOf, rangeOf, setInFlow } from './edit-flow.ts'
import { flowText, inlineText, type Json, pairLine } from './scalar.ts'

type BlockMap = YAMLMap<unknown, unknown>
type BlockPair = Pair<unknown, unknown>

interface Within {
  /** null for an empty header. */
  readonly map: BlockMap | null
  /** The text before each key; null: as before the first key of the map. */
  readonly indent: string | null
}

interface BlockEdit {
  readonly key: string
  readonly value: Json | undefined
  readonly eol: string
}

export function setInBlock(source: string, within: Within, edit: BlockEdit): string | null {
  const pair = within.map?.items.find((one) => keyOf(one) === edit.key)
  if (pair === undefined) return edit.value === undefined ? source : addPair(source, within, edit)
  if (edit.value === undefined) return removePair(source, pair)
  return setValue(source, pair, { ...edit, value: edit.value })
}

function setValue(source: string, pair: BlockPair, edit: BlockEdit & { value: Json }): string | null {
  const { isMap, isSeq } = yaml()
  const { value } = edit
  if (isSeq(pair.value) && Array.isArray(value)) {
    const edited = editList(source, pair.value, { value, eol: edit.eol })
    if (edited !== null) return edited
  }
  if (isMap(pair.value) && pair.value.items.length > 0 && isObject(value))
    return setMap(source, pair, { ...edit, value })
  return replaceValue(source, pair, value)
}

/**
 * Sets the keys of a map one by one, so that unchanged lines stay. Makes only the first change: the caller repeats.
 */
function setMap(
  source: string,
  pair: BlockPair,
  edit: BlockEdit & { value: { [key: string]: Json } },
): string | null {
  const { isMap } = yaml()
  if (!isMap(pair.value)) return null
  const map = pair.value
  const present = new Map(map.items.map((item) => [keyOf(item) ?? '', item]))
  const gone = [...present.keys()].filter((key) => !Object.hasOwn(edit.value, key))
  const edits = [...Object.entries(edit.value), ...gone.map((key) => [key, undefined] as const)]
  if (edits.length > 1 && gone.length === present.size) return replaceValue(source, pair, edit.value)
  const [changed, ...more] = edits.filter(([key, value]) => !sameValue(present.get(key), value))
  if (changed === undefined) return source
  if (more.length > 0) return replaceValue(source, pair, edit.value)
  const [key, value] = changed
  return map.flow
    ? setInFlow(source, map, { path: [key], value })
    : setInBlock(source, { map, indent: null }, { key, value, eol: edit.eol })
}

function sameValue(pair: BlockPair | undefined, value: Json | undefined): boolean {
  if (pair === undefined || value === undefined) return false
  const { isNode } = yaml()
  const present: unknown = isNode(pair.value) ? JSON.parse(JSON.stringify(pair.value)) : null
  return JSON.stringify(present) === JSON.stringify(value)
}

/** Replaces the value, on any number of lines, by one on the line of the key; keeps a comment after it. */
function replaceValue(source: string, pair: BlockPair, value: Json): string | null {
  const colon = colonEnd(source, pair)
  if (colon === null) return null
  const text = inlineText(value, quoteOf(pair.value))
  const range = rangeOf(pair.value)
  if (range === null || range[1] <= colon || range[0] === range[1])
    return `${source.slice(0, colon)} ${text}${source.slice(colon)}`
  const gap = source.slice(colon, range[0])
  const end = contentEnd(source, range[1])
  if (!gap.includes('\n')) {
    const blanks = /^[ \t]+/.exec(gap)?.[0] ?? ' '
    return source.slice(0, colon) + blanks + text + source.slice(end)
  }
  const comment = /[ \t]#.*/.exec(gap.slice(0, gap.indexOf('\n')).replace(/\r$/, ''))?.[0] ?? ''
  return `${source.slice(0, colon)} ${text}${comment}${source.slice(end)}`
}

function removePair(source: string, pair: BlockPair): string | null {
  const key = rangeOf(pair.key)
  const end = pairEnd(source, pair)
  if (key === null || end === null) return null
  return source.slice(0, lineStart(source, key[0])) + source.slice(end)
}

function addPair(source: string, within: Within, { key, value, eol }: BlockEdit): string | null {
  const items = within.map?.items ?? []
  const first = rangeOf(items[0]?.key)
  const indent = within.indent ?? (first === null ? '' : source.slice(lineStart(source, first[0]), first[0]))
  const isTop = within.indent === ''
  const pair = { [key]: value ?? null }
  const lines = isTop ? headerText(pair, eol) : `${indent}${pairLine(key, value ?? null)}${eol}`
  const neo = isTop && key !== 'neo' ? items.find((item) => keyOf(item) === 'neo') : undefined
  const before = items.filter((item) => item !== neo).at(-1)
  if (before !== undefined && (neo === undefined || isBefore(before, neo)))
    return insertAfter(source, before, lines)
  const neoKey = rangeOf(neo?.key)
  if (neoKey !== null) return insertAt(source, lineStart(source, neoKey[0]), lines)
  return insertAt(source, source.length, source === '' || source.endsWith('\n') ? lines : eol + lines)
}

/** A header written from its data: one line a key, and the `neo:` block last. */
export function headerText({ neo, ...rest }: { readonly [key: string]: Json }, eol: string): string {
  const lines = Object.entries(rest).map(([key, value]) => pairLine(key, value))
  if (isObject(neo) && Object.keys(neo).length > 0)
    lines.push('neo:', ...Object.entries(neo).map(([key, value]) => `  ${pairLine(key, value)}`))
  else if (neo !== undefined) lines.push(pairLine('neo', neo))
  return lines.map((line) => line + eol).join('')
}

function isBefore(a: BlockPair, b: BlockPair): boolean {
  return (rangeOf(a.key)?.[0] ?? 0) < (rangeOf(b.key)?.[0] ?? 0)
}

function insertAfter(source: string, pair: BlockPair, lines: string): string | null {
  const end = pairEnd(source, pair)
  return end === null ? null : insertAt(source, end, lines)
}

function insertAt(source: string, offset: number, text: string): string {
  return source.slice(0, offset) + text + source.slice(offset)
}

/** Offset after the last line of a pair. */
function pairEnd(source: string, pair: BlockPair): number | null {
  const key = rangeOf(pair.key)
  const value = rangeOf(pair.value)
  if (key === null) return null
  if (value !== null && keepsBlanks(source, value[0])) return value[1]
  return lineEnd(source, Math.max(key[1], contentEnd(source, value?.[1] ?? key[1])))
}

/** True for a block scalar (`|+`) whose blank lines at the end are part of it. */
function keepsBlanks(source: string, from: number): boolean {
  return /^[|>]\d?\+/.test(source.slice(from, from + 3))
}

/** Offset before the white space at the end of a node's range. */
function contentEnd(source: string, to: number): number {
  let end = to
  while (end > 0 && /\s/.test(source[end - 1] ?? '')) end--
  return end
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return isMap(value)
}

interface ListEdit {
  readonly value: readonly Json[]
  readonly eol: string
}

/** Replaces the items between the longest equal start and the longest equal end of the two lists. */
function editList(source: string, list: YAMLSeq<unknown>, { value, eol }: ListEdit): string | null {
  const old = list.items.map((item) => JSON.stringify(yaml().isNode(item) ? item : null))
  const next = value.map((item) => JSON.stringify(item))
  if (old.length === 0 || next.length === 0) return null
  let head = 0
  while (head < Math.min(old.length, next.length) && old[head] === next[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, next.length) - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++
  if (head + tail === 0) return null
  const fresh = value.slice(head, value.length - tail)
  return list.flow
    ? inFlow(source, list, { head, tail, fresh })
    : inBlock(source, list, { head, tail, fresh, eol })
}

interface Splice {
  readonly head: number
  readonly tail: number
  readonly fresh: readonly Json[]
}

function inFlow(source: string, list: YAMLSeq<unknown>, { head, tail, fresh }: Splice): string | null {
  const ranges = list.items.map(rangeOf)
  const texts = fresh.map((item) => flowText(item))
  const before = ranges[head - 1]
  const after = ranges[ranges.length - tail]
  if (before && after) return join(source, before[1], { texts: ['', ...texts, ''], to: after[0] })
  if (before) return join(source, before[1], { texts: ['', ...texts], to: ranges.at(-1)?.[1] ?? before[1] })
  if (after) return join(source, ranges[0]?.[0] ?? after[0], { texts: [...texts, ''], to: after[0] })
  return null
}

function join(source: string, from: number, by: { texts: readonly string[]; to: number }): string {
  return source.slice(0, from) + by.texts.join(', ') + source.slice(by.to)
}

function inBlock(source: string, list: YAMLSeq<unknown>, splice: Splice & { eol: string }): string | null {
  const { head, tail, fresh, eol } = splice
  const starts = list.items.map((item) => {
    const range = rangeOf(item)
    return range && lineStart(source, range[0])
  })
  const ends = list.items.map((item) => {
    const range = rangeOf(item)
    return range && lineEnd(source, contentEnd(source, range[1]))
  })
  const first = starts[0]
  if (first === undefined || first === null || starts.includes(null) || ends.includes(null)) return null
  const dash = /^([ \t]*- +)/.exec(source.slice(first, first + 200))?.[1]
  if (dash === undefined) return null
  const from = head === 0 ? first : ends[head - 1]
  const to = head + tail === list.items.length ? from : ends[list.items.length - tail - 1]
  if (typeof from !== 'number' || typeof to !== 'number') return null
  const lines = fresh.map((item) => `${dash}${inlineText(item)}${eol}`)
  return source.slice(0, from) + lines.join('') + source.slice(to)
}
