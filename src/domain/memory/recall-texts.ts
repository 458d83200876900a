/**
 * Texts as the index has them: passages of a text, and the summary of a workspace file (path, one line, defined
 * names).
 * Invariant 1: each line with words is in a piece; conflict markers are in none. Invariant 2: a piece has at most
 * MOST_LETTERS letters. Invariant 3: a summary reads at most MOST_OF_FILE letters of any text. Invariant 4: a name
 * that looks like a secret is masked.
 */
import { redact } from '../secrets/redact.ts'
import { beginning, oneLine } from '../text/one-line.ts'

export type MemoryType = 'conversation' | 'task_result' | 'preference' | 'pattern' | 'note'

export interface Piece {
  /** 1-based. */
  readonly line: number
  readonly text: string
  /** The nearest heading above, without `#`. */
  readonly heading: string
}

const MOST_LETTERS = 1_200

const HEADING = /^#{1,6}\s+(.*?)\s*#*$/
const ITEM = /^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+\S/
const MERGE_MARK = /^(?:<{7}|>{7}|\|{7})(?: .*)?$|^={7}$/

/** Paragraphs and list items, one piece each; long ones are cut at lines, else anywhere. */
export function piecesOf(text: string, firstLine = 1): readonly Piece[] {
  const pieces: Piece[] = []
  const open = { line: firstLine, lines: [] as string[], heading: '' }
  const close = () => {
    if (open.lines.some((line) => line.trim() !== ''))
      pieces.push(...cut(open.lines, open.line, open.heading))
    open.lines = []
  }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    const heading = line.startsWith('#') ? HEADING.exec(line.slice(0, MOST_LETTERS)) : null
    const isMark = MERGE_MARK.test(line.slice(0, 100))
    if (heading !== null || line.trim() === '' || ITEM.test(line) || isMark) close()
    if (heading !== null) open.heading = heading[1] ?? ''
    if (heading !== null || line.trim() === '' || isMark) continue
    if (open.lines.length === 0) open.line = firstLine + index
    open.lines.push(line)
  }
  close()
  return pieces
}

/** The text as one piece if it is short, else its pieces. */
export function wholeOrPieces(text: string, firstLine = 1): readonly Piece[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (trimmed.length > MOST_LETTERS || trimmed.split('\n').some((line) => MERGE_MARK.test(line)))
    return piecesOf(text, firstLine)
  const skipped = text.slice(0, text.indexOf(trimmed)).split('\n').length - 1
  return [{ line: firstLine + skipped, text: trimmed, heading: '' }]
}

function cut(lines: readonly string[], firstLine: number, heading: string): readonly Piece[] {
  const pieces: Piece[] = []
  let line = firstLine
  let held = ''
  for (const [index, next] of lines.entries()) {
    if (held !== '' && held.length + next.length + 1 > MOST_LETTERS) {
      pieces.push({ line, text: held, heading })
      held = ''
    }
    if (held === '') line = firstLine + index
    held = held === '' ? next : `${held}\n${next}`
    while (held.length > MOST_LETTERS) {
      const text = beginning(held, MOST_LETTERS)
      pieces.push({ line, text, heading })
      held = held.slice(text.length)
    }
  }
  if (held.trim() !== '') pieces.push({ line, text: held, heading })
  return pieces
}

/** The line of a piece with most of the terms, and its number; the first line if no line has any. */
export function bestLine(
  piece: { readonly line: number; readonly text: string },
  holds: (line: string) => number,
): { readonly line: number; readonly text: string } {
  const lines = piece.text.split('\n')
  const counts = lines.map(holds)
  const most = Math.max(...counts)
  const at = most > 0 ? counts.indexOf(most) : 0
  return { line: piece.line + at, text: (lines[at] ?? '').trim() }
}

interface FileSummary {
  /** A line that describes the file; '' for none. */
  readonly line: string
  /** In the order of the file. */
  readonly symbols: readonly string[]
  /** Parts of path and names: `readTask` is also `read` and `task`. */
  readonly words: readonly string[]
}

const MOST_OF_FILE = 64_000
const MOST_SYMBOLS = 40
const MOST_WORDS = 120
const MOST_LINE = 160
const LOOK_LINES = 40
const LOOK_LETTERS = 400

/** Definitions in common programming languages. */
const DEFINITIONS =
  /^[ \t]*(?:export\s+)?(?:default\s+)?(?:public\s+|private\s+|protected\s+|static\s+|abstract\s+|async\s+|pub(?:\([a-z]+\))?\s+|unsafe\s+|final\s+)*(?:function\*?|class|interface|enum|struct|trait|type|def|fn|func|fun|module|impl|namespace|record|object|protocol|message|service|table|CREATE TABLE|create table)\s+(?:\([^)\n]{0,60}\)\s*)?(?:IF NOT EXISTS\s+)?["`]?([A-Za-z_$][\w$]{1,60})/gm
const CONSTANTS = /^(?:export\s+)?(?:const|let|var|val)\s+([A-Za-z_$][\w$]{2,60})\b/gm
const HEADINGS = /^#{1,3}[ \t]+(\S.{0,80})$/gm

export function summaryOf(path: string, whole: string): FileSummary {
  const text = whole.slice(0, MOST_OF_FILE).replace(/^\ufeff/, '')
  const isProse = /\.(?:md|mdx|rst|txt|adoc)$/i.test(path)
  const found = isProse
    ? namesIn(text, HEADINGS)
    : [...namesIn(text, DEFINITIONS), ...namesIn(text, CONSTANTS)]
  const symbols = [...new Set(found)].slice(0, MOST_SYMBOLS)
  const words = [path, ...symbols].flatMap(partsOf)
  return {
    line: redact(lineOf(text, isProse)),
    symbols: symbols.map(redact),
    words: [...new Set(words)].slice(0, MOST_WORDS),
  }
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => (match[1] ?? '').trim())
}

/** `src/readTask.ts` as `src`, `read`, `task`, `ts`. */
function partsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 1)
}

/** The first line of prose, in a comment, docstring or paragraph; else a heading. */
function lineOf(text: string, isProse: boolean): string {
  const lines = text.split('\n', LOOK_LINES).map((line) => line.slice(0, LOOK_LETTERS))
  const plain = lines.map((line) => (isProse ? ofProse(line) : ofComment(line)))
  const first = plain.find((line) => line.split(/\s+/).length > 2) ?? ''
  const heading = lines.find((line) => /^#\s+\S/.test(line))?.replace(/^#\s+/, '') ?? ''
  const line = isProse && heading !== '' ? (first === '' ? heading : `${heading}: ${first}`) : first
  return beginning(oneLine(line), MOST_LINE)
}

function ofProse(line: string): string {
  return /^\s*(?:#|---|```|\||<|!\[|\[!)/.test(line) ? '' : line.trim()
}

function ofComment(line: string): string {
  if (/^#!|eslint|prettier-ignore|@ts-|Copyright|SPDX|License|coding[:=]/i.test(line)) return ''
  return (
    /^\s*(?:\/\*\*?|\*(?!\/)|\/\/[/!]?|#+|--|"""|'''|;+|<!--|%)\s*(.*?)\s*(?:\*\/|-->|"""|''')?\s*$/.exec(
      line,
    )?.[1] ?? ''
  )
}
