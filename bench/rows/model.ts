/**
 * What the adapters of models cost: time to the first streamed text beside the bare libraries, both against one local
 * server, and how much of each request the server has seen before, as the beginning of the request before.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { openModels } from '../../src/adapters/models/models.ts'
import type { JsonObject, Message, ToolSpec } from '../../src/domain/agent/model-message.ts'
import { callsOf } from '../../src/domain/agent/model-message.ts'
import type { Model, Provider } from '../../src/ports/model-port.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { type Candidate, inTurn } from '../time.ts'

const MOST_MS = 10
const LEAST_SHARE = 0.9
const TURNS = 20
const NAME = 'some-model'
const { signal } = new AbortController()

export const modelRow: Row = {
  name: 'model',
  measures:
    'first streamed text beside the bare libraries; the part of a request that the one before began with',
  async run({ quick }) {
    const server = await startServer()
    try {
      const rounds = quick ? 5 : 101
      const lines = [await anthropicLine(server, rounds), await openaiLine(server, rounds)]
      for (const api of ['anthropic', 'openai'] as const) lines.push(await prefixLine(server, api))
      return lines
    } finally {
      server.close()
    }
  },
}

async function anthropicLine(server: Server, rounds: number): Promise<Line> {
  const client = new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0, openTelemetry: false })
  const system = SYSTEM.map((text) => ({ type: 'text' as const, text }))
  const tools = TOOLS.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: { ...schema, type: 'object' as const },
  }))
  const messages = LONG.map(({ role, parts }) => ({ role, content: parts.map(textBlock) }))
  const bare = () =>
    firstText((text) => {
      const stream = client.messages.stream({ model: NAME, max_tokens: 100, system, tools, messages })
      return stream.on('text', text).finalMessage()
    })
  return addedLine('anthropic', await inTurn({ bare, neo: ours(server, 'anthropic') }, rounds))
}

async function openaiLine(server: Server, rounds: number): Promise<Line> {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 })
  const tools = TOOLS.map(({ name, description, schema }) => ({
    type: 'function' as const,
    function: { name, description, parameters: schema },
  }))
  const said = LONG.map(({ role, parts }) => ({ role, content: parts.map(({ text }) => text).join('') }))
  const messages = [{ role: 'system' as const, content: SYSTEM.join('\n\n') }, ...said]
  const bare = () =>
    firstText(async (text) => {
      const chunks = await client.chat.completions.create({ model: NAME, messages, tools, stream: true })
      for await (const { choices } of chunks) if (choices[0]?.delta.content) text()
    })
  return addedLine('openai', await inTurn({ bare, neo: ours(server, 'openai') }, rounds))
}

function ours(server: Server, api: Provider['api']): Candidate {
  const model = modelOf(server, api)
  return () =>
    firstText((onText) => model.call({ system: SYSTEM, tools: TOOLS, messages: LONG, signal, onText }))
}

/** Milliseconds until the first text; the call is waited for to its end. */
async function firstText(call: (onText: () => void) => Promise<unknown>): Promise<number> {
  const started = performance.now()
  let first = Number.NaN
  await call(() => {
    if (Number.isNaN(first)) first = performance.now() - started
  })
  return first
}

function addedLine(api: string, times: Record<'bare' | 'neo', { readonly p50: number }>): Line {
  const added = times.neo.p50 - times.bare.p50
  return {
    work: `first text, ${api}`,
    goal: `≤ ${MOST_MS} ms over the library`,
    floor: inMs(times.bare.p50),
    measured: `${inMs(times.neo.p50)} = + ${added.toFixed(2)} ms`,
    verdict: added <= MOST_MS ? 'ok' : 'over',
  }
}

