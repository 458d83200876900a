/** Runs the rows of effects: those of one method in one home, in order. */
import { test } from 'vitest'
import { hubHome } from '../hub-home.ts'
import type { Effects } from './effect.ts'

export function prove(rows: readonly Effects[]): void {
  test.each(rows.map((row) => [row.method, row] as const))('%s', async (method, { files, proofs }) => {
    const home = await hubHome(files)
    for (const [name, proof] of Object.entries(proofs)) {
      try {
        await proof(home)
      } catch (error) {
        throw new Error(`${method}: ${name} has not its effect`, { cause: error })
      }
    }
  })
}
