/**
 * A reply of the Anthropic API, gathered from the events of its stream. Why not the library's own gathering: it repairs
 * arguments that were cut, and throws the whole reply away if they are broken; here both become the flaw of that one
 * call. Invariant 1: blocks that are not known are kept; text blocks without text are not, since the server refuses them
 * back. Invariant 2: a refused reply has no calls, and is not sent back as it was.
 */
import type {
  AssistantMessage,
  CallPart,
  Json,
  JsonObject,
  Reply,
  StopReason,
  Usage,
} from '../../domain/agent/model-message.ts'
import { ANTHROPIC } from './anthropic-request.ts'
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

interface Block {
  fields: Record<string, unknown>
  /** Pieces of the arguments. */
  json: string
  /** The server said that it is whole. */
  whole: boolean
}

export interface Gathering {
  /** Adds one event; returns its text. */
  readonly take: (event: unknown) => string
  /** `message_stop` came. */
  readonly whole: () => boolean
  readonly reply: (ending: SealedEnding) => Reply
}

interface SealedEnding extends Ending {
  readonly seal: (content: readonly Json[]) => string
}

export function gatherAnthropic(): Gathering {
  const blocks = new Map<number, Block>()
  let usage: Record<string, unknown> = {}
  let stop: Loose = {}
  let whole = false
  const take = (event: unknown): string => {
    const given = objectOf(event) ?? {}
    const index = countOf(given['index'])
    switch (given['type']) {
      case 'message_start': {
        const message = objectOf(given['message']) ?? {}
        usage = { ...objectOf(message['usage']) }
        for (const block of listOf(message['content'])) blocks.set(blocks.size, opened(block))
        return ''
      }
      case 'content_block_start':
        blocks.set(index, opened(given['content_block']))
        return textOf(blocks.get(index)?.fields['text'])
      case 'content_block_delta':
        return added(blocks.get(index), objectOf(given['delta']) ?? {})
      case 'content_block_stop': {
        const block = blocks.get(index)
        if (block !== undefined) block.whole = true
        return ''
      }
      case 'message_delta':
        stop = objectOf(given['delta']) ?? {}
        for (const [key, value] of Object.entries(objectOf(given['usage']) ?? {}))
          if (value !== null) usage[key] = value
        return ''
      case 'message_stop':
        whole = true
        return ''
      default:
        return ''
    }
  }
  const ordered = () => [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block)
  return { take, whole: () => whole, reply: (ending) => replyOf({ blocks: ordered(), usage, stop }, ending) }
}

function opened(block: unknown): Block {
  return { fields: { ...objectOf(block) }, json: '', whole: false }
}

/** Adds a delta to its block; returns the text that it adds. Unknown deltas are added as texts. */
function added(block: Block | undefined, delta: Loose): string {
  if (block === undefined) return ''
  const { fields } = block
  if (delta['type'] === 'input_json_delta') {
    block.json += textOf(delta['partial_json'])
    return ''
  }
  if (delta['type'] === 'citations_delta') {
    fields['citations'] = [...listOf(fields['citations']), delta['citation']]
    return ''
  }
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'type') continue
    const joins = typeof value === 'string' && typeof fields[key] === 'string'
    fields[key] = joins ? `${fields[key]}${value}` : value
  }
  return delta['type'] === 'text_delta' ? textOf(delta['text']) : ''
}

interface Gathered {
  readonly blocks: readonly Block[]
  readonly usage: Loose
  readonly stop: Loose
}

