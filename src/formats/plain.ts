/**
 * The fast path for YAML: plain maps and lists of one-line scalars, as people and Neo write them.
 * Takes the source of a header; gives what `yaml` would give, or null where it is not sure (`yaml` is then asked).
 * Invariant 1: it never gives anything that `yaml` would not give for the same source (a property test).
 * Leaves to plain-flow.ts: the values on one line.
 */
import { inline, UNSURE } from './plain-flow.ts'

/** Nothing real nests deeper; what does goes to the guards and `yaml`. */
const MAX_PLAIN_DEPTH = 6
/** No tab, no other control character, no line separator, no byte order mark. */
const SAFE = /^[\n\r\x20-\x7e\u00a1-\u2027\u202a-\ufefe\uff00-\uffff]*$/
const KEY = /^([A-Za-z_][\w./-]{0,60}):(?: +(.*))?$/
const RESERVED = /^(?:true|false|null|__proto__)$/i

interface Line {
  readonly indent: number
  readonly text: string
}

interface Lines {
  readonly all: readonly Line[]
  next: number
}

/** Reads a plain header; null where `yaml` must be asked. */
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
  const lines: Line[] = []
  for (const raw of source.split('\n')) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line.includes('\r')) return null
    let indent = 0
    while (line[indent] === ' ') indent++
    if (indent === line.length || line[indent] === '#') continue
    let end = line.length
    while (line[end - 1] === ' ') end--
    lines.push({ indent, text: line.slice(indent, end) })
  }
  return lines
}

function blockMap(lines: Lines, indent: number, depth: number): Record<string, unknown> | null {
  const map: Record<string, unknown> = {}
  for (let line = lines.all[lines.next]; line?.indent === indent; line = lines.all[lines.next]) {
    const match = KEY.exec(line.text)
    const key = match?.[1]
    if (match === null || key === undefined || Object.hasOwn(map, key) || RESERVED.test(key)) return null
    lines.next++
    const rest = match[2] ?? ''
    const value = rest === '' || rest.startsWith('#') ? below(lines, indent, depth) : inline(rest)
    if (value === UNSURE || (lines.all[lines.next]?.indent ?? 0) > indent) return null
    map[key] = value
  }
  return map
}

/** The value on the lines under a key: a list, a map, or null where there are none. */
function below(lines: Lines, indent: number, depth: number): unknown {
  const line = lines.all[lines.next]
  if (line === undefined || line.indent < indent) return null
  const isList = line.text.startsWith('- ')
  if (line.indent === indent) return isList ? blockList(lines, indent) : null
  if (depth === MAX_PLAIN_DEPTH) return UNSURE
  if (isList) return blockList(lines, line.indent)
  return blockMap(lines, line.indent, depth + 1) ?? UNSURE
}

function blockList(lines: Lines, indent: number): unknown {
  const list: unknown[] = []
  for (let line = lines.all[lines.next]; line?.indent === indent; line = lines.all[lines.next]) {
    if (!line.text.startsWith('- ')) break
    lines.next++
    const rest = line.text.slice(2).trimStart()
    const value = rest === '' || rest.startsWith('#') ? UNSURE : inline(rest)
    if (value === UNSURE || (lines.all[lines.next]?.indent ?? 0) > indent) return UNSURE
    list.push(value)
  }
  return list
}
