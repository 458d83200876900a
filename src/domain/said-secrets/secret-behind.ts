/** Values that stand before the name of a secret: `4711 is the PIN`, `hunter2 (password)`. Pure. */
import { firstWord, type Name } from './secret-names.ts'
import { kindOf, type Word } from './secret-values-said.ts'
import { BINDS_BACK, NUMBERED, WHEN } from './secret-words.ts'

/** Words before the name that are looked at. */
const BACK = 6

/** `4711 is the PIN`, `use SommerSonne2024 as the password`, `hunter2 (password)`. */
export function behind(words: readonly Word[], name: Name): readonly Word[] {
  const last = firstWord(words, ({ to }) => to > name.from) - 1
  let isBound = false
  for (let at = last; at >= 0 && at > last - BACK; at -= 1) {
    const word = words[at] as Word
    if (word.endsSentence || word.bare === '***') return []
    const kind = kindOf(word)
    const isYear = /^(?:19|20)\d\d$/.test(word.bare)
    const digits = kind === 'number' ? (word.bare.match(/\d/g) ?? []).length : 0
    const isValueHere =
      kind === 'mixed' ||
      kind === 'inner' ||
      kind === 'quoted' ||
      (digits >= 4 && !(isYear && WHEN.test(words[at - 1]?.bare ?? '')))
    const isNamed = NUMBERED.test(words[at - 1]?.bare ?? '')
    if (isValueHere && !isNamed && (isBound || isGenitive(words, at, last))) {
      const from = groupStart(words, at)
      return name.strength === 'sure' ? words.slice(from, at + 1) : loosely(words.slice(from, at + 1))
    }
    if (BINDS_BACK.test(word.bare) || /[–—=:]$/.test(word.raw)) isBound = true
  }
  return []
}

/** `4711 kapının PIN'i`: a language that binds by the ending of the word between. */
function isGenitive(words: readonly Word[], at: number, last: number): boolean {
  const between = words.slice(at + 1, last + 1)
  return (
    between.length > 0 && between.every(({ bare }) => /^(?:\p{L}+n[ıiuü]n|yeni|bizim|benim)$/iu.test(bare))
  )
}

function loosely(values: readonly Word[]): readonly Word[] {
  return values.some((word) => kindOf(word) === 'mixed' || word.bare.replaceAll(/\D/g, '').length >= 4)
    ? values
    : []
}

function groupStart(words: readonly Word[], at: number): number {
  let from = at
  while (from > 0 && kindOf(words[from] as Word) === 'number' && isGroup(words[from - 1])) from -= 1
  return from
}

function isGroup(word: Word | undefined): boolean {
  return word !== undefined && word.endsWith === '' && kindOf(word) === 'number'
}
