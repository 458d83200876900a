/**
 * Checks before any parser sees a text; each is a linear walk. Invariant 1: a text that passes can't make a parser
 * recurse deeper than MAX_DEPTH levels.
 */
import type { Flaw } from './read-header.ts'

/** Far over any real header, and small enough to parse in a few ms. */
export const MAX_HEADER_BYTES = 16 * 1024
/** Real headers nest 3 deep; parsers overflow their stack at some thousands. */
export const MAX_DEPTH = 32
/** More than any real header uses; each one can multiply the size of what is read. */
export const MAX_ALIASES = 50

const CONFLICT = /^(?:<{7}(?: .*)?|={7}|>{7}(?: .*)?)\r?$/gm

/** Decodes UTF-8 and keeps a byte order mark; refuses anything that isn't text. */
export function decode(bytes: Buffer | string): { text: string } | Flaw {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8')
  if (text.includes('\0')) return notText('the file contains a NUL byte', text.indexOf('\0'))
  if (typeof bytes !== 'string' && text.includes('\ufffd') && !isUtf8(bytes))
    return notText('the file is not valid UTF-8', text.indexOf('\ufffd'))
  return { text }
}

function notText(message: string, offset: number): Flaw {
  return {
    code: 'encoding',
    offset,
    message,
    hint: 'Save the file as UTF-8 text',
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * Finds git's conflict markers: in the header any one of them, elsewhere all three in their order.
 * @param headerTo offset of the closing fence, 0 without a header
 */
export function conflictIn(text: string, headerTo: number): Flaw | null {
  if (!text.includes('<<<<<<<') && !(headerTo > 0 && /^(?:={7}|>{7})/m.test(text.slice(0, headerTo))))
    return null
  let seen = ''
  let first = -1
  for (const match of text.matchAll(CONFLICT)) {
    if (match.index < headerTo) return conflict(match.index)
    const mark = match[0][0]
    if (mark === '<') [seen, first] = ['<', match.index]
    else if (mark === '=' && seen === '<') seen = '<='
    else if (mark === '>' && seen === '<=') return conflict(first)
  }
  return null
}

function conflict(offset: number): Flaw {
  return {
    code: 'conflict',
    offset,
    message: 'merge conflict markers in the file',
    hint: 'Keep the lines that you want, and remove the marker lines',
  }
}

/** Refuses YAML that is too long, too deep or too full of aliases to be parsed. */
export function guardYaml(source: string, limitBytes: number): Flaw | null {
  if (source.length * 3 > limitBytes && Buffer.byteLength(source) > limitBytes)
    return tooLong(source, limitBytes)
  return tooDeep(source) ?? tooManyAliases(source)
}

function tooLong(source: string, limitBytes: number): Flaw {
  return {
    code: 'size',
    offset: 0,
    message: `the header is ${Math.ceil(Buffer.byteLength(source) / 1024)} KB long; the limit is ${limitBytes / 1024} KB`,
    hint: 'Move long text below the closing --- line',
  }
}

/** Counts open brackets, steps of indentation and `- ` or `? ` marks, ignoring quotes: never too few. */
function tooDeep(source: string): Flaw | null {
  const indents: number[] = []
  let open = 0
  for (let from = 0; from < source.length; ) {
    const end = source.indexOf('\n', from)
    const to = end === -1 ? source.length : end
    const marks = indentInto(indents, source.slice(from, to))
    for (let at = from; at < to; at++) {
      const code = source.charCodeAt(at)
      if (code === 91 || code === 123) open++
      else if ((code === 93 || code === 125) && open > 0) open--
      if (open + marks + indents.length > MAX_DEPTH) return depthFlaw(at)
    }
    from = to + 1
  }
  return null
}

/** Adjusts the stack of indents to this line; returns the number of list marks at its start. */
function indentInto(indents: number[], line: string): number {
  let at = 0
  while (line[at] === ' ' || line[at] === '\t') at++
  if (at === line.length || line[at] === '\r') return 0
  for (let top = indents.at(-1); top !== undefined && top > at; top = indents.at(-1)) indents.pop()
  if ((indents.at(-1) ?? 0) < at) indents.push(at)
  let marks = 0
  for (
    ;
    at + 1 < line.length && '-?:'.includes(line[at] ?? '') && ' \t'.includes(line[at + 1] ?? '');
    marks++
  ) {
    at++
    while (line[at] === ' ' || line[at] === '\t') at++
  }
  return marks
}

function depthFlaw(offset: number): Flaw {
  return {
    code: 'depth',
    offset,
    message: `the header nests more than ${MAX_DEPTH} levels deep`,
    hint: 'Close the brackets, or move this text below the closing --- line',
  }
}

function tooManyAliases(source: string): Flaw | null {
  if (!source.includes('*') || !source.includes('&')) return null
  const aliases = [...source.matchAll(/(?:^|[\s,[{:-])\*[^\s,[\]{}*]/g)]
  const last = aliases[MAX_ALIASES]
  return last === undefined ? null : aliasFlaw(last.index)
}

/** The flaw of a text whose aliases (`*name`) would multiply. */
export function aliasFlaw(offset: number): Flaw {
  return {
    code: 'yaml',
    offset,
    message: `the header uses more than ${MAX_ALIASES} aliases, including repeated ones`,
    hint: 'Write the values out instead of repeating them with *name',
  }
}
