/**
 * Unified diffs of one file, and the numbers of lines in a diff. Invariant 1: context and removed lines must match
 * exactly; the line numbers in `@@` only choose between equal places, because models count badly. Invariant 2: all
 * hunks or none. Line ends don't change, nor does a missing one at the end, unless the diff has `\ No newline at end
 * of file`.
 */
import { counted } from '../text/counted.ts'
import { type Changed, differenceOf, likeness, quoted } from './replace-text.ts'

interface Line {
  readonly kind: ' ' | '-' | '+'
  readonly text: string
}

interface Hunk {
  /** First line in the old text, from 1. */
  readonly start: number
  readonly lines: readonly Line[]
  /** The side without a line end at the end of the file; '' for neither. */
  readonly open: 'old' | 'new' | 'both' | ''
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

export function applyDiff(text: string, diff: string): Changed {
  const hunks = hunksOf(diff)
  if (!Array.isArray(hunks)) return { wrong: hunks }
  const end = text.endsWith('\n') || text === '' ? 'line' : 'open'
  const lines = text.split('\n')
  if (text.endsWith('\n') || text === '') lines.pop()
  const form = lines.length > 0 && lines.every((line, at) => isCrlf(line, at, { lines, end })) ? '\r' : ''
  const plain = form === '' ? lines : lines.map((line) => line.replace(/\r$/, ''))
  const out: string[] = []
  let done = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(plain, done, hunk)
    if (typeof place === 'string')
      return { wrong: `hunk ${index + 1} of ${hunks.length} does not apply: ${place}` }
    out.push(...plain.slice(done, place), ...newLines(hunk))
    done = place + oldLines(hunk).length
  }
  out.push(...plain.slice(done))
  const changed = joined(out, form, endAfter(end, hunks.at(-1)))
  return changed === text ? { wrong: 'the diff changes nothing' } : { text: changed }
}

function isCrlf(line: string, at: number, of: { lines: readonly string[]; end: 'line' | 'open' }): boolean {
  return line.endsWith('\r') || (of.end === 'open' && at === of.lines.length - 1 && of.lines.length > 1)
}

function joined(lines: readonly string[], form: '\r' | '', end: 'line' | 'open'): string {
  if (lines.length === 0) return ''
  return lines.join(`${form}\n`) + (end === 'line' ? `${form}\n` : '')
}

function endAfter(end: 'line' | 'open', last: Hunk | undefined): 'line' | 'open' {
  if (last?.open === 'old') return 'line'
  return last?.open === 'new' || last?.open === 'both' ? 'open' : end
}

/** The hunks, or what is wrong with the diff. */
function hunksOf(diff: string): Hunk[] | string {
  const lines = diff.split('\n').map((line) => line.replace(/\r$/, ''))
  while (lines.at(-1) === '') lines.pop()
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first < 0) return 'the diff has no hunk; hunks start with a line such as "@@ -1,3 +1,4 @@"'
  const hunks: Hunk[] = []
  for (let at = first; at < lines.length; ) {
    const start = HEADER.exec(lines[at] ?? '')?.[1]
    if (start === undefined)
      return `line ${at + 1} of the diff is ${quoted(lines[at] ?? '')}, expected a line such as "@@ -1,3 +1,4 @@"`
    let to = at + 1
    while (to < lines.length && !(lines[to] ?? '').startsWith('@@')) to += 1
    const body = bodyOf(lines.slice(at + 1, to), at + 2)
    if (typeof body === 'string') return body
    hunks.push({ start: Number(start), ...body })
    at = to
  }
  return hunks
}

function bodyOf(lines: readonly string[], number: number): Omit<Hunk, 'start'> | string {
  const body: Line[] = []
  const open = new Set<Line['kind']>()
  for (const [at, line] of lines.entries()) {
    const kind = line[0]
    if (isNextFile(lines, at)) return 'the diff changes several files; use one diff per file'
    if (line.startsWith('\\ ')) open.add(body.at(-1)?.kind ?? ' ')
    // Editors and models strip the space of an empty context line.
    else if (line === '') body.push({ kind: ' ', text: '' })
    else if (kind === ' ' || kind === '-' || kind === '+') body.push({ kind, text: line.slice(1) })
    else
      return `line ${number + at} of the diff is ${quoted(line)}, expected a line that starts with " ", "-" or "+"`
  }
  if (!body.some((line) => line.kind !== ' '))
    return `the hunk before line ${number + lines.length} changes nothing`
  const [old, fresh] = [open.has('-'), open.has('+')]
  const both = open.has(' ') || (old && fresh)
  return { lines: body, open: both ? 'both' : old ? 'old' : fresh ? 'new' : '' }
}

