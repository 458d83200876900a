/**
 * Puts masked secrets back into a text that a person has edited with the masks in it. Invariant: a mask is replaced only
 * if it is clear which secret it hides: its line is as it was, or is the only line of that key. Otherwise it stays,
 * and a save with it is refused.
 */
import { MASK } from './mask-literals.ts'

/** @param masked `original` as the person saw it */
export function restoreMasked(original: string, masked: string, edited: string): string {
  const [real, seen] = [original.split('\n'), masked.split('\n')]
  // A secret on several lines: which line is which is unclear.
  if (real.length !== seen.length) return edited
  const hidden = seen.flatMap((line, at) => (line === real[at] ? [] : [{ line, real: real[at] ?? '' }]))
  const lines = edited.split('\n')
  return lines.map((line) => restored(line, lines, hidden)).join('\n')
}

interface Hidden {
  readonly line: string
  readonly real: string
}

function restored(line: string, lines: readonly string[], hidden: readonly Hidden[]): string {
  if (!line.includes(MASK)) return line
  const same = hidden.filter((one) => one.line === line)
  const [first] = same
  if (first !== undefined && same.every(({ real }) => real === first.real)) return first.real
  const key = keyOf(line)
  const [own, ...others] = hidden.filter((one) => keyOf(one.line) === key)
  const isClear = others.length === 0 && lines.filter((one) => keyOf(one) === key).length === 1
  return own === undefined || !isClear || key === '' ? line : withSecrets(line, own)
}

/** `  token:`, with its indentation. */
function keyOf(line: string): string {
  return /^\s*[\w-]+:/.exec(line)?.[0] ?? ''
}

/** The secrets of the line in their order; the line itself if it has another number of masks. */
function withSecrets(line: string, { line: masked, real }: Hidden): string {
  const parts = masked.split(MASK)
  if (line.split(MASK).length !== parts.length) return line
  const secrets: string[] = []
  let from = (parts[0] ?? '').length
  for (const part of parts.slice(1)) {
    const to = part === '' ? real.length : real.indexOf(part, from)
    if (to < from) return line
    secrets.push(real.slice(from, to))
    from = to + part.length
  }
  return line.split(MASK).reduce((text, part, at) => `${text}${secrets[at - 1] ?? ''}${part}`)
}
