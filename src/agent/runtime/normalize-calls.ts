/**
 * The calls of an answer as they can be carried out: ids that no other call of the conversation has, and a call that was
 * cut in the middle marked as such. Pure. Invariants: 1. ids differ, also as names of files, so that no result is taken
 * for another's; 2. a cut call is known as cut from its first line on disk, so that no restart runs it; 3. if anything
 * was changed, the provider's raw blocks go.
 */
import {
  type AssistantMessage,
  callsOf,
  type CallPart,
  type Message,
  type Reply,
} from '../../domain/agent/model-message.ts'

/** The part of an id that names files and lines. */
export function idName(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_').slice(0, 80)
}

const CUT =
  'cut off: your answer reached its length limit inside this call, so it was not run; send it again in smaller parts'

/** @param prefix of new ids: another one for each answer of the conversation */
export function normalizeCalls(
  before: readonly Message[],
  { message, stop }: Pick<Reply, 'message' | 'stop'>,
  prefix: string,
): AssistantMessage {
  const taken = new Set(
    before.flatMap((one) => (one.role === 'assistant' ? callsOf(one).map(({ id }) => idName(id)) : [])),
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
  const isTaken = call.id === '' || of.taken.has(idName(call.id))
  const own = isTaken ? { ...call, id: of.fresh } : call
  of.taken.add(idName(own.id))
  return own
}
