/**
 * mirror.*: the context mirror: what its owner does in an editor or terminal, told by hooks. Invariant 1: it is off until
 * neo.yaml says `agent.mirror.enabled`. Invariant 2: chats stay here; `scoped-facts.ts` takes nothing of them.
 */
import { z } from 'zod'
import { MIRROR_KINDS, type MirrorEvent } from '../../../domain/peer/mirror.ts'
import { matchedWords } from '../../../domain/memory/matched-words.ts'
import { mirrorContext } from '../../../memory/mirror-index.ts'
import { addMirrorEvent, newestMirrorEvents } from '../../../memory/mirror-log.ts'
import { isoNow, look, method } from '../../env.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { aboutRoom } from '../../views/about.ts'
import { findRoom } from '../../views/find-in-home.ts'
import { limit, roomId, roomParams } from '../../views/shapes.ts'

const text = z.string()

const eventParams = z.strictObject({
  roomId,
  kind: z.enum(MIRROR_KINDS).describe('What happened'),
  file: z
    .string()
    .max(1_000)
    .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$)).+$/s, 'want a path in the workspace')
    .optional()
    .describe('Relative to the workspace'),
  linesAdded: z.int().min(0).optional().describe('Of a change'),
  linesRemoved: z.int().min(0).optional().describe('Of a change'),
  summary: z.string().max(2_000).optional().describe('Of a change'),
  text: z
    .string()
    .max(20_000)
    .optional()
    .describe('Of a chat or a diagnostic. A diagnostic without text means that the error is fixed'),
  line: z.int().min(1).optional().describe('Of a diagnostic'),
  severity: z.enum(['error', 'warning']).optional(),
  name: z.string().max(1_000).optional().describe('Of a test, or the command'),
  status: z.enum(['passed', 'failed', 'skipped']).optional().describe('Of a test'),
  durationMs: z.number().min(0).optional().describe('Of a test or command'),
  exitCode: z.int().optional().describe('Of a command'),
})

export const mirrorEvent = method({
  name: 'mirror.event',
  summary: 'Record what happens in an editor',
  details:
    'For hooks of editors. Needs `agent.mirror.enabled` in `neo.yaml`. Secrets are masked; the record stays on this machine.',
  tool: { effect: 'adds' },
  params: eventParams,
  result: z.strictObject({ kept: z.boolean().describe('`false`: the record of today is full') }),
  act: 'remember',
  resource: aboutRoom,
  run: async (env, { roomId: id, ...event }) => {
    const snapshot = await look(env)
    if (snapshot.config.agent?.mirror.enabled !== true)
      throw new HubError(HUB_CODES.busy, 'The context mirror is off: set agent.mirror.enabled in neo.yaml')
    const at = isoNow(env)
    return {
      kept: addMirrorEvent(env.context, { ...event, at, room: findRoom(snapshot, id).name }) === 'kept',
    }
  },
})

export const mirrorSnapshot = method({
  name: 'mirror.snapshot',
  summary: 'Get the context of the last two hours',
  details: 'Files, changes, errors, tests and chats that editors have reported.',
  params: roomParams,
  result: z.strictObject({
    timestamp: text,
    activeFiles: z.array(text),
    recentChanges: z.array(
      z.strictObject({ file: text, linesAdded: z.number(), linesRemoved: z.number(), summary: text }),
    ),
    recentChat: z.array(
      z.strictObject({ role: z.enum(['user', 'assistant']), content: text, timestamp: text }),
    ),
    activeErrors: z.array(
      z.strictObject({ file: text, line: z.number(), message: text, severity: z.enum(['error', 'warning']) }),
    ),
    recentTests: z.array(z.strictObject({ name: text, status: text, durationMs: z.number().nullable() })),
    focusSummary: text,
  }),
  act: 'see',
  resource: aboutRoom,
  run: async (env, asked) => mirrorContext(env.context, (await aboutRoom(env, asked)).room, 0),
})

export const mirrorSearch = method({
  name: 'mirror.search',
  summary: 'Search the context mirror',
  details: 'Newest first, by words.',
  params: z.strictObject({
    roomId,
    query: z.string().trim().min(1).max(500).describe('Words'),
    limit: limit(200, 20),
  }),
  result: z.array(z.strictObject({ at: text, kind: z.enum(MIRROR_KINDS), file: text.nullable(), text })),
  act: 'see',
  resource: aboutRoom,
  run: async (env, { roomId: id, query, limit: most }) => {
    const snapshot = await look(env)
    const room = findRoom(snapshot, id).name
    const days = snapshot.config.agent?.mirror.retentionDays ?? 1
    const found = []
    for (const event of newestMirrorEvents(env.context, room, days)) {
      const { at, kind, file = null } = event
      if (found.length >= most) break
      if (matchedWords(query, wordsIn(event)).length > 0)
        found.push({ at, kind, file, text: wordsIn(event).slice(0, 500) })
    }
    return found
  },
})

function wordsIn({ file = '', summary = '', text: said = '', name = '' }: MirrorEvent): string {
  return [file, summary, said, name].filter((one) => one !== '').join(' ')
}
