/**
 * A reply of a server of the OpenAI wire, gathered from chunks or from one whole body. Invariant 1: whether there are
 * calls decides, and not the finish reason: some servers say `stop` with calls. Invariant 2: reasoning isn't text; it is
 * kept as raw content with the name of its field.
 */
import type { AssistantMessage, Reply, StopReason, Usage } from '../../domain/agent/model-message.ts'
import { estimatedUsage } from './estimate-tokens.ts'
import { countOf, type Loose, listOf, objectOf, textOf } from './loose.ts'
import { gatherCalls } from './openai-calls.ts'
import { OPENAI } from './openai-request.ts'

const OPEN = '<think>'
const CLOSE = '</think>'

interface Think {
  /** Gives the text that may be shown now. */
  readonly push: (piece: string) => string
  /** Gives what was held back. */
  readonly end: () => string
  readonly thought: () => string
}

/** `open`: the template of the model has opened the thinking already. */
function takeThinking({ open }: { readonly open: boolean }): Think {
  let state: 'start' | 'inside' | 'after' | 'shown' = open ? 'inside' : 'start'
  let held = ''
  let thought = ''
  const start = () => {
    const trimmed = held.trimStart()
    if (trimmed.length < OPEN.length && OPEN.startsWith(trimmed)) return ''
    if (!trimmed.startsWith(OPEN)) {
      state = 'shown'
      return release()
    }
    state = 'inside'
    held = trimmed.slice(OPEN.length)
    return inside()
  }
  const inside = () => {
    const close = held.indexOf(CLOSE)
    // What may be the beginning of the closing tag stays held.
    const safe = close >= 0 ? close : Math.max(0, held.length - CLOSE.length + 1)
    thought += held.slice(0, safe)
    held = held.slice(close >= 0 ? close + CLOSE.length : safe)
    if (close < 0) return ''
    state = 'after'
    return after()
  }
  const after = () => {
    held = held.trimStart()
    if (held === '') return ''
    state = 'shown'
    return release()
  }
  const release = () => {
    const text = held
    held = ''
    return text
  }
  const end = () => {
    if (state === 'inside') thought += held
    return state === 'inside' || state === 'after' ? '' : release()
  }
  const steps = { start, inside, after, shown: release }
  const push = (piece: string) => {
    held += piece
    return steps[state]()
  }
  return { push, end, thought: () => thought.trim() }
}

export interface OpenaiGathering {
  /** Adds one chunk; returns its text. */
  readonly take: (chunk: unknown) => string
  /** Gives text that was held back. */
  readonly rest: () => string
  readonly finish: () => string
  readonly reply: (ending: OpenaiEnding) => Reply
}

export interface OpenaiEnding {
  readonly ref: string
  readonly callId: (told: string) => string
  readonly sent: () => string
}

const REASONING = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

export function gatherOpenai({ thinkOpen }: { readonly thinkOpen: boolean }): OpenaiGathering {
  const calls = gatherCalls()
  const think = takeThinking({ open: thinkOpen })
  const reasoning = { field: '', text: '' }
  let [text, finish, refusal] = ['', '', '']
  let usage: Loose | null = null
  const shown = (more: string) => {
    text += more
    return more
  }
  const take = (chunk: unknown) => {
    const given = objectOf(chunk) ?? {}
    const choice = objectOf(listOf(given['choices'])[0]) ?? {}
    usage = objectOf(given['usage']) ?? objectOf(choice['usage']) ?? usage
    finish = textOf(choice['finish_reason']) || finish
    const delta = objectOf(choice['delta']) ?? objectOf(choice['message']) ?? {}
    for (const call of listOf(delta['tool_calls'])) calls.add(call)
    if (objectOf(delta['function_call']) !== null) calls.add({ index: 0, function: delta['function_call'] })
    refusal += textOf(delta['refusal'])
    const field = REASONING.find((name) => textOf(delta[name]) !== '')
    if (field !== undefined) {
      reasoning.field = field
      reasoning.text += textOf(delta[field])
    }
    const content = contentOf(delta['content'])
    return content === '' ? '' : shown(think.push(content))
  }
  const reply = ({ ref, callId, sent }: OpenaiEnding): Reply => {
    const thought = {
      field: reasoning.field || 'reasoning_content',
      reasoning: reasoning.text || think.thought(),
    }
    const { stop, note } = stopOf({ finish, refusal, hasCalls: calls.count() > 0 })
    const parts = stop === 'refusal' ? [] : calls.read({ cut: stop === 'length', callId })
    const message: AssistantMessage = {
      role: 'assistant',
      parts: [...(text.trim() === '' ? [] : [{ kind: 'text' as const, text }]), ...parts],
      ...(thought.reasoning === '' ? {} : { raw: { api: OPENAI, model: ref, content: thought } }),
    }
    const written = text + calls.written() + thought.reasoning
    return { message, stop, note, usage: usageOf(usage) ?? estimatedUsage(sent(), written) }
  }
  return { take, rest: () => shown(think.end()), finish: () => finish, reply }
}

/** A text, or parts with texts. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .map((part) => textOf(objectOf(part)?.['text']))
    .join('')
}

const STOPS: Readonly<Record<string, StopReason>> = {
  length: 'length',
  max_tokens: 'length',
  content_filter: 'refusal',
  stop: 'end',
  end: 'end',
  eos: 'end',
  end_turn: 'end',
  stop_sequence: 'end',
  tool_calls: 'end',
  function_call: 'end',
}

function stopOf({
  finish,
  refusal,
  hasCalls,
}: {
  readonly finish: string
  readonly refusal: string
  readonly hasCalls: boolean
}): { readonly stop: StopReason; readonly note: string } {
  if (refusal !== '') return { stop: 'refusal', note: refusal }
  const known = Object.hasOwn(STOPS, finish) ? STOPS[finish] : undefined
  if (known === 'refusal') return { stop: known, note: 'The server filtered the reply' }
  if (known === 'length') return { stop: known, note: '' }
  const note = known === undefined ? `The server gave the finish reason ${JSON.stringify(finish)}` : ''
  return { stop: hasCalls ? 'calls' : 'end', note }
}

/** `prompt_tokens` counts what came from a cache too, ours does not. Null if nothing, or only zeros, are reported. */
function usageOf(usage: Loose | null): Usage | null {
  if (usage === null) return null
  const details = objectOf(usage['prompt_tokens_details']) ?? {}
  const whole = countOf(usage['prompt_tokens'])
  const read =
    countOf(details['cached_tokens']) ||
    countOf(usage['prompt_cache_hit_tokens']) ||
    countOf(usage['cached_tokens'])
  const write = countOf(details['cache_write_tokens'])
  const output = countOf(usage['completion_tokens'])
  if (whole === 0) return null
  const cacheRead = Math.min(read, whole)
  const cacheWrite = Math.min(write, whole - cacheRead)
  return { input: whole - cacheRead - cacheWrite, cacheRead, cacheWrite, output, source: 'told' }
}
