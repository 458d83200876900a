/**
 * The actions on memory: add_memory, search_memory. Invariant 1: what a search gives is marked as data: a memory may
 * quote anybody.
 */
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { dataLine, wrapped } from '../../domain/agent/neo-data.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import { MEMORY_TYPES } from '../../files/kinds/read-memory.ts'
import { type Action, fieldOf, given } from './action.ts'

export const addMemory: Action = {
  name: 'add_memory',
  who: 'all',
  doc: 'Remember something for later turns and for workers of this room: a decision, a preference, how something is done.',
  params: [
    { name: 'type', type: 'choice', of: [...MEMORY_TYPES], required: 'yes', doc: 'Kind of memory' },
    {
      name: 'content',
      aliases: ['text', 'body'],
      type: 'text',
      required: 'yes',
      doc: 'One thing, in words that make sense on their own',
    },
    { name: 'tags', aliases: ['labels'], type: 'texts', required: 'no', doc: 'Tags to find it by' },
    {
      name: 'importance',
      type: 'choice',
      of: ['low', 'normal', 'high'],
      required: 'no',
      doc: 'Default: normal',
    },
  ],
  step: async (args, { room, scope }) =>
    scope === null
      ? {
          kind: 'call',
          method: 'memory.add',
          params: {
            roomId: room,
            ...given(args, { type: 'type', content: 'content', tags: 'tags', importance: 'importance' }),
          },
          tell: (memory) => `Saved ${fieldOf(memory, 'id')}`.trim(),
        }
      : {
          kind: 'call',
          method: 'scope.remember',
          params: { scopeId: scope, ...given(args, { content: 'content' }) },
          tell: () => 'Saved, for this conversation only',
        },
}

const MOST_RESULTS = 20

export const searchMemory: Action = {
  name: 'search_memory',
  who: 'all',
  doc: 'Search the memories, task results and conversations that this room may see.',
  params: [
    { name: 'query', type: 'line', required: 'yes', doc: 'A few words' },
    {
      name: 'types',
      aliases: ['type'],
      type: 'texts',
      required: 'no',
      doc: `Only these kinds: ${MEMORY_TYPES.join(', ')}`,
    },
    { name: 'tags', type: 'texts', required: 'no', doc: 'Only memories with these tags' },
    {
      name: 'limit',
      type: 'count',
      required: 'no',
      doc: `Maximum number of results; default 8, at most ${MOST_RESULTS}`,
    },
  ],
  step: async (args, { room, scope }) => {
    const limit = Math.min(MOST_RESULTS, typeof args['limit'] === 'number' ? args['limit'] : 8)
    const params: JsonObject = {
      ...(room === LOBBY ? {} : { roomId: room }),
      ...(scope === null ? {} : { scopeId: scope }),
      ...given(args, { query: 'query', types: 'types', tags: 'tags' }),
      limit,
    }
    return {
      kind: 'call',
      method: 'memory.search',
      params,
      tell: (found) => recalled(found) || 'Nothing found',
    }
  },
}

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
