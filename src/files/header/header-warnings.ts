/**
 * What YAML accepts in a header but its author hardly meant: a comment in the middle of a value, and spaces that YAML
 * doesn't take as spaces. Pure.
 */
import type { Flaw } from './read-header.ts'

const SPACES = '\\u00a0\\u2000-\\u200b\\u202f\\u205f\\u3000'
const ANY_ODD_SPACE = new RegExp(`[${SPACES}]`)
/** Where YAML wants a space: at the start or end of a line, or after a key or a dash. Elsewhere it is a part of a text. */
const ODD_SPACE = new RegExp(`^ *(?:- *)?(?:[\\w./-]+: *)?([${SPACES}])|([${SPACES}])\\s*$`)
/** `title: Fix issue #123`; a comment for people has a space behind its mark. */
const COMMENT = /^( *(?:- +)?)(?:([\w./-]+): +|(?<=- +))([^\s"'[{|>&*!#][^#]*? +)?(#[^\s#].*)$/
const BLOCK = /^( *)(?:- +)?(?:[\w./-]+: +)?[|>][-+\d]*\s*(?:#.*)?$/

/** Values that end where a comment begins; offsets are within `source`. */
export function commentFlaws(source: string): readonly Flaw[] {
  if (!/[ \t]#\S/.test(source)) return []
  const lines = linesOf(source)
  return lines.flatMap(({ text, at, isText }, index) => {
    const [, start = '', key, value = '', comment = ''] = (!isText && COMMENT.exec(text)) || []
    if (comment === '' || (value === '' && isOpen(lines[index + 1]?.text, start))) return []
    const name = key ?? 'a list item'
    const read = value === '' ? 'is empty' : `is read as "${shown(value.trim())}"`
    const whole = JSON.stringify(shown(`${value}${comment}`.trimEnd()))
    const hint = `Use quotes: ${key === undefined ? '-' : `${key}:`} ${whole}`
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
  /** It is inside a block of text (`key: |`). */
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

/** Whether the value is on the lines below. */
function isOpen(next: string | undefined, start: string): boolean {
  if (next === undefined) return false
  const indent = /^ */.exec(next)?.[0].length ?? 0
  return indent > start.length || (indent === start.length && next.startsWith('-', indent))
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
