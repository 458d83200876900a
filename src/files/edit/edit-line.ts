/** Sets one key of a plain header by lines, without a parser, as in nearly each write of Neo. */
import { keyEnd } from '../header/plain-header.ts'
import { inlineText, type Json, pairLine, type Quote } from './scalar.ts'

interface Line {
  readonly from: number
  /** Offset after its line break. */
  readonly to: number
  readonly indent: number
  /** undefined for a line without `key:`. */
  readonly key: string | undefined
}

export interface KeyEdit {
  /** `[key]`, or `[key, key]` such as `['neo', 'id']`. */
  readonly path: readonly string[]
  readonly value: Json | undefined
  readonly eol: string
}

export function setLine(source: string, { path, value, eol }: KeyEdit): string | null {
  const [first = '', second] = path
  const lines = linesOf(source)
  if (second === undefined) return setIn(source, { lines, indent: '' }, { key: first, value, eol })
  const at = lines.findIndex((line) => line.indent === 0 && line.key === first)
  const block = lines[at]
  if (block === undefined)
    return value === undefined ? source : `${source}${first}:${eol}  ${pairLine(second, value)}${eol}`
  const next = lines.findIndex((line, index) => index > at && line.indent === 0)
  const inner = lines.slice(at + 1, next === -1 ? lines.length : next)
  const [head] = inner
  if (head === undefined) return null
  return setIn(
    source,
    { lines: inner, indent: source.slice(head.from, head.from + head.indent) },
    { key: second, value, eol },
  )
}

/** The lines of one map, and what comes before its keys. */
interface Level {
  readonly lines: readonly Line[]
  readonly indent: string
}

function setIn(
  source: string,
  level: Level,
  edit: { key: string; value: Json | undefined; eol: string },
): string | null {
  const { lines, indent } = level
  const at = lines.findIndex((line) => line.indent === indent.length && line.key === edit.key)
  const line = lines[at]
  if (line === undefined) return edit.value === undefined ? source : addLine(source, level, edit)
  const hasMore = (lines[at + 1]?.indent ?? 0) > indent.length || source.startsWith('- ', lines[at + 1]?.from)
  if (hasMore) return null
  if (edit.value === undefined) return source.slice(0, line.from) + source.slice(line.to)
  return replaceValue(source, line, edit.value)
}

/** After the last line; before the `neo:` block at the top. */
function addLine(
  source: string,
  { lines, indent }: Level,
  edit: { key: string; value: Json | undefined; eol: string },
): string | null {
  const neo = indent === '' ? lines.findIndex((line) => line.indent === 0 && line.key === 'neo') : -1
  if (neo !== -1 && lines.slice(neo + 1).some((line) => line.indent === 0)) return null
  const last = lines[(neo === -1 ? lines.length : neo) - 1]
  const offset = last?.to ?? (neo === -1 ? source.length : (lines[neo]?.from ?? 0))
  return `${source.slice(0, offset)}${indent}${pairLine(edit.key, edit.value ?? null)}${edit.eol}${source.slice(offset)}`
}

/** Replaces a scalar on the line of the key. */
function replaceValue(source: string, line: Line, value: Json): string | null {
  const colon = line.from + line.indent + (line.key?.length ?? 0) + 1
  let from = colon
  while (source[from] === ' ') from++
  const first = source[from] ?? ''
  if ('[{\r\n#'.includes(first) || from >= line.to) return null
  const quote: Quote = first === '"' ? 'double' : first === "'" ? 'single' : 'none'
  const to = quote === 'none' ? plainEnd(source, from, line.to) : source.indexOf(first, from + 1) + 1
  return source.slice(0, from) + inlineText(value, quote) + source.slice(to)
}

function plainEnd(source: string, from: number, lineTo: number): number {
  const comment = source.indexOf(' #', from)
  let end = comment === -1 || comment > lineTo ? lineTo : comment
  while (end > from && /\s/.test(source[end - 1] ?? '')) end--
  return end
}

/** The lines that aren't blank or comments. */
function linesOf(source: string): Line[] {
  const lines: Line[] = []
  for (let from = 0; from < source.length; ) {
    const at = source.indexOf('\n', from)
    const to = at === -1 ? source.length : at + 1
    let start = from
    while (source[start] === ' ') start++
    const text = source.slice(start, to).trimEnd()
    const end = keyEnd(text, 0)
    if (text !== '' && text[0] !== '#')
      lines.push({ from, to, indent: start - from, key: end === -1 ? undefined : text.slice(0, end) })
    from = to
  }
  return lines
}
