/**
 * What of a streamed text may be shown while it may still turn out to be a call. Invariant 1: what was shown is always a
 * beginning of the whole text, and no line of it begins a call. Invariant 2: from the first line that begins a call or
 * an invented result on, nothing is shown until the end.
 */

/** Lines that begin a call, a result, or a block, whole or as far as they came. */
const OPENINGS = ['✿FUNCTION✿', '✿RESULT✿', '✿RETURN✿'] as const

export interface HeldText {
  readonly push: (piece: string) => string
  /** All that came. */
  readonly whole: () => string
  /** What of `text`, read out of the whole, was not shown yet. */
  readonly rest: (text: string) => string
}

export function holdCalls(): HeldText {
  let whole = ''
  let shown = 0
  /** The start of the line that is looked at. */
  let line = 0
  let closed = false
  const safe = (): number => {
    while (!closed) {
      const end = whole.indexOf('\n', line)
      const kind = kindOf(whole.slice(line, end < 0 ? undefined : end), end >= 0)
      if (kind === 'open') return line
      if (kind === 'call') closed = true
      else if (end < 0) return whole.length
      else line = end + 1
    }
    return line
  }
  return {
    push: (piece) => {
      whole += piece
      const until = safe()
      const more = whole.slice(shown, Math.max(shown, until))
      shown += more.length
      return more
    },
    whole: () => whole,
    rest: (text) => {
      // Space at the ends is taken off what is read; what was shown may have it still.
      const before = whole.slice(0, shown).trimStart()
      if (text.startsWith(before)) return text.slice(before.length)
      return text === before.trimEnd() ? '' : text.slice(sharedLength(text, before))
    },
  }
}

/** `open`: it cannot be said yet. */
function kindOf(line: string, whole: boolean): 'plain' | 'open' | 'call' {
  const text = line.trimStart()
  const bare = text.replace(/[ \t]/g, '')
  if (text === '') return whole ? 'plain' : 'open'
  if (OPENINGS.some((opening) => bare.startsWith(opening))) return 'call'
  if (/^(?:`{3,}|~{3,})[ \t]*neo[ \t\r]*$/.test(text)) return whole ? 'call' : 'open'
  if (whole) return 'plain'
  const fence = /^(?:`{1,}|~{1,})[ \t]*(?:n|ne|neo)?[ \t\r]*$/.test(text)
  return fence || OPENINGS.some((opening) => opening.startsWith(bare)) ? 'open' : 'plain'
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
