/**
 * Carries out what one message asks for. Invariant 1: the requests of a batch are carried out one after the other, in
 * their order. Invariant 2: an error that is not the hub's own says nothing of what was thrown. Invariant 3: what the
 * answers of a batch hold together is bounded; a call beyond that is refused, and not carried out.
 */
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { type Asked, errorText, type RpcError, readMessage, resultText } from './json-rpc.ts'

export type Carry = (method: string, params: unknown) => Promise<unknown>

export interface Answered {
  /** Null: only notices were sent, and nothing is answered. */
  readonly text: string | null
  /** `unreadable`: it was no JSON. */
  readonly kind: 'answered' | 'unreadable'
}

/** UTF-16 units that the answers of a batch may have before the next call of it is refused. */
export const MOST_ANSWERED = 32 * 1024 * 1024

/** Never throws. */
export async function answerTo(text: string, carry: Carry): Promise<Answered> {
  const message = readMessage(text)
  if (message.kind === 'one') {
    const { asked } = message
    const kind = asked.kind === 'invalid' && asked.error.code === HUB_CODES.parse ? 'unreadable' : 'answered'
    return { text: await answerOne(asked, carry), kind }
  }
  return { text: await answerBatch(message.asked, carry), kind: 'answered' }
}

async function answerBatch(batch: readonly Asked[], carry: Carry): Promise<string | null> {
  const answers: string[] = []
  let length = 0
  for (const asked of batch) {
    const answer = await answerOne(asked, length < MOST_ANSWERED || asked.kind === 'notice' ? carry : tooMuch)
    if (answer === null) continue
    answers.push(answer)
    length += answer.length
  }
  if (answers.length === 0) return null
  try {
    return `[${answers.join(',')}]`
  } catch {
    return errorText(null, { code: HUB_CODES.internal, message: 'Internal error' })
  }
}

async function tooMuch(): Promise<never> {
  throw new HubError(
    HUB_CODES.busy,
    `Cannot answer the rest of this batch: its answers exceed ${MOST_ANSWERED} characters; send the rest again`,
  )
}

async function answerOne(asked: Asked, carry: Carry): Promise<string | null> {
  if (asked.kind === 'invalid') return errorText(asked.id, asked.error)
  try {
    const result = await carry(asked.method, asked.params)
    return asked.kind === 'notice' ? null : resultText(asked.id, result)
  } catch (error) {
    return asked.kind === 'notice' ? null : errorText(asked.id, rpcErrorOf(error))
  }
}

/** Faults whose words are written for people. */
const SAID: ReadonlySet<unknown> = new Set(['config', 'disk', 'git'])

export function rpcErrorOf(error: unknown): RpcError {
  if (!(error instanceof HubError)) return { code: HUB_CODES.internal, message: 'Internal error' }
  const { code, message, data } = error
  if (code === HUB_CODES.internal && !SAID.has(codeIn(data))) return { code, message: 'Internal error' }
  return { code, message, ...(data === undefined ? {} : { data }) }
}

function codeIn(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined
}
