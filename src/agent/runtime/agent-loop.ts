/**
 * The loop of every conversation with a model that has tools: ask, keep the answer, run its calls, ask again. Callers
 * pass what differs: where the conversation is kept, what a call does and what becomes of it after a restart, and what
 * ends it. Invariants: 1. an answer is kept before its calls run; 2. limits are checked before each answer; 3. a
 * conversation that does not fit is shortened, and ends if that is not possible.
 */
import {
  type AssistantMessage,
  type CallPart,
  callsOf,
  type Message,
  type Reply,
} from '../../domain/agent/model-message.ts'
import { normalizeCalls } from './normalize-calls.ts'

export type Answered<End> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** The conversation does not fit the window of the model. */
  | { readonly kind: 'overflow' }
  | { readonly kind: 'none'; readonly end: End }

/** @typeParam End what the conversation comes to, in the caller's form */
export interface Led<End> {
  /** All that was said: ids of new calls differ from those in it. */
  messages(): readonly Message[]
  /** The part of new ids that differs from answer to answer. */
  prefix(): string
  /** Why no further answer is asked for; null: ask. */
  limit(): End | null
  /** `due`: makes the conversation shorter if it is near the window; `overflow`: in any case. False: it is as it was. */
  shorten(why: 'due' | 'overflow'): Promise<boolean>
  ask(): Promise<Answered<End>>
  /** Writes the answer down; an end if nothing may follow from it, such as a refusal. */
  keep(message: AssistantMessage, reply: Reply): End | null
  /** Runs the calls of the last answer, and adds their results. */
  run(calls: readonly CallPart[]): Promise<End | null>
  /** The answer has no calls. */
  quiet(message: AssistantMessage, reply: Reply): Promise<End | null>
  /** The conversation does not fit, even shortened. */
  full(): End
}

export async function leadConversation<End>(led: Led<End>): Promise<End> {
  for (;;) {
    const end = led.limit() ?? (await nextAnswer(led))
    if (end !== null) return end
  }
}

async function nextAnswer<End>(led: Led<End>): Promise<End | null> {
  await led.shorten('due')
  const answer = await led.ask()
  if (answer.kind === 'none') return answer.end
  if (answer.kind === 'overflow') return (await led.shorten('overflow')) ? null : led.full()
  const { reply } = answer
  const message = normalizeCalls(led.messages(), reply, led.prefix())
  const end = led.keep(message, reply)
  if (end !== null) return end
  const calls = callsOf(message)
  if (calls.length > 0) return led.run(calls)
  // After a pause the model is asked for the rest of its answer.
  return reply.stop === 'pause' ? null : led.quiet(message, reply)
}
