/**
 * Flaws of YAML in words for people who don't know YAML: errors of `yaml`, and what YAML accepts but the author
 * hardly meant (a comment inside a value, spaces that YAML doesn't take as spaces).
 */
import type { YAMLParseError } from 'yaml'
import { type Flaw, lineAt, lineStart, placeOf } from './read-header.ts'

/** More would hide the first, which usually causes the others. */
const MOST_FLAWS = 3

/** Limit of a line for matching. */
const LONGEST_LINE = 500

/** At most MOST_FLAWS flaws, one a line. */
export function flawsOf(source: string, errors: readonly YAMLParseError[]): readonly Flaw[] {
  const lines = new Set<number>()
  const flaws: Flaw[] = []
  for (const error of errors) {
    const flaw = flawOf(source, error)
    const { line } = placeOf(source, flaw.offset)
    if (flaws.length === MOST_FLAWS || lines.has(line)) continue
    lines.add(line)
    flaws.push(flaw)
  }
  return flaws
}

interface Found {
  readonly source: string
  readonly offset: number
  /** Offset and text of the line with the error; of the one before it if that is blank. */
  readonly start: number
  readonly line: string
  readonly error: YAMLParseError
}

function flawOf(source: string, error: YAMLParseError): Flaw {
  const offset = Math.min(error.pos[0], source.trimEnd().length)
  const start = lineStart(source, offset)
  const found: Found = { source, offset, start, line: lineAt(source, start).slice(0, LONGEST_LINE), error }
  return (
    valueFlaw(found) ??
    quoteFlaw(found) ??
    keyFlaw(found) ??
    bracketFlaw(found) ??
    lineFlaw(found) ??
    otherFlaw(found)
  )
}

