/**
 * The memory file, `rooms/<room>/memories/<name>.md`. Access counts are in the index, so that reading makes no
 * commit.
 */

import type { Read } from '../header/read-header.ts'
import { camelKeys, createdBy, id, bookkeeping, withoutUndefined } from '../values/header-values.ts'
import { type Covers, readKind } from '../values/kind.ts'
import { choice, describe, type Infer, keys, text, textList } from '../values/shape.ts'
import { utcOf } from '../values/times.ts'

export const MEMORY_TYPES = ['conversation', 'task_result', 'preference', 'pattern', 'note'] as const

export interface Memory {
  readonly type: (typeof MEMORY_TYPES)[number]
  readonly tags: readonly string[]
  readonly importance: 'low' | 'normal' | 'high'
  readonly neo: {
    readonly id?: string
    readonly createdAt?: string
    readonly createdBy?: string
    readonly session?: string
    readonly task?: string
    readonly source?: string
  }
  readonly body: string
}

export const memoryKeys = {
  type: describe('Kind of memory. Default: `note`.', choice(...MEMORY_TYPES)),
  tags: describe('Tags for searching.', textList()),
  importance: describe(
    'Memories of higher importance come first in prompts. Default: `normal`.',
    choice('low', 'normal', 'high'),
  ),
  neo: bookkeeping({
    created_by: createdBy,
    session: describe('Session that wrote it.', id),
    task: describe('Task that it is about.', id),
    source: describe('Where it was said: transcript and line.', text()),
  }),
}

export const memoryShape = keys(memoryKeys)

export function readMemory(file: string, bytes: Buffer | string): Read<Memory> {
  return readKind(file, bytes, {
    shape: memoryShape,
    build: ({ neo, ...same }, { body }): Covers<Memory, Infer<typeof memoryShape>, object, 'body'> => ({
      type: 'note',
      tags: [],
      importance: 'normal',
      ...camelKeys(same),
      neo: neoOf(neo ?? {}),
      body,
    }),
  })
}

type NeoGiven = NonNullable<Infer<typeof memoryShape>['neo']>

function neoOf({ created_at, ...same }: NeoGiven): Covers<Memory['neo'], NeoGiven> {
  return {
    ...camelKeys(same),
    ...withoutUndefined<Memory['neo']>({
      createdAt: utcOf(created_at),
    }),
  }
}
