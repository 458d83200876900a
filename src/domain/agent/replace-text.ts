/**
 * Exact search and replace in a text. Invariant 1: only the found places change; inserted line ends have the form of
 * the others. Invariant 2: all places or none.
 */

import { beginning, oneLine } from '../text/one-line.ts'

export type Changed = { readonly text: string } | { readonly wrong: string }

export interface Replacement {
  readonly search: string
  readonly replace: string
  /** How often `search` has to occur. */
  readonly count: number
}

/** Letters of a line in a message. */
const SHOWN = 120
/** Limit of lines for the search of the most similar place. */
const MOST_LINES = 20_000

export function replaceIn(text: string, { search, replace, count }: Replacement): Changed {
  if (search === '') return { wrong: 'the search text is empty' }
  const form = lineEndOf(text)
  const wanted = form === '\r\n' ? withCrlf(search) : search
  const places = placesOf(text, wanted)
  if (places.length === 0) return { wrong: `search text not found${nearestPlace(text, search)}` }
  if (places.length !== count) return { wrong: countedWrong(text, places, count) }
  const put = form === '\r\n' ? withCrlf(replace) : replace
  const changed = text.split(wanted).join(put)
  return changed === text ? { wrong: 'the replacement is the same as the search text' } : { text: changed }
}

/** `\r\n` or `\n` if all line ends are that, else `mixed`; `\n` for a text without any. */
export function lineEndOf(text: string): '\n' | '\r\n' | 'mixed' {
  const all = text.split('\n').length - 1
  const crlf = text.split('\r\n').length - 1
  if (crlf === 0) return '\n'
  return crlf === all ? '\r\n' : 'mixed'
}

/** How two lines differ that are the same except for white space. */
export function differenceOf(found: string, wanted: string): string {
  if (found === wanted) return 'the same'
  const [a, b] = [found.replace(/\r$/, ''), wanted.replace(/\r$/, '')]
  if (a === b) return 'the line endings differ (CRLF and LF)'
  if (a.trimEnd() === b.trimEnd()) return 'whitespace at the end of the line differs'
  if (a.trimStart() === b.trimStart()) {
    return `the indentation differs: found ${indentOf(a)}, expected ${indentOf(b)}`
  }
  if (oneLine(a) === oneLine(b)) return 'whitespace within the line differs'
  if (a.toLowerCase() === b.toLowerCase()) return 'upper and lower case differ'
  return `found ${quoted(a)}`
}

/** A line in quotes, short enough for a message. */
export function quoted(line: string): string {
  return JSON.stringify(line.length > SHOWN ? `${beginning(line, SHOWN)}…` : line)
}

/** The difference between a sequence and the lines at `at`, for messages. */
export function likeness(a: string, b: string): number {
  if (a === b) return 1
  const [x, y] = [oneLine(a), oneLine(b)]
  if (x === y) return x === '' ? 0.5 : 0.95
  if (x === '' || y === '') return 0
  const words = new Set(x.split(/\W+/).filter((word) => word !== ''))
  const others = y.split(/\W+/).filter((word) => word !== '')
  if (words.size === 0 || others.length === 0) return 0
  const both = others.filter((word) => words.has(word)).length
  return (0.9 * both) / Math.max(words.size, others.length)
}

function placesOf(text: string, search: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length)) places.push(at)
  return places
}

function withCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}

function countedWrong(text: string, places: readonly number[], count: number): string {
  const lines = places.slice(0, 10).map((at) => text.slice(0, at).split('\n').length)
  const more = places.length > 10 ? ', …' : ''
  return (
    `the search text occurs ${places.length} times (lines ${lines.join(', ')}${more}), expected ${count}: ` +
    `include more lines around it, or use count: ${places.length} for all`
  )
}

/** The place most similar to the search, for messages; '' for none. */
function nearestPlace(text: string, search: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES)
  const sought = trimmedLines(search)
  const first = sought[0]
  if (first === undefined) return ''
  let best = { at: -1, score: 0.5 }
  for (const [at, line] of lines.entries()) {
    const start = likeness(line, first)
    if (start === 0 || start + sought.length - 1 < best.score * sought.length) continue
    const sum = sought.reduce((total, one, index) => total + likeness(lines[at + index] ?? '', one), 0)
    if (sum / sought.length > best.score) best = { at, score: sum / sought.length }
  }
  if (best.at < 0) return ''
  const off = sought.findIndex((one, index) => lines[best.at + index] !== one)
  const line = best.at + Math.max(0, off)
  const what = off < 0 ? 'blank lines around it differ' : differenceOf(lines[line] ?? '', sought[off] ?? '')
  return `; nearest is line ${best.at + 1}, where line ${line + 1} differs: ${what}`
}

/** Lines without empty ones at both ends. */
function trimmedLines(text: string): readonly string[] {
  const lines = text.split('\n')
  while (lines.length > 0 && (lines[0] ?? '').trim() === '') lines.shift()
  while (lines.length > 0 && (lines.at(-1) ?? '').trim() === '') lines.pop()
  return lines
}

function indentOf(line: string): string {
  const indent = /^[\t ]*/.exec(line)?.[0] ?? ''
  const tabs = indent.split('\t').length - 1
  const spaces = indent.length - tabs
  if (tabs > 0 && spaces > 0) return `${tabs} tabs and ${spaces} spaces`
  return tabs > 0 ? `${tabs} tabs` : `${spaces} spaces`
}