function isNextFile(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = [lines[at], lines[at + 1]]
  return (
    line.startsWith('diff --git ') ||
    (line.startsWith('--- ') && next.startsWith('+++ ') && at + 2 === lines.length)
  )
}

function oldLines(hunk: Hunk): readonly string[] {
  return hunk.lines.filter((line) => line.kind !== '+').map((line) => line.text)
}

function newLines(hunk: Hunk): readonly string[] {
  return hunk.lines.filter((line) => line.kind !== '-').map((line) => line.text)
}

/**
 * Index of the line at which the old lines of the hunk are, at or after `from`; else why there is no single place.
 */
function placeOf(lines: readonly string[], from: number, hunk: Hunk): number | string {
  const old = oldLines(hunk)
  const said = Math.max(0, hunk.start - 1)
  if (old.length === 0) {
    const at = hunk.start === 0 ? 0 : hunk.start
    if (at >= from && at <= lines.length) return at
    return `it has no context, and the file has no line ${hunk.start}`
  }
  if (said >= from && standsAt(lines, said, old)) return said
  const places: number[] = []
  for (let at = from; at + old.length <= lines.length; at++) if (standsAt(lines, at, old)) places.push(at)
  const [only] = places
  if (only === undefined) return misfit(lines, { from, said, old })
  if (places.length === 1) return only
  const list = places.slice(0, 10).map((at) => at + 1)
  return `its context occurs ${places.length} times (lines ${list.join(', ')}), but not at line ${hunk.start}; include more context`
}

function standsAt(lines: readonly string[], at: number, old: readonly string[]): boolean {
  return old.every((line, index) => lines[at + index] === line)
}

/** The line of the hunk that doesn't match at the most similar place. */
function misfit(
  lines: readonly string[],
  hunk: { readonly from: number; readonly said: number; readonly old: readonly string[] },
): string {
  const { from, said, old } = hunk
  const scoreAt = (at: number) =>
    old.reduce((sum, line, index) => sum + likeness(lines[at + index] ?? '', line), 0)
  let best = { at: said, score: scoreAt(said) }
  for (let at = from; at < lines.length; at++) {
    if (likeness(lines[at] ?? '', old[0] ?? '') === 0) continue
    const score = scoreAt(at)
    if (score > best.score) best = { at, score }
  }
  const off = old.findIndex((line, index) => lines[best.at + index] !== line)
  const at = best.at + Math.max(0, off)
  const found = lines[at]
  const wanted = old[Math.max(0, off)] ?? ''
  if (found === undefined)
    return `line ${at + 1} is beyond the end of the file (${counted(lines.length, 'line')}), expected ${quoted(wanted)}`
  return `line ${at + 1} differs from the hunk: ${differenceOf(found, wanted)}, expected ${quoted(wanted)}`
}

/** One line a file: `src/a.ts +12 -3`, `logo.png (binary)`. */
export function statOf(diff: string): readonly string[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(lineOf)
}

function lineOf(part: string): string {
  const lines = part.split('\n')
  const name = nameOf(lines)
  if (lines.some((line) => line.startsWith('Binary files '))) return `${name} (binary)`
  const from = lines.findIndex((line) => line.startsWith('@@'))
  const hunks = from < 0 ? [] : lines.slice(from)
  const added = hunks.filter((line) => line.startsWith('+')).length
  const removed = hunks.filter((line) => line.startsWith('-')).length
  const mode = lines.find((line) => /^(?:new|deleted) file mode /.test(line))
  const link = mode?.endsWith('120000') === true ? ' (link)' : ''
  return `${name} +${added} -${removed}${link}`
}

/** The new name; the old one if the file is gone. Git quotes names with special letters, and they stay quoted. */
function nameOf(lines: readonly string[]): string {
  const named = (mark: string) => lines.find((line) => line.startsWith(mark))?.slice(mark.length)
  const renamed = named('rename to ')
  if (renamed !== undefined) return renamed
  for (const mark of ['+++ ', '--- ']) {
    const side = named(mark)?.replace(/\t$/, '')
    if (side !== undefined && side !== '/dev/null') return side.replace(/^("?)[ab]\//, '$1')
  }
  return (lines[0] ?? '').replace(/^diff --git .* ("?)b\//, '$1')
}
