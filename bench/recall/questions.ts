/**
 * The questions of the recall figures, each with the one fact that answers it. `tuned` and `apart` are halves: settings
 * are chosen on the first alone, so the figures of the second are honest.
 */
import { readFileSync } from 'node:fs'

export interface Pair {
  readonly set: 'tuned' | 'apart'
  readonly language: string
  /** `words` shares words with its fact, `paraphrase` none that tell; the others are kinds of the English sets. */
  readonly kind: string
  readonly fact: string
  readonly question: string
}

export const LANGUAGES = ['en', 'de', 'es', 'ru', 'zh', 'ja'] as const

/** The English and Japanese sets about work, by kind. */
export function workPairs(): readonly Pair[] {
  return (['tuned', 'apart'] as const).flatMap((set) =>
    linesOf(`${set}.tsv`).map(([kind = '', fact = '', question = '']) => {
      const language = kind === 'japanese' ? 'ja' : 'en'
      return { set, language, kind, fact, question }
    }),
  )
}

/** The sets in six languages: two lines of four are tuned on, two are kept apart. */
export function languagePairs(): readonly Pair[] {
  return LANGUAGES.flatMap((language) =>
    linesOf(`languages/${language}.tsv`).map(([kind = '', fact = '', question = ''], at) => {
      const set = at % 4 < 2 ? 'tuned' : 'apart'
      return { set, language, kind, fact, question } as const
    }),
  )
}

function linesOf(name: string): readonly (readonly string[])[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8').trimEnd()
  return text.split('\n').map((line) => line.split('\t'))
}
