import type { IncomingHttpHeaders } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AssistantMessage, JsonObject, Message } from '../../../src/domain/agent/model-message.ts'
import { callsOf } from '../../../src/domain/agent/model-message.ts'
import { answered, ask, user } from './conversation.ts'
import { type ModelServer, startModelServer, streams } from './server.ts'
import { block, event, modelOf, READ, WIRES } from './wires.ts'

const NATIVE = { api: 'anthropic', tools: 'native' } as const
const events = WIRES[0]?.events ?? (() => [])
const start = event({ type: 'message_start', message: { content: [], usage: { input_tokens: 9 } } })
const ends = (reason: string | null, more: JsonObject = {}) => [
  event({ type: 'message_delta', delta: { stop_reason: reason, ...more }, usage: { output_tokens: 3 } }),
  event({ type: 'message_stop' }),
]
const thinking = block(0, { type: 'thinking', thinking: '', signature: '' }, [
  { type: 'thinking_delta', thinking: 'Hm, ' },
  { type: 'thinking_delta', thinking: 'a file.' },
  { type: 'signature_delta', signature: 'c2ln' },
])
const call = block(1, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }, [
  { type: 'input_json_delta', partial_json: '{"path":"a.md"}' },
])
const THOUGHT = { type: 'thinking', thinking: 'Hm, a file.', signature: 'c2ln' }
const CALLED = { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.md' } }

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})
const sent = (index = -1) =>
  server.asked.at(index)?.body as { messages: { role: string; content: JsonObject[] }[] } & JsonObject
const bare = (blocks: readonly JsonObject[] | undefined) =>
  blocks?.map(({ cache_control: _, ...rest }) => rest)
const marks = (value: unknown) => JSON.stringify(value).split('cache_control').length - 1

describe('what goes out', () => {
  beforeEach(() => server.next(streams(events({ text: 'Hi.' }))))

  test('the key is a bearer, the version is the new one, and the environment adds nothing', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-the-environment')
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-environment')
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1')
    await modelOf(NATIVE, server.url, { provider: { headers: { 'x-own': 'yes' } } }).call(ask([user('x')]))
    const { path, headers } = server.asked[0] ?? { path: '', headers: {} as IncomingHttpHeaders }
    expect(path).toBe('/v1/messages')
    expect(headers).toMatchObject({
      authorization: 'Bearer key-of-a-test',
      'anthropic-version': '2026-10-21',
      'x-own': 'yes',
    })
    expect(headers['x-api-key']).toBeUndefined()
  })

  test('a base_url may end in /v1', async () => {
    await modelOf(NATIVE, server.url, { provider: { baseUrl: `${server.url}/v1/` } }).call(ask([user('x')]))
    expect(server.asked[0]?.path).toBe('/v1/messages')
  })

  test('neither temperature nor thinking is sent; flags add what they say', async () => {
    await modelOf(NATIVE, server.url, { provider: { temperature: 0.5 } }).call(ask([user('x')]))
    expect(Object.keys(sent()).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'stream',
      'system',
      'tools',
    ])
    server.next(streams(events({ text: 'Hi.' })))
    const flags = { thinking: 'between_tools', effort: 'low', cache: false }
    await modelOf(NATIVE, server.url, { provider: { flags } }).call(
      ask([user('x')], { stop: ['END'], maxTokens: 5 }),
    )
    expect(sent()).toMatchObject({
      thinking: { type: 'between_tools' },
      output_config: { effort: 'low' },
      stop_sequences: ['END'],
      max_tokens: 5,
    })
    expect(marks(sent())).toBe(0)
  })

  test('cache breakpoints are on the last system block and the last two user turns', async () => {
    const messages: Message[] = [1, 2, 3, 4].flatMap((n) => [
      user(`question ${n}`),
      { role: 'assistant', parts: [{ kind: 'text', text: `answer ${n}` }] } as const,
    ])
    await modelOf(NATIVE, server.url).call(ask([...messages, user('last')]))
    const { system, tools, messages: all } = sent()
    expect([marks(system), marks(tools), marks(all)]).toEqual([1, 0, 2])
    expect(marks((system as JsonObject[]).at(-1))).toBe(1)
    expect(all.map(({ content }) => marks(content)).slice(-3)).toEqual([1, 0, 1])
  })

  test('results come before text, every call is answered, and odd ids and names are made fit', async () => {
    const parts = [
      { kind: 'call', id: 'functions.read:0', name: 'read it!', input: {} },
      { kind: 'call', id: 'b', name: 'read_file', input: {} },
    ] as const
    const result = {
      kind: 'result',
      call: 'functions.read:0',
      name: 'read it!',
      text: 'cut \ud83d',
      isError: true,
    } as const
    const said = { kind: 'text', text: 'Go on.' } as const
    await modelOf(NATIVE, server.url).call(
      ask([user('x'), { role: 'assistant', parts }, { role: 'user', parts: [said, result] }]),
    )
    const [, calls, results] = sent().messages
    const id = calls?.content[0]?.['id']
    expect(id).toMatch(/^[\w-]{1,64}$/)
    expect(calls?.content[0]).toMatchObject({ type: 'tool_use', name: 'read_it_' })
    expect(bare(results?.content)).toEqual([
      { type: 'tool_result', tool_use_id: id, content: 'cut \ufffd', is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: expect.stringContaining('no result'),
        is_error: true,
      },
      { type: 'text', text: 'Go on.' },
    ])
  })
})

