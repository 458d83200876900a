/**
 * The fast path for YAML: plain maps and lists of one-line scalars, as people and Neo write them. Measured: a header of
 * ten lines takes `yaml` 16 times as long, and most commands never load `yaml` and gray-matter. Invariant 1: the result
 * is the one of `yaml` (a property test).
 */
import { inline, isReserved, keyEnd, UNSURE } from './plain-flow.ts'

/** Nothing real nests deeper; what does goes to the guards and `yaml`. */
const MAX_PLAIN_DEPTH = 6
/** No tab, no other control character, no line separator, no byte order mark. */
const SAFE = /^[\n\r\x20-\x7e\u00a1-\u2027\u202a-\ufefe\uff00-\uffff]*$/
const [SPACE, HASH, DASH, CR] = [32, 35, 45, 13]

interface Line {
  readonly indent: number
  readonly text: string
}

interface Lines {
  readonly all: readonly Line[]
  next: number
}

/** Null if the header is not plain and `yaml` has to read it. */
export function readPlain(source: string): Record<string, unknown> | null {
  if (!SAFE.test(source)) return null
  const all = linesOf(source)
  if (all === null) return null
  const lines: Lines = { all, next: 0 }
  if (all.length === 0) return {}
  const map = blockMap(lines, 0, 0)
  return map === null || lines.next < all.length ? null : map
}

/** The lines that say something, without blanks at their end; null with a lone carriage return. */
function linesOf(source: string): Line[] | null {
  const hasCr = source.includes('\r')
  if (hasCr && /\r(?!\n)/.test(source)) return null
  const lines: Line[] = []
  for (let from = 0; from < source.length; ) {
    const at = source.indexOf('\n', from)
    const next = at === -1 ? source.length : at
    let start = from
    while (source.charCodeAt(start) === SPACE) start++
    let end = hasCr && source.charCodeAt(next - 1) === CR ? next - 1 : next
    while (end > start && source.charCodeAt(end - 1) === SPACE) end--
    if (start < end && source.charCodeAt(start) !== HASH)
      lines.push({ indent: start - from, text: source.slice(start, end) })
    from = next + 1
  }
  return lines
}

function blockMap(lines: Lines, indent: number, depth: number): Record<string, unknown> | null {
  const map: Record<string, unknown> = {}
  for (let line = lines.all[lines.next]; line?.indent === indent; line = lines.all[lines.next]) {
    const { text } = line
    const end = keyEnd(text, 0)
    if (end === -1) return null
    const key = text.slice(0, end)
    if (Object.hasOwn(map, key) || isReserved(key)) return null
    lines.next++
    let from = end + 1
    while (text.charCodeAt(from) === SPACE) from++
    const isEmpty = from >= text.length || text.charCodeAt(from) === HASH
    const value = isEmpty ? below(lines, indent, depth) : inline(text, from)
    if (value === UNSURE || (lines.all[lines.next]?.indent ?? 0) > indent) return null
    map[key] = value
  }
  return map
}

/** The value on the lines under a key: a list, a map, or null if there are none. */
function below(lines: Lines, indent: number, depth: number): unknown {
  const line = lines.all[lines.next]
  if (line === undefined || line.indent < indent) return null
  const isList = isItem(line.text)
  if (line.indent === indent) return isList ? blockList(lines, indent) : null
  if (depth === MAX_PLAIN_DEPTH) return UNSURE
  if (isList) return blockList(lines, line.indent)
  return blockMap(lines, line.indent, depth + 1) ?? UNSURE
}

function blockList(lines: Lines, indent: number): unknown {
  const list: unknown[] = []
  for (let line = lines.all[lines.next]; line?.indent === indent; line = lines.all[lines.next]) {
    const { text } = line
    if (!isItem(text)) break
    lines.next++
    let from = 2
    while (text.charCodeAt(from) === SPACE) from++
    const value = text.charCodeAt(from) === HASH ? UNSURE : inline(text, from)
    if (value === UNSURE || (lines.all[lines.next]?.indent ?? 0) > indent) return UNSURE
    list.push(value)
  }
  return list
}

function isItem(text: string): boolean {
  return text.charCodeAt(0) === DASH && text.charCodeAt(1) === SPACE
}
