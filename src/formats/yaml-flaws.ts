/**
 * What `yaml` says is wrong, in words for people who do not know YAML.
 * Takes the source and the parser's errors; gives flaws with offset, message and a hint that mends the line.
 */
import type { YAMLParseError } from 'yaml'
import { lineAt, placeOf } from './fence.ts'
import type { Flaw } from './read.ts'

/** One flaw a line is enough: the first is the cause, the others follow from it. */
const MOST_FLAWS = 3

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

function flawOf(source: string, error: YAMLParseError): Flaw {
  const offset = Math.min(error.pos[0], source.length)
  const line = lineAt(source, lineStart(source, offset))
  return (
    colonFlaw(source, offset, line, error) ??
    quoteFlaw(source, offset, error) ??
    knownFlaw(offset, line, error)
  )
}

/** `title: Fix: the login` and `title: @name`: values that need quotes. */
function colonFlaw(source: string, offset: number, line: string, error: YAMLParseError): Flaw | null {
  const value = /^(\s*(?:- )?)([\w./-]+):\s+(.*\S)\s*$/.exec(line)
  const [, , key, text] = value ?? []
  if (key === undefined || text === undefined) return null
  const colon = error.code === 'BLOCK_AS_IMPLICIT_KEY' || /mappings|Implicit/.test(error.message)
  const start =
    error.code === 'BAD_SCALAR_START' || error.code === 'UNEXPECTED_TOKEN' || /reserved/.test(error.message)
  if (colon && /^[^"'[{&*!|>].*:(?:\s|$)/.test(text)) {
    const at = lineStart(source, offset) + line.indexOf(text, line.indexOf(`${key}:`) + key.length + 1)
    return flaw(
      at,
      `${key} has a colon in a value without quotes, want quotes around it`,
      quoteHint(key, text),
    )
  }
  if (start && /^[@`%&*!|>]/.test(text))
    return flaw(offset, `${key} starts with "${text[0]}", want quotes around the value`, quoteHint(key, text))
  return null
}

function quoteFlaw(source: string, offset: number, error: YAMLParseError): Flaw | null {
  if (error.code !== 'MISSING_CHAR' || !/quote/i.test(error.message)) return null
  const quote = openQuote(source, offset)
  const place = lineAt(source, lineStart(source, quote)).trim()
  return flaw(
    quote,
    `A quote that opens at \`${cut(place)}\` is not closed, want one at the end of the value`,
    'Close the quote, or put the whole value between "double quotes"',
  )
}

/** Offset of the quote that is open at `offset`. */
function openQuote(source: string, offset: number): number {
  for (let at = Math.min(offset, source.length - 1); at >= 0; at--)
    if ((source[at] === '"' || source[at] === "'") && /[\s[{,:-]/.test(source[at - 1] ?? ' ')) return at
  return offset
}

function knownFlaw(offset: number, line: string, error: YAMLParseError): Flaw {
  const key = /^\s*([\w./-]+):/.exec(line)?.[1]
  if (error.code === 'DUPLICATE_KEY')
    return flaw(
      offset,
      `The key "${key ?? cut(line.trim())}" is there twice, want it once`,
      'Remove one of the two lines',
    )
  if (error.code === 'TAB_AS_INDENT')
    return flaw(
      offset,
      'A tab stands where the line is indented, want spaces',
      'Replace the tab by two spaces',
    )
  if (/reserved character|plain value cannot start/i.test(error.message))
    return flaw(
      offset,
      `\`${cut(line.trim())}\` holds a value that starts with a reserved character, want quotes around it`,
      `Put that value between quotes, as in ["@name"]`,
    )
  if (/[[{]/.test(line) && /flow|expected .*[\]}]|Missing/i.test(error.message))
    return flaw(
      offset,
      `\`${cut(line.trim())}\` has an open bracket, want its closing one`,
      'Close the bracket, or put the value between quotes',
    )
  const said = error.message.split('\n')[0]?.replace(/[.:]$/, '') ?? ''
  return flaw(
    offset,
    `\`${cut(line.trim())}\` is not valid YAML (${said}), want key: value`,
    'Put the value between quotes, or mend the indentation',
  )
}

function flaw(offset: number, message: string, hint: string): Flaw {
  return { code: 'yaml', offset, message, hint }
}

function quoteHint(key: string, text: string): string {
  return `Write ${key}: ${JSON.stringify(text.replace(/^['"]|['"]$/g, ''))}`
}

function lineStart(source: string, offset: number): number {
  return offset === 0 ? 0 : source.lastIndexOf('\n', offset - 1) + 1
}

/** Long lines would hide the message. */
function cut(text: string): string {
  const chars = [...text]
  return chars.length > 60 ? `${chars.slice(0, 59).join('')}…` : text
}
