/**
 * Cuts tool results in what a model is sent, so that one large result doesn't fill its window. Pure.
 * The transcript keeps results whole; only what is sent is cut.
 * Invariant 1: the same result is cut in the same way in each request, as long as the rest fits.
 */
import type { Message, ResultPart, ToolSpec } from '../domain/agent/model-message.ts'
import { tokensOfMessages, tokensOfText } from '../domain/agent/compact.ts'

/** Share of the window that may be used; the rest is for the answer, and for counts that are only estimates. */
const FULL = 0.7
/** Share of the window that messages are given at least: the standing text is only estimated. */
const LEAST_ROOM = 0.2
/** Share of the usable window that one result may take. */
const MOST_OF_ONE = 0.5
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
  const cap = caps(messages).find((one) => longestTokens(cutAt(messages, one)) <= room * MOST_OF_ONE)
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
