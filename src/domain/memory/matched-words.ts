/** Which words of a text are why a search found it. Pure; by the same rules as the index (recall-words.ts). */
import { termsOf, wordsOf } from './recall-words.ts'

const RUN = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu
const MOST = 12

/** As they stand in the text, each once, at most MOST; empty if the text was found by its meaning. */
export function matchedWords(query: string, text: string): readonly string[] {
  return matcherOf(query)(text)
}

/** The same for many texts. */
export function matcherOf(query: string): (text: string) => readonly string[] {
  const terms = termsOf(query)
  const whole = new Set(terms.filter((term) => !term.endsWith('*')))
  const beginnings = terms.filter((term) => term.endsWith('*')).map((term) => term.slice(0, -1))
  const isHeld = (form: string) => whole.has(form) || beginnings.some((begin) => form.startsWith(begin))
  return (text) => {
    const found = [...text.matchAll(RUN)].flatMap(([run]) => {
      const forms = wordsOf(run)
      const held = forms.filter(isHeld)
      if (held.length === 0) return []
      // In scripts without spaces a run is a sentence: only the parts that match.
      return forms.length > 3 && held.every((form) => run.includes(form)) ? longest(held) : [run]
    })
    return [...new Set(found)].slice(0, MOST)
  }
}

function longest(held: readonly string[]): readonly string[] {
  return held.filter((form) => !held.some((other) => other !== form && other.includes(form)))
}
