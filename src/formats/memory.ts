/**
 * The memory file, `rooms/<room>/memories/<name>.md`: reading it.
 * Takes bytes; gives a Memory, or problems. Access counts live in the index, so that reading never makes a commit.
 */
import { filled, id } from './fields.ts'
import { given, readKind } from './kind.ts'
import type { Read } from './read.ts'
import { choice, type Given, keys, text, texts } from './shape.ts'
import { instantOf, time } from './times.ts'

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
  type: choice(...MEMORY_TYPES),
  tags: texts(),
  importance: choice('low', 'normal', 'high'),
  neo: keys({ id, created_at: time, created_by: filled, session: id, task: id, source: text() }),
})

/** Reads a memory. */
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

function neoOf(neo: NonNullable<Given<typeof memoryShape>['neo']>): Memory['neo'] {
  return given<Memory['neo']>({
    id: neo.id,
    createdAt: instantOf(neo.created_at ?? '', 'UTC') ?? undefined,
    createdBy: neo.created_by,
    session: neo.session,
    task: neo.task,
    source: neo.source,
  })
}
