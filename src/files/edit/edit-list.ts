/** Setting a list so that the items that stay keep their text: their lines, comments and quotes. */
import type { YAMLSeq } from 'yaml'
import { rangeOf } from './edit-flow.ts'
import { yaml } from '../header/engines.ts'
import { lineEnd } from '../header/fence.ts'
import { flowText, inlineText, type Json } from './scalar.ts'

export interface ListEdit {
  readonly value: readonly Json[]
  readonly eol: string
}

/** Replaces what is between the longest equal start and the longest equal end of the two lists. */
export function editList(source: string, list: YAMLSeq<unknown>, { value, eol }: ListEdit): string | null {
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
  const starts = list.items.map((item) => lineStart(source, rangeOf(item)?.[0]))
  const ends = list.items.map((item) => endOf(source, rangeOf(item)?.[1]))
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

function lineStart(source: string, offset: number | undefined): number | null {
  return offset === undefined ? null : offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1
}

function endOf(source: string, to: number | undefined): number | null {
  if (to === undefined) return null
  let end = to
  while (end > 0 && /\s/.test(source[end - 1] ?? '')) end--
  return lineEnd(source, end)
}
