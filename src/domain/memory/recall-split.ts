/**
 * Cutting texts into passages: what is found and shown as one thing. Invariant 1: every line that says something is in a
 * piece, whatever the text is; marks of a merge are in none. Invariant 2: a piece has at most MOST_LETTERS letters.
 */
export interface Piece {
  /** 1-based. */
  readonly line: number
  readonly text: string
  /** The nearest heading above, without its marks. */
  readonly heading: string
}

export const MOST_LETTERS = 1_200

const HEADING = /^#{1,6}\s+(.*?)\s*#*$/
const ITEM = /^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+\S/
const MERGE_MARK = /^(?:<{7}|>{7}|\|{7})(?: .*)?$|^={7}$/

/** Paragraphs and items of lists, one piece each; what is long is cut at lines, else anywhere. */
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

/** The text as one piece if it is short; its pieces else. */
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
      pieces.push({ line, text: held.slice(0, MOST_LETTERS), heading })
      held = held.slice(MOST_LETTERS)
    }
  }
  if (held.trim() !== '') pieces.push({ line, text: held, heading })
  return pieces
}

/** The line of a piece that holds most of the terms, with its number; the first line if none does. */
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
