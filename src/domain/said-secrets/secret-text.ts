/**
 * A text in which secrets are looked for, with what every search needs of it: its words, the sure names of secrets.
 * Each is found once, when it is first asked for. Pure.
 */
import { type Word, wordsIn } from './secret-values-said.ts'
import { sureName } from './secret-words.ts'

export interface Span {
  readonly from: number
  readonly to: number
  /** The name that it came under, for the speaker. */
  readonly key: string
}

export interface SaidText {
  readonly text: string
  words(): readonly Word[]
  /** Sure names, in order. */
  sure(): readonly Span[]
}

export function saidText(text: string): SaidText {
  let words: readonly Word[] | null = null
  let sure: readonly Span[] | null = null
  return {
    text,
    words() {
      words ??= wordsIn(text)
      return words
    },
    sure() {
      sure ??= [...text.matchAll(sureName())].map(({ index, 0: key }) => ({
        from: index,
        to: index + key.length,
        key,
      }))
      return sure
    },
  }
}
