/**
 * The summary that older messages are folded into: by the model itself, or by rule where it does not answer.
 * Takes messages; gives text. Leaves to conversation.ts: which messages are folded.
 * Invariant 1: it always gives a text: a conversation that cannot be folded could not go on.
 */
import { imageText, type Message, textOfMessage } from '../../core/model/message.ts'
import type { Model } from '../../ports-agent.ts'
import type { AgentDeps } from '../deps.ts'
import type { Run } from '../run.ts'
import { askModel } from './ask-model.ts'

const SYSTEM =
  'You keep the notes of a piece of work that goes on. Write what whoever continues must know: what is wanted, what was done and found, file names, decisions and their reasons, what is open. Be concise; no preamble.'
/** Bytes of one message in the text that is summarised. */
const MOST_OF_ONE = 4000
/** Bytes of a summary by rule. */
const MOST_BY_RULE = 6000

export async function summaryOf(
  run: Run,
  of: { readonly deps: AgentDeps; readonly model: Model },
  what: { readonly messages: readonly Message[]; readonly key: string },
): Promise<string> {
  const text = what.messages.map(plain).join('\n\n')
  const answer = await askModel(run, of, {
    system: [SYSTEM],
    tools: [],
    messages: [{ role: 'user', parts: [{ kind: 'text', text: `Summarise this work so far:\n\n${text}` }] }],
    key: what.key,
  })
  const said = answer.kind === 'reply' ? textOfMessage(answer.reply.message).trim() : ''
  return said === '' ? byRule(what.messages) : said
}

function plain(message: Message): string {
  return `${message.role}: ${message.parts.map((part) => clip(plainPart(part), MOST_OF_ONE)).join('\n')}`
}

function plainPart(part: Message['parts'][number]): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'image':
      return imageText(part)
    case 'call':
      return `[calls ${part.name} ${JSON.stringify(part.input)}]`
    case 'result':
      return `[${part.name} gave${part.isError === 'yes' ? ' an error' : ''}: ${part.text}]`
  }
}

/** What the worker itself said, newest last, and the names of what it called. */
function byRule(messages: readonly Message[]): string {
  const lines = messages.map((message) => clip(plain(message), 300))
  return clip(lines.join('\n'), MOST_BY_RULE)
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)}\n…\n${text.slice(-most / 2)}`
}
