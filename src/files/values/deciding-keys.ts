/** Keys of people's and agents' files that decide rights: a misspelled one is an error of the file. */
import { addProblem, type CheckContext } from './check-value.ts'
import { isSlipOf } from './suggest.ts'

export interface DecidingKeys {
  /** Keys that the file may have. */
  readonly known: readonly string[]
  readonly deciding: readonly string[]
  /** Other names of a deciding key. */
  readonly synonyms?: Readonly<Record<string, string>>
}

/** Replaces the warnings about such keys. */
export function noteSlips(on: CheckContext, keysOfFile: readonly string[], keys: DecidingKeys): void {
  for (const key of keysOfFile) {
    const meant = meantBy(key, keys)
    if (meant === undefined || keys.known.includes(key)) continue
    const message = `unknown key "${key}"`
    const warned = on.problems.findIndex((problem) => problem.message === message)
    if (warned >= 0) on.problems.splice(warned, 1)
    addProblem(on, [key], { code: 'unknown-key', message, hint: `Did you mean "${meant}"?` })
  }
}

function meantBy(key: string, { deciding, synonyms = {} }: DecidingKeys): string | undefined {
  const plain = key.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  if (Object.hasOwn(synonyms, plain)) return synonyms[plain]
  return deciding.find((one) => plain === one || isSlipOf(key, one) || isSlipOf(plain, one))
}
