/** Orders in texts of others, for an obedient model: whatever it is shown that holds one, it does what the order says. */
import type { Call } from './model.ts'

export const MARK = 'OBEY'

/** An order as it can stand in a name of a file, in prose, in data: one word. */
export function order(calls: readonly Call[]): string {
  return `${MARK}.${Buffer.from(JSON.stringify(calls)).toString('base64url')}.`
}

/** All calls that a text orders, each once. */
export function ordered(text: string): readonly Call[] {
  const words = new Set(
    [...text.matchAll(new RegExp(`${MARK}\\.([\\w-]+)\\.`, 'g'))].map(([, word = '']) => word),
  )
  return [...words].flatMap((word) => JSON.parse(Buffer.from(word, 'base64url').toString()) as Call[])
}
