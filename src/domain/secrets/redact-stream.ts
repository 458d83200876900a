/**
 * Masks a model's text as it streams in, for anyone who watches it. Invariant 1: a secret that is cut into pieces is masked
 * as a whole: known values are held back until they can be told apart, and tokens of known shapes until the word ends.
 */
import { maskKnownStream } from './known-secrets.ts'
import { redact } from './redact.ts'

/** A longer word is shown as it is: no token of a known shape is longer. */
const LONGEST_WORD = 4096

export interface RedactedStream {
  push(delta: string): void
  /** Shows the rest. */
  end(): void
}

export function redactStream(show: (text: string) => void): RedactedStream {
  const known = maskKnownStream()
  let word = ''
  const tell = (text: string) => {
    if (text !== '') show(redact(text))
  }
  const take = (text: string) => {
    const all = word + text
    const cut = all.length > LONGEST_WORD ? all.length : all.search(/\S*$/)
    word = all.slice(cut)
    tell(all.slice(0, cut))
  }
  return {
    push: (delta) => take(known.push(delta)),
    end() {
      take(known.end())
      tell(word)
      word = ''
    },
  }
}
