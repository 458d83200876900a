/**
 * Takes the thinking out of content that carries it inline, between `<think>` and `</think>` at its beginning. Invariant
 * 1: only thinking at the very beginning is taken out; a reply that speaks of these tags keeps them.
 */

const OPEN = '<think>'
const CLOSE = '</think>'

export interface Think {
  /** Gives the text that may be shown now. */
  readonly push: (piece: string) => string
  /** Gives what was held back. */
  readonly end: () => string
  readonly thought: () => string
}

/** `open`: the template of the model has opened the thinking already. */
export function takeThinking({ open }: { readonly open: boolean }): Think {
  let state: 'start' | 'inside' | 'after' | 'shown' = open ? 'inside' : 'start'
  let held = ''
  let thought = ''
  const start = () => {
    const trimmed = held.trimStart()
    if (trimmed.length < OPEN.length && OPEN.startsWith(trimmed)) return ''
    if (!trimmed.startsWith(OPEN)) {
      state = 'shown'
      return release()
    }
    state = 'inside'
    held = trimmed.slice(OPEN.length)
    return inside()
  }
  const inside = () => {
    const close = held.indexOf(CLOSE)
    // What may be the beginning of the closing tag stays held.
    const safe = close >= 0 ? close : Math.max(0, held.length - CLOSE.length + 1)
    thought += held.slice(0, safe)
    held = held.slice(close >= 0 ? close + CLOSE.length : safe)
    if (close < 0) return ''
    state = 'after'
    return after()
  }
  const after = () => {
    held = held.trimStart()
    if (held === '') return ''
    state = 'shown'
    return release()
  }
  const release = () => {
    const text = held
    held = ''
    return text
  }
  const end = () => {
    if (state === 'inside') thought += held
    return state === 'inside' || state === 'after' ? '' : release()
  }
  const steps = { start, inside, after, shown: release }
  const push = (piece: string) => {
    held += piece
    return steps[state]()
  }
  return { push, end, thought: () => thought.trim() }
}
