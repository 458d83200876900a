/**
 * Where the names of secrets stand in a text, in order: those that mean a secret whatever stands around them, and those
 * with harmless meanings too. Pure.
 */
import type { SaidText } from './secret-text.ts'
import { looseName, NUMBERED } from './secret-words.ts'

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

/** Both in order. */
function isWithin({ from, to }: Name, sure: readonly Name[]): boolean {
  const one = sure[firstWord(sure, (name) => name.to > from)]
  return one !== undefined && one.from < to
}

/** The first for which it is so, if it is so of all after it; the length if there is none. */
export function firstWord<T>(list: readonly T[], isSo: (one: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}
