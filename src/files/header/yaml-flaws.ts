/** What `yaml` says is wrong, in words for people who do not know YAML. */
import type { YAMLParseError } from 'yaml'
import { lineAt, placeOf } from './fence.ts'
import type { Flaw } from './read-header.ts'

/** More would hide the first, which mostly is the cause of the others. */
const MOST_FLAWS = 3

/** What is looked at of a line: matching more would only take time. */
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
  /** Offset and text of the line that the error is on; of the one before it if that is blank. */
  readonly start: number
  readonly line: string
  readonly error: YAMLParseError
}

function flawOf(source: string, error: YAMLParseError): Flaw {
  const offset = Math.min(error.pos[0], source.trimEnd().length)
  const start = lineStart(source, offset)
  const found: Found = { source, offset, start, line: lineAt(source, start).slice(0, LONGEST_LINE), error }
  return valueFlaw(found) ?? quoteFlaw(found) ?? keyFlaw(found) ?? bracketFlaw(found) ?? otherFlaw(found)
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

function lineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1
}

function lineOf(source: string, offset: number): string {
  return cut(lineAt(source, lineStart(source, offset)).trim())
}

/** Long lines would hide the message. */
function cut(text: string): string {
  const chars = [...text]
  return chars.length > 60 ? `${chars.slice(0, 59).join('')}…` : text
}
