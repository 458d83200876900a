/**
 * Where the names of secrets stand in a text, in order: those that mean a secret whatever stands around them, and those
 * with harmless meanings too. Pure. Leaves to secret-words.ts: the names.
 */
import { LOOSE_NAME, NUMBERED, SURE_NAME } from './secret-words.ts'

export interface Name {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly strength: 'sure' | 'loose'
}

export function namesIn(text: string): readonly Name[] {
  const sure = [...text.matchAll(SURE_NAME)].map((found) => nameOf(found, 'sure'))
  const loose = [...text.matchAll(LOOSE_NAME)]
    .map((found) => nameOf(found, 'loose'))
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

/** The first for which it is so, where it is so of all after it; the length where there is none. */
export function firstWord<T>(list: readonly T[], isSo: (one: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(list[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}

function nameOf(found: RegExpMatchArray, strength: Name['strength']): Name {
  const from = found.index ?? 0
  return { from, to: from + found[0].length, text: found[0], strength }
}
