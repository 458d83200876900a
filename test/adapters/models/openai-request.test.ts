import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AssistantMessage, JsonObject, Message } from '../../../src/domain/agent/model-message.ts'
import type { Provider } from '../../../src/ports/model-port.ts'
import { answered, ask, user } from './conversation.ts'
import { type ModelServer, says, startModelServer, streams } from './server.ts'
import { chunk, modelOf } from './wires.ts'

const NATIVE = { api: 'openai', tools: 'native' } as const
const choice = (delta: JsonObject, reason: string | null = null) =>
  chunk({ choices: [{ delta, finish_reason: reason }] })

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})
const sent = () => server.asked.at(-1)?.body as { messages: JsonObject[] } & JsonObject

const history = (): Message[] => {
  const raw = { api: 'openai', model: 'local/some-model', content: { field: 'reasoning', reasoning: 'hm' } }
  const call = { kind: 'call', id: 'c1', name: 'read_file', input: { path: 'a' } } as const
  const message: AssistantMessage = { role: 'assistant', parts: [call], raw }
  return answered(
    [user('x')],
    {
      message,
      stop: 'calls',
      note: '',
      usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, source: 'told' },
    },
    'read',
  )
}
async function body(flags: Provider['flags'], messages = history(), more = {}) {
  server.next(streams([choice({ content: 'x' }, 'stop')]))
  await modelOf(NATIVE, server.url, { provider: { flags } }).call(ask(messages, more))
  return sent()
}

test('the defaults are what most servers take, and the environment adds nothing', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'key-of-the-environment')
  vi.stubEnv('OPENAI_ORG_ID', 'org')
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1')
  expect(await body({})).toEqual({
    model: 'some-model',
    max_tokens: 1000,
    tools: [
      {
        type: 'function',
        function: { name: 'read_file', description: 'Reads a file.', parameters: expect.anything() },
      },
    ],
    messages: [
      { role: 'system', content: 'You are terse.\n\nIt is quiet.' },
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'read' },
    ],
    stream: true,
    stream_options: { include_usage: true },
  })
  const { path, headers } = server.asked[0] ?? { path: '', headers: {} as IncomingHttpHeaders }
  expect(path).toBe('/v1/chat/completions')
  expect(headers.authorization).toBe('Bearer key-of-a-test')
  expect(headers['openai-organization']).toBeUndefined()
})

const flags: readonly (readonly [Provider['flags'], object])[] = [
  [{ max_completion_tokens: true }, { max_completion_tokens: 1000 }],
  [{ parallel_tool_calls: true }, { parallel_tool_calls: true }],
  [{ enable_thinking: false }, { chat_template_kwargs: { enable_thinking: false } }],
  [{ reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
  [{ tool_name: true }, { messages: [{}, {}, {}, { role: 'tool', name: 'read_file' }] }],
  [{ null_content: true }, { messages: [{}, {}, { content: null }, {}] }],
  [{ send_reasoning: true }, { messages: [{}, {}, { reasoning: 'hm' }, {}] }],
  [{ content_string: false }, { messages: [{}, { content: [{ type: 'text', text: 'x' }] }, {}, {}] }],
]
test.each(flags)('the flag %j does what it says', async (given, part) => {
  expect(await body(given)).toMatchObject(part)
})

test('stop_words: false leaves them out', async () => {
  expect(await body({}, history(), { stop: ['END'] })).toMatchObject({ stop: ['END'] })
  expect(await body({ stop_words: false }, history(), { stop: ['END'] })).not.toHaveProperty('stop')
})

test('stream_usage: false leaves the option out, and no_stream asks for the whole', async () => {
  expect(await body({ stream_usage: false })).not.toHaveProperty('stream_options')
  server.next(says(200, { choices: [{ message: { content: 'Hi.' }, finish_reason: 'stop' }] }))
  const model = modelOf(NATIVE, server.url, { provider: { flags: { no_stream: true } } })
  const seen: string[] = []
  await model.call(ask([user('x')], { onText: (text) => seen.push(text) }))
  expect(sent()).toMatchObject({ stream: false })
  expect(seen).toEqual(['Hi.'])
})

test('assistant_after_tool puts a word between results and text', async () => {
  const { messages } = await body({ assistant_after_tool: true }, [...history(), user('go on')])
  expect(messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ])
})

test('tools_always describes the tools that the conversation speaks of', async () => {
  expect(await body({}, history(), { tools: [] })).not.toHaveProperty('tools')
  expect(await body({ tools_always: true }, history(), { tools: [] })).toMatchObject({
    tools: [{ function: { name: 'read_file' } }],
  })
})

test('reasoning of an earlier question is not sent back', async () => {
  const { messages } = await body({ send_reasoning: true }, [
    ...history(),
    { role: 'assistant', parts: [{ kind: 'text', text: 'y' }] },
    user('z'),
  ])
  expect(JSON.stringify(messages)).not.toContain('hm')
})
