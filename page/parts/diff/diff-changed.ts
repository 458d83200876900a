/** Which part of a changed line changed: what stands between the words that both versions begin and end with. */
import { type DiffFile, type DiffRow, pairRows } from './diff-parse.ts'

/** From and to, as indexes of the row's text. */
export type Part = readonly [number, number]

/** Lines that share less than this are other lines, and nothing in them is marked. */
const LEAST_SHARED = 0.3
const WORD = /[\p{L}\p{N}_]+|\s+|./gu

export function changedParts({ hunks }: DiffFile): ReadonlyMap<DiffRow, Part> {
  const parts = new Map<DiffRow, Part>()
  for (const { left, right } of hunks.flatMap(({ rows }) => pairRows(rows))) {
    if (left === null || right === null || left === right) continue
    const found = differing(left.text, right.text)
    if (found === null) continue
    parts.set(left, found.old)
    parts.set(right, found.new)
  }
  return parts
}

/** Null if the lines share too little. */
export function differing(old: string, now: string): { readonly old: Part; readonly new: Part } | null {
  const [before, after] = [old.match(WORD) ?? [], now.match(WORD) ?? []]
  const most = Math.min(before.length, after.length)
  let begin = 0
  while (begin < most && before[begin] === after[begin]) begin += 1
  let end = 0
  while (end < most - begin && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const start = lengthOf(before.slice(0, begin))
  const rest = lengthOf(before.slice(before.length - end))
  const shared = before
    .slice(0, begin)
    .concat(before.slice(before.length - end))
    .join('')
    .trim().length
  if (shared < LEAST_SHARED * Math.max(old.trim().length, now.trim().length)) return null
  return { old: [start, old.length - rest], new: [start, now.length - rest] }
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length, 0)
}
