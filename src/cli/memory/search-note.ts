/**
 * What a search found, with why it was found by words alone.
 */
import type { Context } from '../../engine/context.ts'
import type { ResultOf } from '../../hub/method-table.ts'
import { memoryOf } from '../../memory/open-memory.ts'

export interface Found {
  readonly found: ResultOf<'memory.search'>
  /** '' where the index was used. */
  readonly note: string
}

export function withNote(context: Context, found: unknown): Found {
  const { why, next } = memoryOf(context).health()
  return {
    found: found as Found['found'],
    note: why === '' ? '' : `By words alone: ${why}. ${next}`,
  }
}
