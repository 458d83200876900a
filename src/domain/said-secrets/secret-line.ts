/** A sentence with the classes of its words, in which secrets are looked for by their use. Pure. */
import type { Candidate } from './secret-candidates.ts'
import type { StemClass } from './secret-stems.ts'
import type { Word } from './secret-values-said.ts'

/** Words on each side of a value that count. */
const WINDOW = 12

export interface Line {
  readonly words: readonly Word[]
  readonly classes: readonly ReadonlySet<StemClass>[]
  /** Words that are part of a sure name of a secret. */
  readonly sure: readonly boolean[]
}

export type Classes = ReadonlySet<StemClass | 'sure'>

/** `opens with 4711`: between what opens and the value. */
export const WITH =
  /^(?:with|using|by|via|mit|per|avec|par|con|col|com|met|z|ze|с|со|ile|med|kanssa|s|se|so|cu|με|dengan|по|and|then|\/)$/iu

export function classesNear({ words, classes, sure }: Line, { first, last }: Candidate): Classes {
  const near = new Set<StemClass | 'sure'>()
  for (let at = Math.max(0, first - WINDOW); at < Math.min(words.length, last + 1 + WINDOW); at += 1) {
    if (at >= first && at <= last) continue
    if (sure[at] === true) near.add('sure')
    if (classes[at]?.has('keyed') === true) near.add('open')
    for (const one of classes[at] ?? []) {
      const isOther =
        one === 'loose' &&
        [at - 2, at - 1, at, at + 1, at + 2].some((next) => classes[next]?.has('otherCode'))
      // An answering machine is no call.
      if (!isOther && !(one === 'amount' && classes[at]?.has('lock'))) near.add(one)
    }
  }
  return near
}

export function bareAt(words: readonly Word[], at: number): string {
  return words[at]?.bare ?? ''
}
