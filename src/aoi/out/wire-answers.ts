/** What agents of other homes answer, as far as it is used: checked and bounded, since it is data of somebody else. */
import { z } from 'zod'
import { CONTEXT_TYPES } from '../../domain/peer/peer.ts'
import type { AnswerView } from '../../hub/peer-control.ts'

const text = z.string().max(100_000)
export const foundAgents = z.object({
  agents: z
    .array(
      z.object({
        identity: z.object({
          id: z.string().regex(/^[a-z0-9-]{1,64}$/),
          role: text.nullish(),
          owner: text.nullish(),
          capabilities: z
            .object({
              contexts: z
                .array(z.object({ type: z.enum(CONTEXT_TYPES), identifier: z.string().max(512) }))
                .max(200),
            })
            .partial()
            .nullish(),
        }),
        endpoint: text.nullish(),
        status: z.enum(['online', 'offline', 'busy']),
      }),
    )
    .max(1_000),
})
export const answered = z.object({
  summary: text,
  progress: z.number().min(0).max(100).optional(),
  blockers: z.array(text).max(100).optional(),
  context_refs: z
    .array(z.object({ type: z.string().max(20), ref: z.string().max(1_000), summary: text.optional() }))
    .max(200)
    .optional(),
  completed: z.boolean(),
})
export const executed = z.object({
  task_id: z.string().min(1).max(200),
  status: z.enum(['completed', 'failed', 'pending']),
  message: text.optional(),
  output: text.optional(),
  error: text.optional(),
})
const refusal = z.object({
  error: z.object({ message: text.optional(), data: z.object({ reason: text }).partial().optional() }),
})
export const identity = z.object({
  id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  publicKey: z.string().max(300),
})

/** The id is that of the request: that of the other home says nothing here. */
export function viewAnswer(answer: z.output<typeof answered>, queryId: string): AnswerView {
  const { summary, progress, blockers, context_refs: refs = [], completed } = answer
  return {
    ...{ queryId, completed, summary },
    ...(progress === undefined ? {} : { progress }),
    ...(blockers === undefined ? {} : { blockers }),
    contextRefs: refs,
  }
}

/** An answer inside a notification; null if there isn't one. */
export function answerIn(data: Readonly<Record<string, unknown>>, requestId: string): AnswerView | null {
  const read = answered.safeParse(data['result'])
  return read.success ? viewAnswer(read.data, requestId) : null
}

/** Why an agent refuses, inside a notification; null if it doesn't say. */
export function refusalIn(data: Readonly<Record<string, unknown>>): string | null {
  const read = refusal.safeParse(data)
  const { message, data: more } = read.success ? read.data.error : {}
  const why = more?.reason ?? message
  return why === undefined ? null : brief(why)
}

const MOST_BRIEF = 500

/** Text of another home for one line of a notice, a log or a task: without control characters, and cut. */
export function brief(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return line.length <= MOST_BRIEF ? line : `${line.slice(0, MOST_BRIEF - 1)}…`
}
