/**
 * Ticking boxes of a body's checklist. Invariants: 1. nothing but the character in a box changes; 2. an item that is not
 * there, or is there twice, ticks nothing.
 */
import { scanBody } from './markdown.ts'

const BOX = /^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([ xX])(\](?:[ \t]+(.*))?)$/

/** @param done texts of items, as they stand behind their boxes */
export function tickBoxes(body: string, done: readonly string[]): string {
  const wanted = new Set(done.map(plain))
  if (wanted.size === 0 || !body.includes('[ ]')) return body
  const { lines, isProse } = scanBody(body)
  const items = lines.map((line, at) => (isProse[at] ? plain(BOX.exec(line)?.[4] ?? '') : ''))
  const once = (item: string) => items.filter((other) => other === item).length === 1
  let at = -1
  return body.replaceAll(/[^\r\n]*(?:\r?\n|$)/g, (line) => {
    at++
    const item = items[at] ?? ''
    return item !== '' && wanted.has(item) && once(item) ? ticked(line) : line
  })
}

function ticked(line: string): string {
  return line.replace(/\[ \]/, '[x]')
}

/** Case, spaces and marks of emphasis do not count. */
function plain(text: string): string {
  return text.replaceAll(/[`*_]/g, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}
