/**
 * What a request says on one line of a list. Pure.
 */
import type { Ask } from './ask.ts'

/** A command in a list: what it begins with tells most; all of it is in `neo ask show`. */
const MOST_LETTERS = 100

export function askSays({ reason, action }: Pick<Ask, 'reason' | 'action'>): string {
  const what = ['command', 'url'].map((key) => action.arguments[key]).find((one) => typeof one === 'string')
  const line = typeof what === 'string' ? what.replaceAll(/\s+/g, ' ').trim() : ''
  if (line === '' || reason.includes(line)) return reason
  const letters = [...line]
  const short = letters.length <= MOST_LETTERS ? line : `${letters.slice(0, MOST_LETTERS - 1).join('')}…`
  return reason === '' ? short : `${reason}: ${short}`
}
