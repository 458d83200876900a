/** Names of secrets in a text, and values that come before such a name: `4711 is the PIN`, `hunter2 (password)`. */

import { kindOf, type SaidText, type Word } from './secret-text.ts'
import { BINDS_BACK, looseName, NUMBERED, WHEN } from './secret-words.ts'

/** Words to check before the name. */
const BACK = 6

/** `4711 is the PIN`, `use SommerSonne2024 as the password`. */
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

/** `4711 kapının PIN'i`: in Turkish, the ending of the word between binds value and name. */
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

export interface Name {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly strength: 'sure' | 'loose'
}

export function namesIn(said: SaidText): readonly Name[] {
  const { text } = said
  const sure = said.sure().map(({ from, to, key }): Name => ({ from, to, text: key, strength: 'sure' }))
  const loose = [...text.matchAll(looseName())]
    .map(
      ({ index, 0: name }): Name => ({ from: index, to: index + name.length, text: name, strength: 'loose' }),
    )
    .filter((one) => !isWithin(one, sure))
    .filter(
      ({ from }) =>
        !NUMBERED.test(/(\p{L}+)[\s-]*$/u.exec(text.slice(Math.max(0, from - 30), from))?.[1] ?? ''),
    )
  return [...sure, ...loose]
}

/** Both arguments are in the order of the text. */
function isWithin({ from, to }: Name, sure: readonly Name[]): boolean {
  const one = sure[firstWord(sure, (name) => name.to > from)]
  return one !== undefined && one.from < to
}

/** Binary search: the first item for which `isSo` is true, if it is true for all after it; else the length. */
export function firstWord<T>(list: readonly T[], isSo: (one: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}
