/**
 * The loop of every conversation with a model that has tools: ask, keep the answer, run its calls, ask again. Callers
 * pass what differs: where the conversation is kept, what a call does and what becomes of it after a restart, and what
 * ends it. Invariants: 1. an answer is kept before its calls run; 2. limits are checked before each answer; 3. a
 * conversation that does not fit is shortened, and ends if that is not possible; 4. ids of calls differ, also as names
 * of files, so that no result is taken for another's; 5. a call that was cut is known as cut from its first line on
 * disk, so that no restart runs it; 6. if a call was changed, the provider's raw blocks are dropped.
 */
import {
  type AssistantMessage,
  type CallPart,
  callsOf,
  type Message,
  type Reply,
} from '../../domain/agent/model-message.ts'

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

/** The part of an id that names files and lines. */
export function idName(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_').slice(0, 80)
}

const CUT =
  'cut off: your answer reached its length limit inside this call, so it was not run; send it again in smaller parts'

/** @param prefix of new ids: another one for each answer of the conversation */
function normalizeCalls(
  before: readonly Message[],
  { message, stop }: Pick<Reply, 'message' | 'stop'>,
  prefix: string,
): AssistantMessage {
  const taken = new Set(
    before.flatMap((one) => (one.role === 'assistant' ? callsOf(one).map(({ id }) => fileOf(id)) : [])),
  )
  const cut = stop === 'length' ? callsOf(message).at(-1) : undefined
  let changed = false
  const parts = message.parts.map((part, n) => {
    if (part.kind !== 'call') return part
    const own = withOwnId(part, { taken, fresh: `call_${prefix}_${n}` })
    changed ||= own !== part
    return part === cut ? { ...own, flaw: CUT } : own
  })
  if (changed) return { role: 'assistant', parts }
  return { ...message, parts }
}

function withOwnId(call: CallPart, of: { readonly taken: Set<string>; readonly fresh: string }): CallPart {
  const isTaken = (id: string) => id === '' || of.taken.has(fileOf(id))
  // A server may use ids that look like ours.
  let { id } = call
  for (let n = 0; isTaken(id); n++) id = n === 0 ? of.fresh : `${of.fresh}_${n}`
  of.taken.add(fileOf(id))
  return id === call.id ? call : { ...call, id }
}

/** Some file systems don't tell capitals apart. */
function fileOf(id: string): string {
  return idName(id).toLowerCase()
}
