/**
 * The summary that older messages are folded into: by the model, or by a rule if the model does not answer. Invariants:
 * 1. there is always a text, because a conversation that can't be folded can't continue; 2. neither the request nor the
 * summary grows with the number of folds.
 */

import { ruleSummary, tokensOfText } from '../domain/agent/compact.ts'
import { imageText, type Message, textOfMessage } from '../domain/agent/model-message.ts'
import type { Model } from '../ports/model-port.ts'
import type { AgentDeps } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { askWorkerModel } from './worker-model-call.ts'

const SYSTEM =
  'You keep the notes of work in progress. Write what the next person needs to continue: the goal, what was done and found, file names, decisions and their reasons, what is open. Be concise; no preamble.'
/** Letters of one part in the text to summarise; fewer if the window is small. */
const MOST_OF_ONE = 4000
const LEAST_OF_ONE = 250
/** Letters of a summary by rule, and of one message in it. */
const MOST_BY_RULE = 6000
const MOST_OF_LINE = 300
/** Share of the room that a summary may take: it replaces messages to make room. */
const SHARE = 0.3

export interface Folded {
  /** From the first one, which holds what is wanted and the summary before. */
  readonly messages: readonly Message[]
  /** The summary before; '' if there was none. */
  readonly previous: string
  /** Tokens that messages may take. */
  readonly room: number
  readonly key: string
}

export async function summaryOf(
  run: Run,
  of: { readonly deps: AgentDeps; readonly model: Model },
  what: Folded,
): Promise<string> {
  const text = textWithin(what)
  const answer = await askWorkerModel(run, of, {
    system: [SYSTEM],
    tools: [],
    messages: [{ role: 'user', parts: [{ kind: 'text', text: `Summarise this work so far:\n\n${text}` }] }],
    key: what.key,
  })
  const said = answer.kind === 'reply' ? textOfMessage(answer.reply.message).trim() : ''
  return within(said === '' ? byRule(what) : said, what.room * SHARE)
}

/** All messages, each part cut until they fit. */
function textWithin({ messages, room }: Folded): string {
  for (let most = MOST_OF_ONE; ; most /= 2) {
    const text = messages.map((message) => plain(message, most)).join('\n\n')
    if (most <= LEAST_OF_ONE || tokensOfText(text) <= room) return text
  }
}

function plain(message: Message, most: number): string {
  return `${message.role}: ${message.parts.map((part) => clip(plainPart(part), most)).join('\n')}`
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
      return `[${part.name} gave${part.isError ? ' an error' : ''}: ${part.text}]`
  }
}

/** What was known, and what the worker said and called; over the limit the oldest lines go. */
function byRule({ messages, previous }: Folded): string {
  return ruleSummary(previous, messages.slice(1), { letters: MOST_BY_RULE, perMessage: MOST_OF_LINE })
}

function within(text: string, tokens: number): string {
  const has = tokensOfText(text)
  return has <= tokens ? text : clip(text, Math.max(LEAST_OF_ONE, Math.floor((text.length * tokens) / has)))
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')
  return `${head}\n…\n${text.slice(-half).replace(/^[\uDC00-\uDFFF]/, '')}`
}
