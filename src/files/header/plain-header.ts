/**
 * The fast path for YAML: plain maps and lists of one-line scalars, quoted scalars and flow lists. Measured: a header
 * of ten lines takes `yaml` 16 times as long, and most commands never load `yaml` and gray-matter. Invariant 1: the
 * result is that of `yaml` (a property test); anything that isn't surely plain is UNSURE.
 */

/** Deeper headers go to the guards and `yaml`. */
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

/** The lines that aren't blank or comments, without trailing blanks; null with a lone carriage return. */
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

/** The value on the lines under a key: a list, a map, or null without lines. */
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

/** Not a value: ask `yaml`. */
const UNSURE = Symbol('unsure')

/** What can follow a quoted or flow value on its line. */
const COMMENT = /^ +(?:#.*)?$/
const DEEPEST = 6
/** YAML allows keys of 1,024 characters; no real one comes near this. */
const LONGEST_KEY = 60

/** Reads a value that fills the rest of its line, except for a comment. The line has no trailing blanks. */
function inline(line: string, from: number): unknown {
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

/** Offset of the colon that ends the key at `from`; -1 if that isn't a plain key. */
export function keyEnd(text: string, from: number): number {
  let at = from
  let code = text.charCodeAt(at)
  if (!isLetter(code) && code !== 95) return -1
  while (isLetter(code) || (code >= 45 && code <= 57) || code === 95) code = text.charCodeAt(++at)
  if (code !== 58 || at - from > LONGEST_KEY) return -1
  return at + 1 === text.length || text.charCodeAt(at + 1) === SPACE ? at : -1
}

/** Keys that aren't strings in YAML, or that are special in JavaScript. */
function isReserved(key: string): boolean {
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

/** The value of a plain scalar in YAML 1.2. */
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

/** Characters that can only begin a plain scalar: letters, digits, `_ . / ~ + ( $` and non-ASCII. */
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