describe('thinking', () => {
  async function thoughtful(
    ref = 'local/some-model',
  ): Promise<{ first: AssistantMessage; messages: Message[] }> {
    server.next(streams([start, ...thinking, ...call, ...ends('tool_use')]))
    const reply = await modelOf(NATIVE, server.url).call(ask([user('read')]))
    const raw = reply.message.raw
    const first = { ...reply.message, ...(raw === undefined ? {} : { raw: { ...raw, model: ref } }) }
    // As a transcript keeps it.
    const kept = JSON.parse(JSON.stringify(first)) as AssistantMessage
    return { first: kept, messages: answered([user('read')], { ...reply, message: kept }, 'text of a.md') }
  }
  async function again(messages: readonly Message[], more = {}) {
    server.next(streams(events({ text: 'Done.' })))
    await modelOf(NATIVE, server.url).call(ask(messages, more))
    return bare(sent().messages[1]?.content)
  }

  test('goes back exactly, in place, to the same model', async () => {
    const { messages } = await thoughtful()
    expect(await again(messages)).toEqual([THOUGHT, CALLED])
  })

  test('is left out for another model', async () => {
    const { messages } = await thoughtful('local/another-model')
    expect(await again(messages)).toEqual([CALLED])
  })

  const edits: readonly (readonly [string, (messages: Message[]) => Message[], object])[] = [
    ['an earlier message was edited', (messages) => [user('read it'), ...messages.slice(1)], {}],
    ['the system text was edited', (messages) => messages, { system: ['You are wordy.'] }],
    ['the tools were edited', (messages) => messages, { tools: [{ ...READ, description: 'Other.' }] }],
  ]
  test.each(edits)(
    'is left out where %s, since it is bound to what stood before it',
    async (_, edit, more) => {
      const { messages } = await thoughtful()
      expect(await again(edit(messages), more)).toEqual([CALLED])
    },
  )

  test('is left out where it was changed itself', async () => {
    const { messages } = await thoughtful()
    const changed = JSON.parse(JSON.stringify(messages).replace('Hm, a file.', '***')) as Message[]
    expect(await again(changed)).toEqual([CALLED])
  })

  test('of a paused reply and of its end goes back as one message', async () => {
    server.next(streams([start, ...thinking, ...ends('pause_turn')]))
    const model = modelOf(NATIVE, server.url)
    const paused = await model.call(ask([user('read')]))
    expect(paused.stop).toBe('pause')
    server.next(streams([start, ...thinking, ...call, ...ends('tool_use')]))
    const reply = await model.call(ask([user('read'), paused.message]))
    expect(bare(sent().messages[1]?.content)).toEqual([THOUGHT])
    const both = [user('read'), paused.message]
    expect(await again(answered(both, reply))).toEqual([THOUGHT, THOUGHT, CALLED])
    expect(sent().messages).toHaveLength(3)
  })
})

describe('what comes back', () => {
  const reasons = [
    ['end_turn', 'end', ''],
    ['stop_sequence', 'end', ''],
    ['max_tokens', 'length', ''],
    ['pause_turn', 'pause', ''],
    ['model_context_window_exceeded', 'overflow', ''],
    ['compaction', 'end', 'The server gave the stop reason "compaction"'],
    [null, 'end', 'The server gave the stop reason null'],
  ] as const
  test.each(reasons)('the stop reason %s is %s', async (told, stop, note) => {
    server.next(
      streams([
        start,
        ...block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'x' }]),
        ...ends(told),
      ]),
    )
    expect(await modelOf(NATIVE, server.url).call(ask([user('x')]))).toMatchObject({ stop, note })
  })

  test('a refusal gives category and explanation, and nothing to send back', async () => {
    const details = { stop_details: { category: 'cyber', explanation: 'Not this.' } }
    server.next(streams([start, ...call, ...ends('refusal', details)]))
    const reply = await modelOf(NATIVE, server.url).call(ask([user('x')]))
    expect(reply).toMatchObject({ stop: 'refusal', note: 'cyber: Not this.', message: { parts: [] } })
    expect(reply.message.raw).toBeUndefined()
  })

  test('blocks that are not known are kept, and texts without text are not', async () => {
    const odd = block(0, { type: 'compaction', content: 'a' }, [{ type: 'compaction_delta', content: 'b' }])
    const blank = block(2, { type: 'text', text: ' ' }, [])
    server.next(streams([start, ...odd, ...call, ...blank, ...ends('tool_use')]))
    const { message } = await modelOf(NATIVE, server.url).call(ask([user('x')]))
    expect(message.raw?.content).toMatchObject({ blocks: [{ type: 'compaction', content: 'ab' }, CALLED] })
  })

  test('arguments that were cut are not repaired', async () => {
    const cut = block(0, { type: 'tool_use', id: 't', name: 'read_file', input: {} }, [
      { type: 'input_json_delta', partial_json: '{"path":"a.md"' },
    ])
    server.next(streams([start, ...cut, ...ends('tool_use')]))
    const { message } = await modelOf(NATIVE, server.url).call(ask([user('x')]))
    expect(callsOf(message)).toMatchObject([{ input: {}, flaw: expect.stringContaining('not JSON') }])
  })
})