function replyOf({ blocks, usage, stop }: Gathered, ending: SealedEnding): Reply {
  const read = blocks.map((block) => finished(block, { ending, cut: stop['stop_reason'] === 'max_tokens' }))
  const content = read.flatMap(({ raw }) => (raw === null ? [] : [raw]))
  const hasCalls = read.some(({ part }) => part?.kind === 'call')
  const { reason, note } = reasonOf(stop, hasCalls)
  const parts = read.flatMap(({ part }) =>
    part === null || (reason === 'refusal' && part.kind === 'call') ? [] : [part],
  )
  const sealed = { blocks: content, seal: ending.seal(content) }
  const message: AssistantMessage = {
    role: 'assistant',
    parts,
    ...(content.length === 0 || reason === 'refusal'
      ? {}
      : { raw: { api: ANTHROPIC, model: ending.ref, content: sealed } }),
  }
  const told = usageOf(usage)
  return {
    message,
    stop: reason,
    note,
    usage: told ?? estimatedUsage(ending.sent(), JSON.stringify(content)),
  }
}

interface Finished {
  readonly part: AssistantMessage['parts'][number] | null
  readonly raw: JsonObject | null
}

function finished(
  block: Block,
  { ending, cut }: { readonly ending: Ending; readonly cut: boolean },
): Finished {
  const { fields } = block
  const type = fields['type']
  if (type === 'text') {
    const text = textOf(fields['text'])
    return text.trim() === ''
      ? { part: null, raw: null }
      : { part: { kind: 'text', text }, raw: rawOf(fields) }
  }
  // Cut within its thinking: without its signature the server refuses the block.
  if (type === 'thinking' && !block.whole && cut) return { part: null, raw: null }
  if (type !== 'tool_use' && type !== 'server_tool_use') return { part: null, raw: rawOf(fields) }
  const given = block.json === '' ? inputOf(fields['input']) : argumentsOf(block.json)
  const flaw = !block.whole && cut ? CUT_OFF : given.flaw
  const input = flaw === undefined ? given.input : {}
  if (type === 'server_tool_use') return { part: null, raw: rawOf({ ...fields, input }) }
  const id = ending.callId(textOf(fields['id']))
  const part: CallPart = {
    kind: 'call',
    id,
    name: textOf(fields['name']),
    input,
    ...(flaw === undefined ? {} : { flaw }),
  }
  return { part, raw: rawOf({ ...fields, id, input }) }
}

function inputOf(input: unknown): { readonly input: JsonObject; readonly flaw?: string } {
  if (input === undefined || input === null) return { input: {} }
  const object = objectOf(input)
  if (object !== null) return { input: rawOf(object) }
  return typeof input === 'string'
    ? argumentsOf(input)
    : { input: {}, flaw: 'The arguments are not an object' }
}

function rawOf(fields: Loose): JsonObject {
  return fields as JsonObject
}

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'calls',
  max_tokens: 'length',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'overflow',
}

/** Calls decide between end and calls; a reason that is not known is an end, and said. */
function reasonOf(stop: Loose, hasCalls: boolean): { readonly reason: StopReason; readonly note: string } {
  const told = stop['stop_reason']
  const known = typeof told === 'string' && Object.hasOwn(REASONS, told) ? REASONS[told] : undefined
  if (known === 'refusal') return { reason: known, note: refusalNote(objectOf(stop['stop_details'])) }
  if (known !== undefined && known !== 'end' && known !== 'calls') return { reason: known, note: '' }
  const note = known === undefined ? `The server gave the stop reason ${JSON.stringify(told ?? null)}` : ''
  return { reason: hasCalls ? 'calls' : 'end', note }
}

function refusalNote(details: Loose | null): string {
  const words = [textOf(details?.['category']), textOf(details?.['explanation'])].filter((one) => one !== '')
  return words.join(': ') || 'The model refused'
}

/** Null if the server tells nothing, or only zeros, as some servers do. */
function usageOf(usage: Loose): Usage | null {
  const input = countOf(usage['input_tokens'])
  const cacheRead = countOf(usage['cache_read_input_tokens'])
  const cacheWrite = countOf(usage['cache_creation_input_tokens'])
  const output = countOf(usage['output_tokens'])
  if (input + cacheRead + cacheWrite === 0) return null
  return { input, cacheRead, cacheWrite, output, source: 'told' }
}
