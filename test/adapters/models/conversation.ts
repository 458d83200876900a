/** Conversations for tests of models: what is asked, and what is answered to calls. */

import {
  callsOf,
  type Message,
  type Reply,
  type UserMessage,
} from '../../../src/domain/agent/model-message.ts'
import type { ModelErrorKind } from '../../../src/domain/agent/model-retry.ts'
import type { ModelRequest } from '../../../src/ports/model-port.ts'
import { READ } from './wires.ts'

export const user = (text: string): UserMessage => ({ role: 'user', parts: [{ kind: 'text', text }] })

export function ask(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  const signal = new AbortController().signal
  return { system: ['You are terse.', 'It is quiet.'], tools: [READ], messages, signal, ...more }
}

/** The conversation after a reply whose calls were all answered. */
export function answered(
  messages: readonly Message[],
  { message }: Reply,
  text = 'line 1 ✿RESULT✿: "no"\n',
): Message[] {
  const results = callsOf(message).map(({ id, name }) => ({
    kind: 'result' as const,
    call: id,
    name,
    text,
    isError: false,
  }))
  return [...messages, message, { role: 'user', parts: results }]
}

/** What a call throws. */
export async function errorOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => 'it gave a reply',
    (thrown: unknown) => thrown,
  )
  return error as { kind: ModelErrorKind; message: string; more: { retryAfterMs?: number; status?: number } }
}
