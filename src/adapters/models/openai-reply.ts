/**
 * A reply of a server of the OpenAI wire, gathered from chunks or from one whole body. Invariant 1: whether there are
 * calls decides, and not the finish reason: some servers say `stop` with calls. Invariant 2: reasoning isn't text; it is
 * kept as raw content with the name of its field.
 */
import type {
  AssistantMessage,
  CallPart,
  JsonObject,
  Reply,
  StopReason,
  Usage,
} from '../../domain/agent/model-message.ts'
import {
  argumentsOf,
  CUT_OFF,
  countOf,
  estimatedUsage,
  type Loose,
  listOf,
  objectOf,
  textOf,
} from './loose.ts'
import type { Ending } from './model-call.ts'
import { OPENAI } from './openai-request.ts'

const OPEN = '<think>'
const CLOSE = '</think>'

interface Think {
  /** Returns the text that may be shown now. */
  readonly push: (piece: string) => string
  /** Returns what was held back. */
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
  /** Returns text that was held back. */
  readonly rest: () => string
  readonly finish: () => string
  readonly reply: (ending: Ending) => Reply
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
  const reply = ({ ref, callId, sent }: Ending): Reply => {
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

/**
 * Servers send calls with no index, the same index for every call, no id, the same id twice, a name in every piece, and
 * arguments whole, empty, or as an object instead of a text. Arguments that are not a JSON object are the flaw of their
 * call; nothing is guessed.
 */
interface Call {
  readonly index: number | null
  id: string
  name: string
  json: string
  object: JsonObject | null
}

interface Calls {
  readonly add: (piece: unknown) => void
  readonly count: () => number
  readonly read: (options: {
    readonly cut: boolean
    readonly callId: (told: string) => string
  }) => readonly CallPart[]
  /** All that came, to estimate tokens from. */
  readonly written: () => string
}

interface Piece {
  readonly index: number | null
  readonly id: string
  readonly name: string
  readonly args: unknown
}

function gatherCalls(): Calls {
  const calls: Call[] = []
  return {
    add: (given) => {
      const piece = pieceOf(given)
      let call = callOf(calls, piece)
      if (call === undefined) {
        call = { index: piece.index, id: '', name: '', json: '', object: null }
        calls.push(call)
      }
      if (call.id === '') call.id = piece.id
      if (call.name === '') call.name = piece.name
      if (typeof piece.args === 'string') call.json += piece.args
      else if (objectOf(piece.args) !== null) call.object = piece.args as JsonObject
    },
    count: () => calls.length,
    read: ({ cut, callId }) =>
      calls.map((call, index) => partOf(call, { callId, cut: cut && index === calls.length - 1 })),
    written: () => calls.map(({ name, json, object }) => name + json + JSON.stringify(object ?? '')).join(''),
  }
}

function pieceOf(given: unknown): Piece {
  const piece = objectOf(given) ?? {}
  const named = objectOf(piece['function']) ?? piece
  const index = piece['index']
  return {
    index: typeof index === 'number' ? index : null,
    id: textOf(piece['id']),
    name: textOf(named['name']),
    args: named['arguments'],
  }
}

/** The call that a piece continues with; undefined if it begins one. */
function callOf(calls: readonly Call[], piece: Piece): Call | undefined {
  if (piece.index !== null) {
    const call = calls.findLast(({ index }) => index === piece.index)
    const another = call !== undefined && piece.id !== '' && piece.name !== '' && call.id !== piece.id
    return another ? undefined : call
  }
  const last = calls.at(-1)
  if (last === undefined) return undefined
  if (piece.id !== '' && piece.id !== last.id) return undefined
  if (piece.name !== '' && isWhole(last)) return undefined
  return last
}

function isWhole({ json, object }: Call): boolean {
  return object !== null || argumentsOf(json).flaw === undefined
}

function partOf(
  { id, name, json, object }: Call,
  { callId, cut }: { readonly callId: (told: string) => string; readonly cut: boolean },
): CallPart {
  const read = object === null ? argumentsOf(json) : { input: object }
  const given = 'flaw' in read && cut ? { ...read, flaw: CUT_OFF } : read
  return { kind: 'call', id: callId(id), name, ...given }
}
