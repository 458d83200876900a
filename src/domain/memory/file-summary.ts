/**
 * What a file of a workspace is found by: its path, a line that says what it is, and the names that it defines.
 * Invariant 1: any text is all right, and costs no more than its first MOST_LETTERS letters. Invariant 2: a name that
 * looks like a secret is masked as everywhere.
 */
import { redact } from '../secrets/redact.ts'

export interface FileSummary {
  /** '' if nothing in it says what it is. */
  readonly line: string
  /** As they are written, the first of them first. */
  readonly symbols: readonly string[]
  /** Parts of path and names: `readTask` is also read and task. */
  readonly words: readonly string[]
}

const MOST_LETTERS = 64_000
const MOST_SYMBOLS = 40
const MOST_WORDS = 120
const MOST_LINE = 160
const LOOK_LINES = 40
const LOOK_LETTERS = 400

/** Where names are defined, in the languages that a workspace is mostly written in. */
const DEFINITIONS =
  /^[ \t]*(?:export\s+)?(?:default\s+)?(?:public\s+|private\s+|protected\s+|static\s+|abstract\s+|async\s+|pub(?:\([a-z]+\))?\s+|unsafe\s+|final\s+)*(?:function\*?|class|interface|enum|struct|trait|type|def|fn|func|fun|module|impl|namespace|record|object|protocol|message|service|table|CREATE TABLE|create table)\s+(?:\([^)\n]{0,60}\)\s*)?(?:IF NOT EXISTS\s+)?["`]?([A-Za-z_$][\w$]{1,60})/gm
const CONSTANTS = /^(?:export\s+)?(?:const|let|var|val)\s+([A-Za-z_$][\w$]{2,60})\b/gm
const HEADINGS = /^#{1,3}[ \t]+(\S.{0,80})$/gm

export function summaryOf(path: string, whole: string): FileSummary {
  const text = whole.slice(0, MOST_LETTERS).replace(/^\ufeff/, '')
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

/** `src/readTask.ts` as src, read, task, ts. */
function partsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 1)
}

/** The first line that is prose: of a comment, a docstring, a paragraph; else a heading. */
function lineOf(text: string, isProse: boolean): string {
  const lines = text.split('\n', LOOK_LINES).map((line) => line.slice(0, LOOK_LETTERS))
  const plain = lines.map((line) => (isProse ? ofProse(line) : ofComment(line)))
  const first = plain.find((line) => line.split(/\s+/).length > 2) ?? ''
  const heading = lines.find((line) => /^#\s+\S/.test(line))?.replace(/^#\s+/, '') ?? ''
  const line = isProse && heading !== '' ? (first === '' ? heading : `${heading}: ${first}`) : first
  return line.replaceAll(/\s+/gu, ' ').trim().slice(0, MOST_LINE)
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
