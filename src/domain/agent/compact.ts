/**
 * Compacting a conversation that is too long: its tokens, where to cut it, and the summary by rule that replaces the
 * cut part.
 * Invariant 1: a call and its result are never on different sides of a cut. Invariant 2: at least `keepLast` messages
 * stay whole; the rest after a cut is not cut again.
 */
import { cut, oneLine } from '../text/one-line.ts'
import type { Message } from './model-message.ts'

export interface FoldLimits {
  /** Folding begins above this many messages or tokens; null: tokens are not limited. */
  readonly maxMessages: number
  readonly maxTokens: number | null
  /** At least this many messages stay whole. */
  readonly keepLast: number
}

export const MAX_MESSAGES = 100
export const KEEP_LAST = 6
/** Share of the window above which the conversation is compacted. */
const FULL = 0.7
/** Share of a limit that remains after compacting, so that the next one isn't due after one more message. */
const LEAVES = 0.4
/** Letters per token in Latin script, and in others. */
const ASCII_PER_TOKEN = 4
const OTHER_PER_TOKEN = 1.5
/** Tokens of roles, marks and ids of each message and part. */
const FRAME_TOKENS = 4
/** Tokens of an image of common size. */
const IMAGE_TOKENS = 1_600

/** The limits for a window; `overhead`: tokens of system text and tools, which are in it too. */
export function foldLimits(window: number | null, overhead: number): FoldLimits {
  const maxTokens = window === null ? null : Math.max(1, Math.floor(window * FULL) - overhead)
  return { maxMessages: MAX_MESSAGES, maxTokens, keepLast: KEEP_LAST }
}

/** Tokens of a text, by its length. */
export function tokensOfText(text: string): number {
  let other = 0
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) other += 1
  return Math.ceil((text.length - other) / ASCII_PER_TOKEN + other / OTHER_PER_TOKEN)
}

/** Tokens of a message with its calls and results, by their length. */
export function tokensOfMessage(message: Message): number {
  return message.parts.reduce((sum: number, part) => {
    if (part.kind === 'image') return sum + IMAGE_TOKENS
    const text = part.kind === 'call' ? part.name + JSON.stringify(part.input) : part.text
    return sum + tokensOfText(text) + FRAME_TOKENS
  }, FRAME_TOKENS)
}

export function tokensOfMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), 0)
}

/** True if messages or tokens are over their limit. */
export function isOverfull(messages: readonly Message[], limits: FoldLimits): boolean {
  if (messages.length > limits.maxMessages) return true
  return limits.maxTokens !== null && tokensOfMessages(messages) > limits.maxTokens
}

/**
 * The number of messages to cut from the start; 0 if none needs to be or can be. The rest fits into the limits with
 * room to grow, as far as `keepLast` and whole pairs allow.
 */
export function foldPoint(messages: readonly Message[], limits: FoldLimits): number {
  if (!isOverfull(messages, limits)) return 0
  const last = messages.length - limits.keepLast
  const cuts = suffixTokens(messages)
    .map((tokens, at) => ({ at, tokens }))
    .filter(({ at }) => at > 0 && at <= last && isCut(messages, at))
  const mayStay = Math.max(limits.keepLast, Math.floor(limits.maxMessages * LEAVES))
  const mayCost = limits.maxTokens === null ? Number.POSITIVE_INFINITY : limits.maxTokens * LEAVES
  const fits = cuts.find(({ at, tokens }) => messages.length - at <= mayStay && tokens <= mayCost)
  return (fits ?? cuts.at(-1))?.at ?? 0
}

/** True if no call before `at` has its result at or after it. */
function isCut(messages: readonly Message[], at: number): boolean {
  const open = new Set<string>()
  for (const message of messages.slice(0, at))
    for (const part of message.parts) {
      if (part.kind === 'call') open.add(part.id)
      if (part.kind === 'result') open.delete(part.call)
    }
  if (open.size === 0) return true
  const after = messages.slice(at).flatMap((message) => message.parts as readonly Part[])
  return !after.some((part) => part.kind === 'result' && open.has(part.call))
}

type Part = Message['parts'][number]

/** Tokens from each index to the end. */
function suffixTokens(messages: readonly Message[]): readonly number[] {
  const sums: number[] = []
  let sum = 0
  for (const message of [...messages].reverse()) {
    sum += tokensOfMessage(message)
    sums.unshift(sum)
  }
  return sums
}

/** Letters of one message in a summary. */
const LINE_LETTERS = 240

/**
 * The summary by rule: what was known, and one line a message (of `perMessage` letters); over `letters` the oldest
 * lines go first. Never longer than `letters`.
 */
export function ruleSummary(
  previous: string,
  messages: readonly Message[],
  { letters, perMessage = LINE_LETTERS }: { readonly letters: number; readonly perMessage?: number },
): string {
  const said = messages.flatMap((message) => linesOf(message, perMessage))
  const lines = [...previous.split('\n'), ...said].filter((line) => line.trim() !== '')
  const kept: string[] = []
  let size = 0
  for (const line of lines.reverse()) {
    if (size + line.length + 1 > letters) break
    kept.unshift(line)
    size += line.length + 1
  }
  return kept.join('\n')
}

function linesOf(message: Message, letters: number): readonly string[] {
  const short = (text: string) => cut(oneLine(text), letters)
  return message.parts.flatMap((part: Part): readonly string[] => {
    if (part.kind === 'call') return [`- called ${part.name} ${short(JSON.stringify(part.input))}`]
    if (part.kind === 'result')
      return [`- ${part.name} ${part.isError ? 'failed' : 'gave'}: ${short(part.text)}`]
    if (part.kind === 'image') return [`- ${message.role} sent an image`]
    return part.text.trim() === '' ? [] : [`- ${message.role}: ${short(part.text)}`]
  })
}

/** Repairs the messages of a damaged transcript: each call has one result right after it, and each result a call. */
export function wholePairs(messages: readonly Message[], unknown: string): readonly Message[] {
  const whole: Message[] = []
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user') {
      const parts = message.parts.filter((part) => part.kind !== 'result')
      const before = messages[at - 1]
      const results = before?.role === 'assistant' ? resultsFor(before, message, unknown) : []
      if (results.length + parts.length > 0) whole.push({ role: 'user', parts: [...results, ...parts] })
      continue
    }
    if (message.parts.length === 0) continue
    whole.push(message)
    const next = messages[at + 1]
    const open = next?.role === 'user' ? [] : resultsFor(message, null, unknown)
    if (open.length > 0) whole.push({ role: 'user', parts: open })
  }
  return whole
}

type Assistant = Message & { readonly role: 'assistant' }
type Result = Part & { readonly kind: 'result' }

function resultsFor(asked: Assistant, answer: Message | null, unknown: string): readonly Result[] {
  return asked.parts.flatMap((part): readonly Result[] => {
    if (part.kind !== 'call') return []
    const found = (answer?.parts as readonly Part[] | undefined)?.find(
      (one): one is Result => one.kind === 'result' && one.call === part.id,
    )
    return [found ?? { kind: 'result', call: part.id, name: part.name, text: unknown, isError: true }]
  })
}
