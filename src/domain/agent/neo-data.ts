/**
 * Marks text of others as data for Neo's model. Invariant 1: the wrapped text contains exactly one closing mark, its
 * last line. Invariant 2: no line of it begins a ✿ call or a `neo` block.
 */

import { counted } from '../text/counted.ts'
import { beginning, oneLine } from '../text/one-line.ts'

export type DataKind = 'message' | 'data'

/** @param about attributes such as from, task, file: who or where, never instructions */
export function wrapped(
  kind: DataKind,
  about: Readonly<Record<string, string | undefined>>,
  text: string,
): string {
  const attributes = Object.entries(about)
    .flatMap(([key, value]) => (value === undefined || value === '' ? [] : [` ${key}="${attribute(value)}"`]))
    .join('')
  return `<${kind}${attributes}>\n${harmless(text)}\n</${kind}>`
}

/** Text of others on one line, for lists. */
export function dataLine(text: string, letters: number): string {
  return cutTo(oneLine(harmless(text)), letters)
}

/** The text without anything that looks like a mark, a call or a hidden character. */
export function harmless(text: string): string {
  return text
    .replaceAll(HIDDEN, '')
    .replaceAll('✿', '\\u273f')
    .replaceAll(MARK, '<\\$1')
    .replaceAll(NEO_FENCE, '$1$2text neo')
}

/** Control characters, and invisible tag characters that models read. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu
/** An opening or closing mark of Neo. */
const MARK = /<(\s*\/?\s*(?:data|message|summary|picture)\b)/gi
/** The line that opens a block of an action; with another word first, it is a block in some language. */
const NEO_FENCE = /^([ \t>]*)(`{3,}|~{3,})[ \t]*neo\b/gim

function attribute(value: string): string {
  return dataLine(value, 200).replaceAll('"', "'").replaceAll(/[<>]/g, '')
}

/** Longer than the note that says how much is left out. */
const NOTE_LETTERS = 40

/** The start of a text and how much was left out; never longer than `letters`. */
export function cutTo(text: string, letters: number): string {
  if (text.length <= letters) return text
  if (letters <= NOTE_LETTERS) return beginning(text, letters)
  const kept = beginning(text, letters - NOTE_LETTERS)
  return `${kept} … (${counted(text.length - kept.length, 'more letter')} left out)`
}
