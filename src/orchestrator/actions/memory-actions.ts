/**
 * The actions on memory: add_memory, search_memory. Invariant 1: what a search gives is marked as data: a memory may
 * quote anybody.
 */
import { z } from 'zod'
import { dataLine, wrapped } from '../../domain/agent/neo-data.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import { memoryAdd, memorySearch } from '../../hub/methods/memory/memory-methods.ts'
import { action, fieldOf, hubParams, needs, takes } from './action.ts'

const add = memoryAdd.params.shape

export const addMemory = action({
  name: 'add_memory',
  who: 'all',
  doc: 'Remember something for later turns and for workers of this room: a decision, a preference, how something is done.',
  input: {
    type: needs(add.type, 'Kind of memory'),
    content: needs(add.content, 'One thing, in words that make sense on their own'),
    tags: takes(add.tags, 'Tags to find it by'),
    importance: takes(add.importance, 'Default: normal'),
  },
  aliases: { text: 'content', body: 'content', labels: 'tags' },
  step: async (args, { room, scope }) =>
    scope === null
      ? {
          kind: 'call',
          method: 'memory.add',
          params: { roomId: room, ...hubParams(args) },
          tell: (memory) => `Saved ${fieldOf(memory, 'id')}`.trim(),
        }
      : {
          kind: 'call',
          method: 'scope.remember',
          params: { scopeId: scope, content: args.content },
          tell: () => 'Saved, for this conversation only',
        },
})

const MOST_RESULTS = 20

const search = memorySearch.params.shape

export const searchMemory = action({
  name: 'search_memory',
  who: 'all',
  doc: 'Search the memories, task results and conversations that this room may see.',
  input: {
    query: needs(search.query, 'A few words'),
    types: takes(search.types, 'Only these kinds'),
    tags: takes(search.tags, 'Only memories with these tags'),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`Maximum number of results; default 8, at most ${MOST_RESULTS}`),
  },
  aliases: { type: 'types' },
  step: async ({ limit = 8, ...args }, { room, scope }) => ({
    kind: 'call',
    method: 'memory.search',
    params: {
      ...(room === LOBBY ? {} : { roomId: room }),
      ...(scope === null ? {} : { scopeId: scope }),
      ...hubParams(args),
      limit: Math.min(MOST_RESULTS, limit),
    },
    tell: (found) => recalled(found) || 'Nothing found',
  }),
})

const SNIPPET_LETTERS = 400

/** What a search gave, as data; '' for nothing. */
export function recalled(found: unknown): string {
  const results = (found as { readonly results?: unknown } | null)?.results
  if (!Array.isArray(results) || results.length === 0) return ''
  const lines = results.map(
    (one: unknown) =>
      `- ${dataLine(fieldOf(one, 'snippet'), SNIPPET_LETTERS)} (${dataLine(fieldOf(one, 'source'), 120)})`,
  )
  return wrapped('data', { kind: 'memories' }, lines.join('\n'))
}
