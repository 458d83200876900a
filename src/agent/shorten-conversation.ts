/**
 * Makes a conversation fit the window of its model: older messages are folded into a summary, by the model or by a rule
 * if it does not answer, and large results are cut in what is sent. Invariants: 1. there is always a summary, because a
 * conversation that can't be folded can't continue; 2. neither the request nor the summary grows with the number of
 * folds; 3. the same result is cut in the same way in each request, as long as the rest fits; the transcript keeps it
 * whole.
 */
import { ruleSummary, tokensOfMessages, tokensOfText } from '../domain/agent/compact.ts'
import {
  imageText,
  type Message,
  type ResultPart,
  type ToolSpec,
  textOfMessage,
} from '../domain/agent/model-message.ts'
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

interface Folded {
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

/** Share of the window that may be used; the rest is for the answer, and for counts that are only estimates. */
const FULL = 0.7
/** Share of the window that messages are given at least: the standing text is only estimated. */
const LEAST_ROOM = 0.2
/** Share of the usable window that one result may take. */
const SHARE_OF_ONE = 0.5
/** Characters: a shorter result isn't cut. */
const LEAST = 400

/** Tokens that messages may take beside the standing text and tools; `Infinity` if the window isn't known. */
export function roomFor(
  window: number | null,
  system: readonly string[],
  tools: readonly ToolSpec[],
): number {
  if (window === null) return Number.POSITIVE_INFINITY
  const standing = tokensOfText(system.join('\n')) + tokensOfText(JSON.stringify(tools))
  return Math.floor(Math.max(window * LEAST_ROOM, window * FULL - standing))
}

/** The messages with no single result over half the room. */
export function capped(messages: readonly Message[], room: number): readonly Message[] {
  const cap = caps(messages).find((one) => longestTokens(cutAt(messages, one)) <= room * SHARE_OF_ONE)
  return cutAt(messages, cap ?? LEAST)
}

/** The messages with results cut until all fit, as far as results can be cut. */
export function fitted(messages: readonly Message[], room: number): readonly Message[] {
  const first = capped(messages, room)
  if (tokensOfMessages(first) <= room) return first
  const cap = caps(first).find((one) => tokensOfMessages(cutAt(messages, one)) <= room)
  return cutAt(messages, cap ?? LEAST)
}

/** Lengths to try: powers of two times the least, the largest first. */
function caps(messages: readonly Message[]): readonly number[] {
  const longest = Math.max(LEAST, ...resultsOf(messages).map(({ text }) => text.length))
  const steps = Math.ceil(Math.log2(longest / LEAST))
  return Array.from({ length: steps + 1 }, (_, at) => LEAST * 2 ** (steps - at))
}

function longestTokens(messages: readonly Message[]): number {
  return Math.max(0, ...resultsOf(messages).map(({ text }) => tokensOfText(text)))
}

function resultsOf(messages: readonly Message[]): readonly ResultPart[] {
  return messages.flatMap((message) =>
    message.role === 'user' ? message.parts.filter((part) => part.kind === 'result') : [],
  )
}

function cutAt(messages: readonly Message[], cap: number): readonly Message[] {
  if (resultsOf(messages).every(({ text }) => text.length <= cap)) return messages
  return messages.map((message) => {
    if (message.role !== 'user') return message
    const parts = message.parts.map((part) =>
      part.kind === 'result' ? { ...part, text: cut(part.text, cap) } : part,
    )
    return { ...message, parts }
  })
}

function cut(text: string, cap: number): string {
  if (text.length <= cap) return text
  const head = text.slice(0, Math.floor((cap * 2) / 3)).replace(/[\uD800-\uDBFF]$/, '')
  const tail = text.slice(-Math.floor(cap / 6)).replace(/^[\uDC00-\uDFFF]/, '')
  const gone = text.length - head.length - tail.length
  const note = `[… ${gone} of ${text.length} characters left out: too large for the context window; ask for a part]`
  return `${head}\n${note}\n${tail}`
}
