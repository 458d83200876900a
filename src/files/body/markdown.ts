/**
 * The parts of Markdown that the formats need: fenced blocks, headings and checklists. Nothing counts in block quotes
 * and HTML comments; a fence counts at most 3 columns deeper than its list item, as in CommonMark. Invariant 1: a
 * closing fence closes at any indentation, so that a typing error leaves no block half read. Invariant 2: ticking
 * changes only the character in a box. Invariant 3: an item that is missing or occurs twice is not ticked.
 */

export interface Block {
  /** The text after the fence: `sh name=build`. */
  readonly info: string
  /** The lines between the fences, without the fence's own indentation. */
  readonly lines: readonly string[]
  /** Lines of the opening and the closing fence; `to` is the line count of the body if it is still open. */
  readonly from: number
  readonly to: number
  readonly isClosed: boolean
}

const MARKER = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/
/** First characters of list items, fences and comments. */
const STARTS = /^[-*+\d`~<]/
const FENCE = /^(?:`{3,}|~{3,})/
const CHECK = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]|$)/
const HEADING = /^ {0,3}#{1,6}[ \t]/

interface Scan {
  readonly lines: readonly string[]
  readonly blocks: readonly Block[]
  /** True for lines outside blocks and comments. */
  readonly isProse: readonly boolean[]
}

/** True if the body ends inside a fenced block. */
export function endsInBlock(body: string): boolean {
  if (!body.includes('```') && !body.includes('~~~')) return false
  return scanBody(body).blocks.at(-1)?.isClosed === false
}

/** The text of the first heading; null without one. */
export function firstHeading(body: string): string | null {
  if (!body.includes('#')) return null
  const { lines, isProse } = scanBody(body)
  for (const [at, line] of lines.entries()) {
    const found = isProse[at] && HEADING.test(line) ? headingText(line) : ''
    if (found !== '') return found
  }
  return null
}

/** Without `#` at its start, and at its end if a space comes before. */
function headingText(line: string): string {
  const words = line
    .trim()
    .split(/[ \t]+/)
    .slice(1)
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}

/** How many boxes of the body's checklist are ticked. */
export function countBoxes(body: string): { done: number; total: number } {
  if (!/\[[ xX]\]/.test(body)) return { done: 0, total: 0 }
  const { lines, isProse } = scanBody(body)
  const boxes = lines.flatMap((line, at) => (isProse[at] ? (CHECK.exec(line)?.[1] ?? []) : []))
  return { done: boxes.filter((box) => box !== ' ').length, total: boxes.length }
}

export function scanBody(body: string): Scan {
  const lines = body.split(/\r?\n/)
  const blocks: Block[] = []
  const isProse: boolean[] = new Array(lines.length).fill(true)
  const items: number[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const open = openingOf(line, items)
    if (open === null) continue
    const to = open === 'comment' ? endOfComment(lines, at) : endOfBlock(lines, at, open)
    isProse.fill(false, at, to + 1)
    if (open !== 'comment') blocks.push(blockOf(lines, at, { to, open }))
    at = to
  }
  return { lines, blocks, isProse }
}

interface Opening {
  readonly fence: string
  readonly info: string
  /** Columns before the fence. */
  readonly indent: number
}

/** What a line opens inside the open list items; adjusts `items` (their text columns) to this line. */
function openingOf(line: string, items: number[]): Opening | 'comment' | null {
  let { column, rest } = unindented(line, 0)
  if (rest === '') return null
  while ((items.at(-1) ?? 0) > column) items.pop()
  if (!STARTS.test(rest)) return null
  for (let marker = MARKER.exec(rest); marker !== null; marker = MARKER.exec(rest)) {
    if (column - (items.at(-1) ?? 0) > 3) return null
    const after = unindented(rest.slice(marker[0].length), column + marker[0].length)
    const text = column + marker[0].length + 1
    items.push(after.column - text > 3 || after.rest === '' ? text : after.column)
    ;({ column, rest } = after)
  }
  if (column - (items.at(-1) ?? 0) > 3) return null
  if (rest.startsWith('<!--')) return 'comment'
  const fence = FENCE.exec(rest)?.[0]
  if (fence === undefined) return null
  const info = rest.slice(fence.length).trim()
  return fence[0] === '`' && info.includes('`') ? null : { fence, info, indent: column }
}

function endOfComment(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at++) if (lines[at]?.includes('-->')) return at
  return lines.length - 1
}

/** The line of the closing fence; the number of lines without one. */
function endOfBlock(lines: readonly string[], from: number, open: Opening): number {
  for (let at = from + 1; at < lines.length; at++) if (isClosing(lines[at] ?? '', open.fence)) return at
  return lines.length
}

/** The same mark, at least as often, and nothing else. */
function isClosing(line: string, fence: string): boolean {
  if (!line.includes(fence)) return false
  const marks = line.trim()
  return marks === fence.charAt(0).repeat(marks.length)
}

function blockOf(lines: readonly string[], from: number, end: { to: number; open: Opening }): Block {
  const inner = lines.slice(from + 1, end.to).map((line) => withoutIndent(line, end.open.indent))
  return {
    info: end.open.info,
    lines: inner,
    from,
    to: end.to,
    isClosed: end.to < lines.length,
  }
}

/** Columns of white space at the start (a tab goes to the next multiple of 4), and what follows. */
function unindented(text: string, start: number): { column: number; rest: string } {
  let column = start
  let at = 0
  for (; text[at] === ' ' || text[at] === '\t'; at++) column += text[at] === ' ' ? 1 : 4 - (column % 4)
  return { column, rest: text.slice(at) }
}

/** Takes at most `columns` of white space off the start of a line. */
function withoutIndent(line: string, columns: number): string {
  let at = 0
  for (let column = 0; column < columns && (line[at] === ' ' || line[at] === '\t'); at++)
    column += line[at] === ' ' ? 1 : 4 - (column % 4)
  return line.slice(at)
}

const BOX = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]+(.*))?$/
const OPEN_BOX = /^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[ \]/

/** @param done texts of items, as after their boxes */
export function tickBoxes(body: string, done: readonly string[]): string {
  const wanted = new Set(done.map(plain).filter((item) => item !== ''))
  if (wanted.size === 0 || !body.includes('[ ]')) return body
  const { lines, isProse } = scanBody(body)
  const items = lines.map((line, at) => (isProse[at] ? plain(BOX.exec(line)?.[2] ?? '') : ''))
  const isMeant = (item: string) => wanted.has(item) && items.indexOf(item) === items.lastIndexOf(item)
  return body
    .split('\n')
    .map((line, at) => (isMeant(items[at] ?? '') ? line.replace(OPEN_BOX, '$1[x]') : line))
    .join('\n')
}

/** Ignores case, spaces and marks of emphasis. */
function plain(text: string): string {
  return text.replaceAll(/[`*_]/g, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

/** A fence longer than any run of backticks in the text, so that output cannot close it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n*$/, '')}\n${fence}\n`
}
