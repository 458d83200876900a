/**
 * Reads a document: limits, split, YAML of the header. Invariant 1: nothing in a file is ever run: the split and the
 * engines refuse any language except YAML. Invariant 2: two reads of the same bytes share no data.
 */
import type { Problem } from '../../domain/home/problem.ts'
import { conflictIn, decode, guardYaml, MAX_HEADER_BYTES } from './header-limits.ts'
import { readPlain } from './plain-header.ts'
import { type Flaw, problemAt, type Read, type Split, splitHeader } from './read-header.ts'
import { byMatter, type YamlData } from './yaml.ts'
import { oddSpaceFlaw } from './yaml-flaws.ts'

export type { Read } from './read-header.ts'

export interface Doc {
  /** The whole text, including a byte order mark. */
  readonly text: string
  readonly header: {
    /** The lines between the fences. */
    readonly source: string
    /** Offset of `source` in `text`. */
    readonly from: number
  } | null
  readonly data: Readonly<Record<string, unknown>>
  readonly body: string
  /** 1-based. */
  readonly bodyLine: number
}

/** Never throws for the content of a file, and takes time linear in its size. */
export function readDocument(file: string, bytes: Buffer | string): Read<Doc> {
  const decoded = decode(bytes)
  if ('code' in decoded) return bad(file, typeof bytes === 'string' ? bytes : '', decoded)
  const { text } = decoded
  const split = splitHeader(text)
  const conflict = conflictIn(
    text,
    split.kind === 'header' ? split.to : split.kind === 'none' ? 0 : text.length,
  )
  if (conflict !== null) return bad(file, text, conflict)
  switch (split.kind) {
    case 'refused':
      return bad(file, text, fenceFlaw(split.offset, split.found))
    case 'open':
      return { kind: 'unfinished', why: 'the header has no closing --- line yet' }
    case 'none':
      return withoutHeader(file, text, split.bodyFrom)
    case 'header':
      return withHeader(file, text, split)
  }
}

function withoutHeader(file: string, text: string, bodyFrom: number): Read<Doc> {
  if (text.slice(bodyFrom).trim() === '') return { kind: 'unfinished', why: 'the file is empty' }
  const late = /^\s*\n---[ \t]*\r?\n[a-z_]+:/.exec(text.slice(bodyFrom, bodyFrom + 400))
  if (late !== null) return bad(file, text, lateFlaw(bodyFrom + late[0].indexOf('---')))
  const value: Doc = { text, header: null, data: {}, body: text.slice(bodyFrom), bodyLine: 1 }
  return { kind: 'ok', value, warnings: [] }
}

function withHeader(file: string, text: string, split: Split & { kind: 'header' }): Read<Doc> {
  const source = text.slice(split.from, split.to)
  if (source.length > MAX_HEADER_BYTES / 3) {
    const flaw = guardYaml(source, MAX_HEADER_BYTES)
    if (flaw !== null) return bad(file, text, shifted(flaw, split.from))
  }
  const plain = readPlain(source)
  const parsed = plain === null ? guarded(text.slice(0, split.bodyFrom), source) : { data: plain }
  if ('flaws' in parsed) {
    const space = oddSpaceFlaw(source)
    const flaws = space === null ? parsed.flaws : [space]
    return {
      kind: 'bad',
      problems: flaws.map((flaw) => problemAt(file, text, shifted(flaw, split.from))),
    }
  }
  const value: Doc = {
    text,
    header: { source, from: split.from },
    data: parsed.data,
    body: text.slice(split.bodyFrom),
    bodyLine: 2 + lineCount(source) + 1,
  }
  return { kind: 'ok', value, warnings: [] }
}

function guarded(head: string, source: string): YamlData {
  const flaw = guardYaml(source, MAX_HEADER_BYTES)
  return flaw === null ? byMatter(head, source) : { flaws: [flaw] }
}

function shifted(flaw: Flaw, by: number): Flaw {
  return { ...flaw, offset: flaw.offset + by }
}

function bad(file: string, text: string, flaw: Flaw): Read<never> {
  const problem: Problem = problemAt(file, text, flaw)
  return { kind: 'bad', problems: [text === '' ? { ...problem, line: null, column: null } : problem] }
}

function fenceFlaw(offset: number, found: string): Flaw {
  return {
    code: 'fence',
    offset,
    message: `invalid header line "${found.slice(0, 40)}"`,
    hint: 'Use --- alone, as headers are YAML; indent the line if it is part of a value',
  }
}

function lateFlaw(offset: number): Flaw {
  return {
    code: 'fence',
    offset,
    message: 'blank lines above the header',
    hint: 'Start the file with the --- line',
  }
}

function lineCount(source: string): number {
  let count = 0
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) count++
  return count
}