/** A conversation whose every turn calls a tool; what the server saw is compared request by request. */
async function prefixLine(server: Server, api: Provider['api']): Promise<Line> {
  server.asked.length = 0
  const model = modelOf(server, api)
  let messages: readonly Message[] = [{ role: 'user', parts: [{ kind: 'text', text: 'Begin.' }] }]
  for (let turn = 0; turn < TURNS; turn++) {
    const { message } = await model.call({ system: SYSTEM, tools: TOOLS, messages, signal })
    const results = callsOf(message).map(({ id, name }) => {
      const text = `Line ${turn} of a file. `.repeat(40)
      return { kind: 'result' as const, call: id, name, text, isError: false }
    })
    messages = [...messages, message, { role: 'user', parts: results }]
  }
  const prompts = server.asked.map((body) => promptOf(body))
  let [same, possible, all] = [0, 0, 0]
  prompts.slice(1).forEach((prompt, index) => {
    const before = prompts[index] ?? ''
    same += sharedBytes(before, prompt)
    possible += Buffer.byteLength(before)
    all += Buffer.byteLength(prompt)
  })
  return {
    work: `prefix known, ${api}, ${TURNS} turns`,
    goal: `≥ ${LEAST_SHARE * 100} % of bytes`,
    floor: `${((possible / all) * 100).toFixed(1)} % possible`,
    measured: `${((same / all) * 100).toFixed(1)} %`,
    verdict: same / all >= LEAST_SHARE ? 'ok' : 'over',
  }
}

/** What caches look at, in their order; marks of breakpoints are no part of it. */
function promptOf({ tools, system, messages }: JsonObject): string {
  const bare = (key: string, value: unknown) => (key === 'cache_control' ? undefined : value)
  return JSON.stringify([tools ?? [], system ?? '', messages], bare).slice(0, -2)
}

function sharedBytes(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return Buffer.byteLength(a.slice(0, at))
}

function modelOf({ url }: Server, api: Provider['api']): Model {
  const baseUrl = api === 'openai' ? `${url}/v1` : url
  const own = {
    name: 'local',
    api,
    apiKey: 'k',
    baseUrl,
    maxTokens: 100,
    tools: 'native',
    headers: {},
    flags: {},
  } as const
  const model = openModels().open(`local/${NAME}`, [own])
  if ('wrong' in model) throw new Error(model.wrong)
  return model
}

interface Server {
  readonly url: string
  readonly asked: JsonObject[]
  readonly close: () => void
}

async function startServer(): Promise<Server> {
  const asked: JsonObject[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(request.url === '/v1/messages' ? anthropicReply(asked.length) : openaiReply(asked.length))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close }
}

function anthropicReply(count: number): string {
  const usage = { input_tokens: 9, output_tokens: 1 }
  const message = { id: 'm', type: 'message', role: 'assistant', model: NAME, content: [], usage }
  const block = (index: number, content: JsonObject, delta: JsonObject) => [
    { type: 'content_block_start', index, content_block: content },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ]
  const input = { type: 'input_json_delta', partial_json: '{"path":"src/a.ts"}' }
  const events = [
    { type: 'message_start', message },
    ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look.' }),
    ...block(1, { type: 'tool_use', id: `toolu_${count}`, name: 'tool_1', input: {} }, input),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function openaiReply(count: number): string {
  const call = {
    index: 0,
    id: `call_${count}`,
    function: { name: 'tool_1', arguments: '{"path":"src/a.ts"}' },
  }
  const chunks = [
    { choices: [{ index: 0, delta: { content: 'I look.' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } },
  ]
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}

function textBlock({ text }: { readonly text: string }): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text }
}

/** Of the sizes that a session has: 12 KB of standing text and tools, 200 KB of conversation. */
const SYSTEM: readonly string[] = ['You work on a task. '.repeat(200), 'The room says this. '.repeat(100)]
const TOOLS: readonly ToolSpec[] = Array.from({ length: 12 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Reads a part of a file, with line numbers. '.repeat(8),
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))
const LONG = Array.from({ length: 41 }, (_, index) => ({
  role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  parts: [{ kind: 'text' as const, text: `Part ${index}. ${'Some words of a file. '.repeat(220)}` }],
}))
