/**
 * Tools for a model that has none: a Model around another one, for providers with `tools: text`. Invariants: 1. only text
 * that the model wrote in this reply is read for calls, never what it was given; 2. what it wrote goes back as it wrote
 * it, up to an invented result, so that its prefix stays the same; 3. streamed text that is shown is always a beginning
 * of the whole text, without a line that begins a call: from that line on, or an invented result, nothing is shown.
 */
import type {
  AssistantMessage,
  CallPart,
  JsonObject,
  Message,
  Reply,
  UserMessage,
} from '../../domain/agent/model-message.ts'
import { callsOf, textOfMessage } from '../../domain/agent/model-message.ts'
import {
  callText,
  describeTools,
  escapeMarkers,
  parseTextCalls,
  resultsText,
  STOP_WORDS,
  type TextCalls,
} from '../../domain/agent/text-tools.ts'
import type { Model, ModelRequest } from '../../ports/model-port.ts'
import { belongs, callIds, turnsOf, type UserTurn } from './model-turns.ts'

const TEXT = 'text'

export function textModel(inner: Model): Model {
  return {
    ref: inner.ref,
    window: inner.window,
    sees: inner.sees ?? false,
    async call(request) {
      const held = holdCalls()
      const { onText } = request
      const show = (text: string) => {
        if (text !== '') onText?.(text)
      }
      const reply = await inner.call({
        ...inTextForm(request, inner.ref),
        ...(onText === undefined ? {} : { onText: (delta: string) => show(held.push(delta)) }),
      })
      const written = textOfMessage(reply.message)
      const read = parseTextCalls(written, { cut: reply.stop === 'length', tools: request.tools })
      if (onText !== undefined) show(held.rest(read.text))
      return outOfTextForm(reply, {
        ref: inner.ref,
        request,
        read,
        written: written.slice(0, read.end).trimEnd(),
      })
    },
  }
}

function inTextForm({ tools, system, messages, ...request }: ModelRequest, ref: string): ModelRequest {
  const { onText: _, ...rest } = request
  const spoken = messages.some((message) => message.role === 'assistant' && callsOf(message).length > 0)
  return {
    ...rest,
    system: tools.length === 0 ? system : [...system, describeTools(tools)],
    tools: [],
    messages: turnsOf(messages, { api: TEXT, ref }).map(
      (turn): Message => (turn.role === 'user' ? userText(turn) : assistantText(turn.messages, ref)),
    ),
    ...(tools.length === 0 && !spoken ? {} : { stop: [...(request.stop ?? []), ...STOP_WORDS] }),
  }
}

function userText({ results, texts, images }: UserTurn): UserMessage {
  const parts = [resultsText(results), ...texts.map(({ text }) => escapeMarkers(text))]
    .filter((text) => text !== '')
    .map((text) => ({ kind: 'text' as const, text }))
  return { role: 'user', parts: [...parts, ...images] }
}

function assistantText(messages: readonly AssistantMessage[], ref: string): AssistantMessage {
  const own = messages.map((message) => writtenOf(message, ref))
  const [only] = own
  if (own.length === 1 && only !== undefined) return only
  return { role: 'assistant', parts: own.flatMap(({ parts }) => parts) }
}

/** As the model wrote it, thinking included; built from its parts if that is not known, or another model wrote it. */
function writtenOf(message: AssistantMessage, ref: string): AssistantMessage {
  const content = belongs(message, { api: TEXT, ref }) ? (message.raw?.content as JsonObject) : null
  const written = content?.['written']
  if (typeof written !== 'string')
    return { role: 'assistant', parts: [{ kind: 'text', text: rendered(message) }] }
  const raw = content?.['raw'] as AssistantMessage['raw'] | undefined
  const parts = [{ kind: 'text' as const, text: written }]
  return { role: 'assistant', parts, ...(raw === undefined ? {} : { raw }) }
}

function rendered({ parts }: AssistantMessage): string {
  return parts
    .map((part) => (part.kind === 'text' ? part.text : `\n${callText(part)}`))
    .join('')
    .trim()
}

interface Around {
  readonly ref: string
  readonly request: ModelRequest
  readonly read: TextCalls
  readonly written: string
}

function outOfTextForm(reply: Reply, { ref, request, read, written }: Around): Reply {
  const { message, stop } = reply
  const callId = callIds(request.messages)
  const calls: readonly CallPart[] =
    stop === 'refusal'
      ? []
      : [...read.calls, ...callsOf(message)].map((call) => ({ ...call, id: callId('') }))
  const parts = [...(read.text === '' ? [] : [{ kind: 'text' as const, text: read.text }]), ...calls]
  const { raw } = message
  // An invented result was cut away: what the provider keeps of the reply is not what goes back.
  const same = read.end >= textOfMessage(message).trimEnd().length && callsOf(message).length === 0
  const content = { written, ...(same && raw !== undefined ? { raw: { ...raw } } : {}) }
  const keeps = stop !== 'refusal' && written !== '' && callsOf(message).length === 0
  return {
    ...reply,
    stop: stop === 'end' && calls.length > 0 ? 'calls' : stop,
    message: {
      role: 'assistant',
      parts,
      ...(keeps ? { raw: { api: TEXT, model: ref, content } } : {}),
    },
  }
}

/** Lines that begin a call, a result, or a block, whole or as far as they came. */
const OPENINGS = ['✿FUNCTION✿', '✿RESULT✿', '✿RETURN✿'] as const

interface HeldText {
  readonly push: (piece: string) => string
  /** What of `text`, read out of the whole, was not shown yet. */
  readonly rest: (text: string) => string
}

export function holdCalls(): HeldText {
  let whole = ''
  let shown = 0
  /** The start of the line that is looked at. */
  let line = 0
  let closed = false
  const safe = (): number => {
    while (!closed) {
      const end = whole.indexOf('\n', line)
      const kind = kindOf(whole.slice(line, end < 0 ? undefined : end), end >= 0)
      if (kind === 'open') return line
      if (kind === 'call') closed = true
      else if (end < 0) return whole.length
      else line = end + 1
    }
    return line
  }
  return {
    push: (piece) => {
      whole += piece
      const until = safe()
      const more = whole.slice(shown, Math.max(shown, until))
      shown += more.length
      return more
    },
    rest: (text) => {
      // Space at the ends is taken off what is read; what was shown may have it still.
      const before = whole.slice(0, shown).trimStart()
      if (text.startsWith(before)) return text.slice(before.length)
      return text === before.trimEnd() ? '' : text.slice(sharedLength(text, before))
    },
  }
}

/** `open`: can't be known yet. */
function kindOf(line: string, whole: boolean): 'plain' | 'open' | 'call' {
  const text = line.trimStart()
  const bare = text.replace(/[ \t]/g, '')
  if (text === '') return whole ? 'plain' : 'open'
  if (OPENINGS.some((opening) => bare.startsWith(opening))) return 'call'
  if (/^(?:`{3,}|~{3,})[ \t]*neo[ \t\r]*$/.test(text)) return whole ? 'call' : 'open'
  if (whole) return 'plain'
  const fence = /^(?:`{1,}|~{1,})[ \t]*(?:n|ne|neo)?[ \t\r]*$/.test(text)
  return fence || OPENINGS.some((opening) => opening.startsWith(bare)) ? 'open' : 'plain'
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
