/**
 * The fast path's values on one line: plain and quoted scalars, and flow lists and maps of them; and its keys. Invariant
 * 1 of plain.ts holds here too: what is not surely plain is UNSURE.
 */

/** Not a value: ask `yaml`. */
export const UNSURE = Symbol('unsure')

/** What can follow a quoted or flow value on its line. */
const COMMENT = /^ +(?:#.*)?$/
const DEEPEST = 6
/** YAML allows keys of 1,024 characters; no real one comes near this. */
const LONGEST_KEY = 60
const SPACE = 32

/** Reads a value that fills the rest of its line, but for a comment. The line has no blanks at its end. */
export function inline(line: string, from: number): unknown {
  const first = line[from]
  if (first === '"' || first === "'") return alone(quoted(line, from), line)
  if (first === '[' || first === '{') return alone(flow(line, from, 0), line)
  if (!canStart(line.charCodeAt(from))) return UNSURE
  const comment = line.indexOf(' #', from)
  const text = comment === -1 ? line.slice(from) : trimEnd(line.slice(from, comment))
  const colon = text.indexOf(':')
  if (colon !== -1 && (text.endsWith(':') || text.includes(': ', colon))) return UNSURE
  return scalar(text)
}

/** Offset of the colon that ends the key at `from`; -1 if no plain key is there. */
export function keyEnd(text: string, from: number): number {
  let at = from
  let code = text.charCodeAt(at)
  if (!isLetter(code) && code !== 95) return -1
  while (isLetter(code) || (code >= 45 && code <= 57) || code === 95) code = text.charCodeAt(++at)
  if (code !== 58 || at - from > LONGEST_KEY) return -1
  return at + 1 === text.length || text.charCodeAt(at + 1) === SPACE ? at : -1
}

/** Keys that are no strings in YAML, or no plain ones in JavaScript. */
export function isReserved(key: string): boolean {
  const { length } = key
  return (length === 4 || length === 5 || length === 9) && /^(?:true|false|null|__proto__)$/i.test(key)
}

interface Part {
  readonly value: unknown
  readonly end: number
}

/** The value of a part that only a comment follows. */
function alone(part: Part | null, text: string): unknown {
  if (part === null) return UNSURE
  return part.end === text.length || COMMENT.test(text.slice(part.end)) ? part.value : UNSURE
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
    const colon = keyEnd(text, at)
    const key = text.slice(at, colon)
    if (colon === -1 || Object.hasOwn(map, key) || isReserved(key)) return null
    at = skip(text, colon + 1)
    const isEmpty = text[at] === ',' || text[at] === '}'
    const item = isEmpty ? { value: null, end: at } : flowValue(text, at, depth)
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
  if (!canStart(text.charCodeAt(at))) return null
  let end = at
  while (end < text.length && !isFlowMark(text.charCodeAt(end))) end++
  const plain = trimEnd(text.slice(at, end))
  if (plain.includes(' #') || plain.includes(': ') || plain.endsWith(':')) return null
  return { value: scalar(plain), end }
}

/** What YAML 1.2 makes of a plain scalar. */
function scalar(text: string): unknown {
  const code = text.charCodeAt(0)
  if (code === 126) return text.length === 1 ? null : text
  if (code >= 43 && code <= 57) return number(text)
  if (text.length > 5 || text.length < 4) return text
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return /^(?:null|Null|NULL)$/.test(text) ? null : text
}

function number(text: string): unknown {
  if (!/^[-+.\deE]+$/.test(text)) return oddNumber(text)
  if (/^[-+]?\d+$/.test(text)) return Number.parseInt(text, 10)
  const isFloat =
    /^[-+]?(?:\.\d+|\d+\.\d*)$/.test(text) || /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+$/.test(text)
  return isFloat ? Number.parseFloat(text) : text
}

/** `0x1F`, `0o7`, `.inf`, `.nan`. */
function oddNumber(text: string): unknown {
  if (/^0x[\da-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text))
    return text[0] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : text
}

/** Characters that can begin a plain scalar and mean nothing else: letters, digits, `_ . / ~ + ( $` and non-ASCII. */
function canStart(code: number): boolean {
  if (isLetter(code) || code >= 0xa1) return true
  return (
    (code >= 46 && code <= 57) || code === 95 || code === 126 || code === 43 || code === 40 || code === 36
  )
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

/** `,` `[` `]` `{` `}` */
function isFlowMark(code: number): boolean {
  return code === 44 || code === 91 || code === 93 || code === 123 || code === 125
}

function skip(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === SPACE) at++
  return at
}

function trimEnd(text: string): string {
  let end = text.length
  while (text.charCodeAt(end - 1) === SPACE) end--
  return end === text.length ? text : text.slice(0, end)
}
