/**
 * The memory file, `rooms/<room>/memories/<name>.md`: reading it. Access counts live in the index, so that reading never
 * makes a commit.
 */
import { createdBy, id, neoBlock } from '../values/header-values.ts'
import { withoutUndefined, readKind } from '../values/kind.ts'
import type { Read } from '../header/read-header.ts'
import { choice, type Infer, keys, describe, text, textList } from '../values/shape.ts'
import { instantOf } from '../values/times.ts'

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

export const memoryShape = keys({
  type: describe('Kind of memory. Default: `note`.', choice(...MEMORY_TYPES)),
  tags: describe('Tags for searching.', textList()),
  importance: describe(
    'Memories of higher importance come first in prompts. Default: `normal`.',
    choice('low', 'normal', 'high'),
  ),
  neo: describe(
    'Bookkeeping of Neo, always last. Do not edit it.',
    keys({
      ...neoBlock,
      created_by: createdBy,
      session: describe('Session that wrote it.', id),
      task: describe('Task that it is about.', id),
      source: describe('Where it was said: transcript and line.', text()),
    }),
  ),
})

export function readMemory(file: string, bytes: Buffer | string): Read<Memory> {
  return readKind(file, bytes, {
    shape: memoryShape,
    build: (known, doc) => ({
      type: known.type ?? 'note',
      tags: known.tags ?? [],
      importance: known.importance ?? 'normal',
      neo: neoOf(known.neo ?? {}),
      body: doc.body,
    }),
  })
}

function neoOf(neo: NonNullable<Infer<typeof memoryShape>['neo']>): Memory['neo'] {
  return withoutUndefined<Memory['neo']>({
    id: neo.id,
    createdAt: instantOf(neo.created_at ?? '', 'UTC') ?? undefined,
    createdBy: neo.created_by,
    session: neo.session,
    task: neo.task,
    source: neo.source,
  })
}
