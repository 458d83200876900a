/**
 * The fast path's values on one line: plain and quoted scalars, and flow lists and maps of them.
 * Takes the text after `key: ` or `- `; gives the value, or UNSURE where `yaml` must be asked.
 * Invariant 1 of plain.ts holds here too.
 */

/** Not a value: ask `yaml`. */
export const UNSURE = Symbol('unsure')

/** First characters that can begin a plain scalar and mean nothing else. */
const FIRST = /^[A-Za-z0-9_./~+($\u00a1-\uffff]/
const FLOW_KEY = /^([A-Za-z_][\w./-]{0,60}):(?= |$)/
const RESERVED = /^(?:true|false|null|__proto__)$/i
const DEEPEST = 6

/** Reads a value that fills the rest of its line, but for a comment. */
export function inline(rest: string): unknown {
  const first = rest[0]
  if (first === '"' || first === "'") return alone(quoted(rest, 0), rest)
  if (first === '[' || first === '{') return alone(flow(rest, 0, 0), rest)
  if (!FIRST.test(rest)) return UNSURE
  const comment = rest.indexOf(' #')
  const text = comment === -1 ? rest : trimEnd(rest.slice(0, comment))
  return text.includes(': ') || text.endsWith(':') ? UNSURE : scalar(text)
}

interface Part {
  readonly value: unknown
  readonly end: number
}

/** The value of a part that only a comment follows. */
function alone(part: Part | null, text: string): unknown {
  if (part === null) return UNSURE
  const after = text.slice(part.end)
  return after === '' || /^ +(?:#.*)?$/.test(after) ? part.value : UNSURE
}

/** A quoted scalar without escapes. */
function quoted(text: string, at: number): Part | null {
  const quote = text[at] ?? ''
  const end = text.indexOf(quote, at + 1)
  if (end === -1 || text[end + 1] === quote) return null
  const value = text.slice(at + 1, end)
  return quote === '"' && value.includes('\\') ? null : { value, end: end + 1 }
}

function flow(text: string, at: number, depth: number): Part | null {
  if (depth === DEEPEST) return null
  return text[at] === '[' ? flowList(text, at, depth) : flowMap(text, at, depth)
}

function flowList(text: string, from: number, depth: number): Part | null {
  const list: unknown[] = []
  let at = skip(text, from + 1)
  if (text[at] === ']') return { value: list, end: at + 1 }
  for (;;) {
    const item = flowValue(text, at, depth)
    if (item === null) return null
    list.push(item.value)
    at = skip(text, item.end)
    if (text[at] === ']') return { value: list, end: at + 1 }
    if (text[at] !== ',') return null
    at = skip(text, at + 1)
  }
}

function flowMap(text: string, from: number, depth: number): Part | null {
  const map: Record<string, unknown> = {}
  let at = skip(text, from + 1)
  if (text[at] === '}') return { value: map, end: at + 1 }
  for (;;) {
    const key = FLOW_KEY.exec(text.slice(at, at + 70))?.[1]
    if (key === undefined || Object.hasOwn(map, key) || RESERVED.test(key)) return null
    at = skip(text, at + key.length + 1)
    const empty = text[at] === ',' || text[at] === '}'
    const item = empty ? { value: null, end: at } : flowValue(text, at, depth)
    if (item === null) return null
    map[key] = item.value
    at = skip(text, item.end)
    if (text[at] === '}') return { value: map, end: at + 1 }
    if (text[at] !== ',') return null
    at = skip(text, at + 1)
  }
}

function flowValue(text: string, at: number, depth: number): Part | null {
  const first = text[at]
  if (first === '"' || first === "'") return quoted(text, at)
  if (first === '[' || first === '{') return flow(text, at, depth + 1)
  let end = at
  while (end < text.length && !',[]{}'.includes(text[end] ?? '')) end++
  const plain = trimEnd(text.slice(at, end))
  if (!FIRST.test(plain) || plain.includes(' #') || plain.includes(': ') || plain.endsWith(':')) return null
  return { value: scalar(plain), end }
}

/** What YAML 1.2 makes of a plain scalar. */
function scalar(text: string): unknown {
  const code = text.charCodeAt(0)
  if (code === 126) return text.length === 1 ? null : text
  if (code >= 43 && code <= 57) return number(text)
  if (text.length > 5) return text
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return /^(?:null|Null|NULL)$/.test(text) ? null : text
}

function number(text: string): unknown {
  if (/^[-+]?[0-9]+$/.test(text)) return Number.parseInt(text, 10)
  if (/^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/.test(text)) return Number.parseFloat(text)
  if (/^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/.test(text)) return Number.parseFloat(text)
  return /^0[ox][0-9a-fA-F]+$|^[-+]?\.(?:inf|nan)$/i.test(text) ? UNSURE : text
}

function skip(text: string, from: number): number {
  let at = from
  while (text[at] === ' ') at++
  return at
}

function trimEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}
