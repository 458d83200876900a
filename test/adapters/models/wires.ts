/**
 * The four ways a model is spoken to, for tests: a provider for each, and a reply as its server streams it.
 */

import { openModels } from '../../../src/adapters/models/models.ts'
import type { JsonObject, ToolSpec } from '../../../src/domain/agent/model-message.ts'
import { callText } from '../../../src/domain/agent/text-tools.ts'
import type { Model, Provider } from '../../../src/ports/model-port.ts'

export interface Scripted {
  readonly text?: string
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: string }[]
  /** `length`, `refusal`: cut at the limit, refused; otherwise it follows from the calls. */
  readonly stop?: 'length' | 'refusal'
  readonly usage?: 'none'
}

export interface Wire {
  readonly name: string
  readonly api: Provider['api']
  readonly tools: Provider['tools']
  /** The events of a whole reply, its ending last. */
  readonly events: (reply: Scripted) => readonly string[]
  /** An error within the stream. */
  readonly failing: (type: string, message: string) => string
}

/** What servers tell here: 120 tokens in, of which 100 from the cache, and 7 out. */
export const TOLD = { input: 20, cacheRead: 100, cacheWrite: 0, output: 7, source: 'told' }

/** A new API does not compile without a row here. */
const OF_APIS: Readonly<Record<Provider['api'], Pick<Wire, 'events' | 'failing'>>> = {
  anthropic: { events: anthropicEvents, failing: anthropicError },
  openai: { events: openaiEvents, failing: openaiError },
}
const APIS = Object.entries(OF_APIS).map(([name, of]) => ({ ...of, name, api: name as Provider['api'] }))

export const WIRES: readonly Wire[] = [
  ...APIS.map((one) => ({ ...one, tools: 'native' as const })),
  ...APIS.map(({ name, events, ...one }) => ({
    ...{ ...one, name: `${name} as text`, tools: 'text' as const },
    events: asText(events),
  })),
]

export const READ: ToolSpec = {
  name: 'read_file',
  description: 'Reads a file.',
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

export function providerOf(
  wire: Pick<Wire, 'api' | 'tools'>,
  url: string,
  more: Partial<Provider> = {},
): Provider {
  return {
    name: 'local',
    api: wire.api,
    apiKey: 'key-of-a-test',
    baseUrl: wire.api === 'openai' ? `${url}/v1` : url,
    maxTokens: 1000,
    tools: wire.tools,
    headers: {},
    flags: {},
    ...more,
  }
}

export function modelOf(
  wire: Pick<Wire, 'api' | 'tools'>,
  url: string,
  { provider, idleMs, now }: { provider?: Partial<Provider>; idleMs?: number; now?: () => number } = {},
): Model {
  const setting = { ...(idleMs === undefined ? {} : { idleMs }), ...(now === undefined ? {} : { now }) }
  const model = openModels(setting).open('local/some-model', [providerOf(wire, url, provider)])
  if ('wrong' in model) throw new Error(model.wrong)
  return model
}

export function event(data: JsonObject): string {
  return `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`
}

export function chunk(data: JsonObject | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

function asText(events: Wire['events']): Wire['events'] {
  return ({ calls = [], text = '', ...rest }) => {
    const written = calls.map(({ name, args }) => callText({ name, input: {} }).replace('{}', () => args))
    return events({ ...rest, text: [text, ...written].filter((one) => one !== '').join('\n') })
  }
}

/** In pieces of a few signs, as servers stream. */
export function pieces(text: string, size = 7): readonly string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? []
}

function anthropicEvents({ text = '', calls = [], stop, usage }: Scripted): readonly string[] {
  const told =
    usage === 'none' ? {} : { input_tokens: 20, cache_read_input_tokens: 100, cache_creation_input_tokens: 0 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'some-model', content: [] }
  const start = event({
    type: 'message_start',
    message: { ...message, stop_reason: null, usage: { ...told, output_tokens: usage === 'none' ? 0 : 1 } },
  })
  const textBlock =
    text === ''
      ? []
      : block(
          0,
          { type: 'text', text: '' },
          pieces(text, 500).map((one) => ({ type: 'text_delta', text: one })),
        )
  const callBlocks = calls.flatMap(({ id, name, args }, index) =>
    block(
      index + 1,
      { type: 'tool_use', id: id ?? `toolu_${index}`, name, input: {} },
      pieces(args).map((one) => ({ type: 'input_json_delta', partial_json: one })),
    ),
  )
  const reason = stop === 'length' ? 'max_tokens' : (stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn'))
  const details = stop === 'refusal' ? { stop_details: { category: 'cyber', explanation: 'No.' } } : {}
  const output = usage === 'none' ? 0 : 7
  return [
    start,
    event({ type: 'ping' }),
    ...textBlock,
    ...callBlocks,
    event({
      type: 'message_delta',
      delta: { stop_reason: reason, ...details },
      usage: { output_tokens: output },
    }),
    event({ type: 'message_stop' }),
  ]
}

export function block(index: number, content: JsonObject, deltas: readonly JsonObject[]): readonly string[] {
  return [
    event({ type: 'content_block_start', index, content_block: content }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]
}

function openaiEvents({ text = '', calls = [], stop, usage }: Scripted): readonly string[] {
  const choice = (delta: JsonObject, reason: string | null = null) =>
    chunk({ id: 'c', choices: [{ index: 0, delta, finish_reason: reason }] })
  const toolPieces = calls.flatMap(({ id, name, args }, index) => [
    choice({
      tool_calls: [{ index, id: id ?? `call_${index}`, type: 'function', function: { name, arguments: '' } }],
    }),
    ...pieces(args).map((one) => choice({ tool_calls: [{ index, function: { arguments: one } }] })),
  ])
  const told = { prompt_tokens: 120, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 100 } }
  const reason = stop === 'refusal' ? 'content_filter' : (stop ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
  return [
    choice({ role: 'assistant', content: '' }),
    ...pieces(text, 500).map((one) => choice({ content: one })),
    ...toolPieces,
    choice({}, reason),
    ...(usage === 'none' ? [] : [chunk({ id: 'c', choices: [], usage: told })]),
    chunk('[DONE]'),
  ]
}

function anthropicError(type: string, message: string): string {
  return event({ type: 'error', error: { type, message } })
}

function openaiError(type: string, message: string): string {
  return chunk({ error: { type, message } })
}