/** `title: Fix: the login` and `title: @name`: values that need quotes. */
function valueFlaw({ start, line, error }: Found): Flaw | null {
  const [before, key, text] = /^\s*(?:- )?([\w./-]+):\s+(?=\S)(.*?)(?:\s+#.*|\s*)$/.exec(line) ?? []
  if (before === undefined || key === undefined || text === undefined) return null
  const offset = start + line.indexOf(text, line.indexOf(`${key}:`) + key.length + 1)
  const isColon = error.code === 'BLOCK_AS_IMPLICIT_KEY' || /mappings|Implicit/.test(error.message)
  if (isColon && /^[^"'[{&*!|>].*:(?:\s|$)/.test(text))
    return flaw(offset, `${key}: the value contains a colon and has no quotes`, quoteHint(key, text))
  const isStart =
    error.code === 'BAD_SCALAR_START' || error.code === 'UNEXPECTED_TOKEN' || /reserved/.test(error.message)
  if (isStart && /^[@`%&*!|>]/.test(text))
    return flaw(offset, `${key}: the value starts with "${text[0]}" and has no quotes`, quoteHint(key, text))
  return null
}

function quoteFlaw({ source, offset, error }: Found): Flaw | null {
  if (error.code !== 'MISSING_CHAR' || !/quote/i.test(error.message)) return null
  const quote = openQuote(source, offset)
  return flaw(
    quote,
    `the quote in \`${lineOf(source, quote)}\` is not closed`,
    'Close the quote, or put the whole value in "double quotes"',
  )
}

/** Offset of the quote that is open at `offset`. */
function openQuote(source: string, offset: number): number {
  for (let at = Math.min(offset, source.length - 1); at >= 0; at--)
    if ((source[at] === '"' || source[at] === "'") && /[\s[{,:-]/.test(source[at - 1] ?? ' ')) return at
  return offset
}

function keyFlaw({ source, offset, line, error }: Found): Flaw | null {
  const shown = cut(line.trim())
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^\s*([\w./-]+):/.exec(line)?.[1] ?? shown
    return flaw(offset, `duplicate key "${key}"`, 'Remove one of the two lines')
  }
  if (error.code === 'TAB_AS_INDENT' || source[offset] === '\t')
    return flaw(offset, 'the line is indented with a tab', 'Replace the tab with two spaces')
  if (/reserved character|plain value cannot start/i.test(error.message))
    return flaw(
      offset,
      `\`${shown}\`: a value starts with a reserved character and has no quotes`,
      'Put the value in quotes, such as ["@name"]',
    )
  return null
}

/** `labels: [a, b`, also if the error shows some lines later. */
function bracketFlaw({ source, offset, error }: Found): Flaw | null {
  if (!/flow|[\]}]/i.test(error.message)) return null
  const open: number[] = []
  for (let at = 0; at < offset; at++) {
    const char = source[at] ?? ''
    if (char === '[' || char === '{') open.push(at)
    else if (char === ']' || char === '}') open.pop()
  }
  const first = open[0]
  if (first === undefined) return null
  return flaw(
    first,
    `the bracket in \`${lineOf(source, first)}\` is not closed`,
    'Close the bracket, or put the value in quotes',
  )
}

/** A line without its colon or the space of its dash, one that is indented too far, or a list beside its key. */
function lineFlaw(found: Found): Flaw | null {
  const { source, offset, start, line, error } = found
  if (/Implicit map keys need/.test(error.message)) return bareFlaw(found)
  const [, key, item] = /^ *([\w-]+): +- +(.*)$/.exec(line) ?? []
  if (key !== undefined && /block-seq-ind on same line/.test(error.message))
    return flaw(offset, `${key}: a list begins beside its key`, `Use brackets: ${key}: [${cut(item ?? '')}]`)
  const next = start + line.length + 1
  const [below, spaces = ''] = /^( +)[\w-]+:.*/.exec(lineAt(source, next)) ?? []
  if (below === undefined || !/Nested mappings/.test(error.message)) return null
  const message = `\`${cut(below.trim())}\` is indented too far`
  return flaw(next + spaces.length, message, 'Remove spaces at the start of the line')
}

function bareFlaw({ offset, line }: Found): Flaw {
  const shown = `\`${cut(line.trim())}\``
  if (/^ *-\S/.test(line))
    return flaw(
      offset,
      `${shown} has no space after the dash`,
      `Write ${cut(line.trim().replace('-', '- '))}`,
    )
  const [, key, text = ''] = /^ *([a-z_]+)(?: *[=:\uff1a] *| +)(.*)$/.exec(line) ?? []
  const right = key === undefined ? 'key: value, such as status: pending' : `${key}: ${cut(text.trim())}`
  return flaw(offset, `${shown} has no colon and space after the key`, `Write ${right}`)
}

function otherFlaw({ offset, line, error }: Found): Flaw {
  const said = error.message.split('\n')[0]?.replace(/[.:]$/, '') ?? ''
  return flaw(
    offset,
    `invalid YAML \`${cut(line.trim())}\`: ${said}`,
    'Write key: value, put the value in quotes, or correct the indentation',
  )
}

function flaw(offset: number, message: string, hint: string): Flaw {
  return { code: 'yaml', offset, message, hint }
}

function quoteHint(key: string, text: string): string {
  return `Use quotes: ${key}: ${JSON.stringify(text.replace(/^['"]|['"]$/g, ''))}`
}

function lineOf(source: string, offset: number): string {
  return cut(lineAt(source, lineStart(source, offset)).trim())
}

/** Long lines would hide the message. */
function cut(text: string): string {
  const chars = [...text]
  return chars.length > 60 ? `${chars.slice(0, 59).join('')}…` : text
}

const SPACES = '\\u00a0\\u2000-\\u200b\\u202f\\u205f\\u3000'
const ANY_ODD_SPACE = new RegExp(`[${SPACES}]`)
/**
 * Where YAML wants a space: at the start or end of a line, or after a key or a dash. Elsewhere it is a part of a
 * text.
 */
const ODD_SPACE = new RegExp(`^ *(?:- *)?(?:[\\w./-]+: *)?([${SPACES}])|([${SPACES}])\\s*$`)
/** `title: Fix issue #123`; a real comment has a space after its mark. */
const COMMENT = /^( *(?:- +)?)(?:([\w./-]+): +|(?<=- +))([^\s"'[{|>&*!#][^#]*? +)?(#[^\s#].*)$/
const BLOCK = /^( *)(?:- +)?(?:[\w./-]+: +)?[|>][-+\d]*\s*(?:#.*)?$/

/** Values that a comment cuts; offsets are within `source`. */
export function commentFlaws(source: string): readonly Flaw[] {
  if (!/[ \t]#\S/.test(source)) return []
  const lines = linesOf(source)
  return lines.flatMap(({ text, at, isText }, index) => {
    const [, start = '', key, value = '', comment = ''] = (!isText && COMMENT.exec(text)) || []
    if (comment === '' || (value === '' && isOpen(lines[index + 1]?.text, start))) return []
    const name = key ?? 'a list item'
    const read = value === '' ? 'is empty' : `is read as "${shown(value.trim())}"`
    const whole = JSON.stringify(shown(`${value}${comment}`.trimEnd()))
    const hint = `Use quotes: ${key === undefined ? '-' : `${key}:`} ${whole}, or put a space after #`
    const offset = at + text.indexOf(comment, start.length)
    const message = `${name} ${read}: "${shown(comment.slice(0, 20))}" starts a YAML comment`
    return [{ code: 'comment', offset, message, hint }]
  })
}

/** The first space that YAML doesn't take as one. */
export function oddSpaceFlaw(source: string): Flaw | null {
  if (!ANY_ODD_SPACE.test(source)) return null
  for (const { text, at, isText } of linesOf(source)) {
    const [whole, before, after] = (!isText && ODD_SPACE.exec(text)) || []
    const char = before ?? after
    if (whole === undefined || char === undefined) continue
    const offset = at + (before === undefined ? text.lastIndexOf(char) : whole.length - 1)
    const name = char === '\u00a0' ? 'a no-break space' : 'a special space'
    const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    const message = `the header has ${name} (U+${code}) where YAML needs a normal space`
    return { code: 'space', offset, message, hint: 'Replace it with a normal space, or remove it' }
  }
  return null
}

interface Line {
  readonly text: string
  readonly at: number
  /** Inside a block of text (`key: |`). */
  readonly isText: boolean
}

function linesOf(source: string): readonly Line[] {
  let at = 0
  let block: number | null = null
  return source.split('\n').map((whole) => {
    const text = whole.replace(/\r$/, '')
    const indent = /^ */.exec(text)?.[0].length ?? 0
    if (block !== null && text.trim() !== '' && indent <= block) block = null
    const line = { text, at, isText: block !== null }
    if (block === null && BLOCK.test(text)) block = indent
    at += whole.length + 1
    return line
  })
}

/** True if the value is on the lines below. */
function isOpen(next: string | undefined, start: string): boolean {
  if (next === undefined) return false
  const indent = /^ */.exec(next)?.[0].length ?? 0
  return indent > start.length || (indent === start.length && next.startsWith('-', indent))
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
