/**
 * Setting a key of a block map, one `key: value` a line, by splicing its text. Invariant 1: a new key goes before the
 * `neo:` block, which so stays the last.
 */
import type { Pair, YAMLMap } from 'yaml'
import { editList } from './edit-list.ts'
import { colonEnd, quoteOf, rangeOf, setInFlow } from './edit-flow.ts'
import { yaml } from '../header/engines.ts'
import { lineEnd } from '../header/fence.ts'
import { inlineText, type Json, keyText } from './scalar.ts'
import { keyOf } from '../header/yaml.ts'

type BlockMap = YAMLMap<unknown, unknown>
type BlockPair = Pair<unknown, unknown>

export interface Within {
  /** null: an empty header. */
  readonly map: BlockMap | null
  /** What is before each key; null: as before the map's first key. */
  readonly indent: string | null
}

export interface BlockEdit {
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

/** Sets the keys of a map one by one, so that its unchanged lines stay. Only the first change: the caller repeats. */
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

/** Puts a value on the key's line in place of the old one, however many lines that had; keeps a comment after it. */
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
  const start = source.lastIndexOf('\n', key[0] - 1) + 1
  return source.slice(0, start) + source.slice(end)
}

function addPair(source: string, within: Within, { key, value, eol }: BlockEdit): string | null {
  const items = within.map?.items ?? []
  const first = rangeOf(items[0]?.key)
  const indent =
    within.indent ??
    (first === null ? '' : source.slice(source.lastIndexOf('\n', first[0] - 1) + 1, first[0]))
  const isTop = within.indent === ''
  const lines = pairLines({ key, value: value ?? null, eol }, { indent, isTop })
  const neo = isTop && key !== 'neo' ? items.find((item) => keyOf(item) === 'neo') : undefined
  const before = items.filter((item) => item !== neo).at(-1)
  if (before !== undefined && (neo === undefined || isBefore(before, neo)))
    return insertAfter(source, before, lines)
  const neoKey = rangeOf(neo?.key)
  if (neoKey !== null) return insertAt(source, source.lastIndexOf('\n', neoKey[0] - 1) + 1, lines)
  return insertAt(source, source.length, source === '' || source.endsWith('\n') ? lines : eol + lines)
}

function pairLines(
  pair: { key: string; value: Json; eol: string },
  at: { indent: string; isTop: boolean },
): string {
  const { key, value, eol } = pair
  if (!at.isTop || key !== 'neo' || !isObject(value) || Object.keys(value).length === 0)
    return `${at.indent}${keyText(key)}: ${inlineText(value)}${eol}`
  const inner = Object.entries(value).map(([name, item]) => `  ${keyText(name)}: ${inlineText(item)}${eol}`)
  return `neo:${eol}${inner.join('')}`
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

/** Offset behind the last line of a pair. */
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

/** Goes back over the white space that a node's range ends with. */
function contentEnd(source: string, to: number): number {
  let end = to
  while (end > 0 && /\s/.test(source[end - 1] ?? '')) end--
  return end
}

function isObject(value: Json): value is { [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
