/**
 * What every wire promises, native or as text: against aimock, a server that nobody here wrote, and against our own server
 * whose faults are scripted. No network beyond loopback, and every key is given.
 */
import { LLMock } from '@copilotkit/aimock'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callsOf, textOfMessage } from '../../src/domain/agent/model-message.ts'
import type { ModelErrorKind } from '../../src/domain/agent/model-retry.ts'
import type { Model } from '../../src/ports/model-port.ts'
import { answered, ask, errorOf, user } from '../adapters/models/conversation.ts'
import {
  type ModelServer,
  type Script,
  says,
  silence,
  startModelServer,
  streams,
} from '../adapters/models/server.ts'
import { modelOf, TOLD, WIRES } from '../adapters/models/wires.ts'
import { MOMENT_MS } from '../wait.ts'

describe.each(WIRES)('$name against aimock', (wire) => {
  const usage = {
    input_tokens: 33,
    prompt_tokens: 33,
    output_tokens: 5,
    completion_tokens: 5,
    total_tokens: 38,
  }
  const call = (name: string, path: string) => ({ name, arguments: JSON.stringify({ path }) })
  let mock: LLMock
  let model: Model
  beforeAll(async () => {
    mock = new LLMock({ port: 0 })
    await mock.start()
    model = modelOf(wire, mock.url)
  })
  beforeEach(() => void mock.clearFixtures().clearRequests())
  afterAll(async () => void (await mock.stop()))

  const replies = (
    pattern: string | RegExp,
    text: string,
    calls: readonly ReturnType<typeof call>[] = [],
  ) => {
    const written = calls.map((one) => `\n✿FUNCTION✿: ${one.name}\n✿ARGS✿: ${one.arguments}\n✿END FUNCTION✿`)
    if (wire.tools === 'text') mock.onMessage(pattern, { content: text + written.join(''), usage })
    else if (calls.length > 0) mock.onMessage(pattern, { content: text, toolCalls: [...calls], usage })
    else mock.onMessage(pattern, { content: text, usage })
  }

  test('text streams in pieces, and the reply is their sum, with the usage that was told', async () => {
    replies('hello', 'Good morning, and a pleasant day to you.')
    const seen: string[] = []
    const reply = await model.call(ask([user('hello')], { onText: (text) => seen.push(text) }))
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.join('')).toBe('Good morning, and a pleasant day to you.')
    expect(reply).toMatchObject({
      stop: 'end',
      note: '',
      message: { parts: [{ kind: 'text', text: seen.join('') }] },
      usage: { input: 33, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' },
    })
  })

  test('two parallel calls come as two, and their results go back to the model', async () => {
    replies('both', 'I look.', [call('read_file', 'a.md'), call('read_file', 'b.md')])
    const first = await model.call(ask([user('read both')]))
    expect(first.stop).toBe('calls')
    expect(callsOf(first.message)).toMatchObject([
      { name: 'read_file', input: { path: 'a.md' } },
      { name: 'read_file', input: { path: 'b.md' } },
    ])
    mock.clearFixtures()
    mock.on(
      { predicate: (request) => JSON.stringify(request).includes('line 1') },
      { content: 'Read.', usage },
    )
    const second = await model.call(ask(answered([user('read both')], first)))
    expect(textOfMessage(second.message)).toBe('Read.')
  })
})

describe.each(WIRES)('$name against scripted faults', (wire) => {
  let server: ModelServer
  let model: Model
  beforeEach(async () => {
    server = await startModelServer()
    model = modelOf(wire, server.url)
  })
  afterEach(() => server.close())
  const hello = [user('hello')]
  const scripted = (script: Parameters<typeof wire.events>[0]) => streams(wire.events(script))

  test('usage is told with what came from the cache apart, and estimated where none is told', async () => {
    server.next(scripted({ text: 'Hi.' }), scripted({ text: 'Hi.', usage: 'none' }))
    expect((await model.call(ask(hello))).usage).toEqual(TOLD)
    expect((await model.call(ask(hello))).usage).toMatchObject({
      source: 'estimated',
      input: expect.any(Number),
    })
  })

  test('no text that belongs to a call is shown, and the text around it is', async () => {
    server.next(scripted({ text: 'Let me look.', calls: [{ name: 'read_file', args: '{"path":"a"}' }] }))
    const seen: string[] = []
    const { message } = await model.call(ask(hello, { onText: (text) => seen.push(text) }))
    expect(seen.join('').trim()).toBe('Let me look.')
    expect(textOfMessage(message)).toBe('Let me look.')
  })

  test('ids of calls are unique in the conversation, also where the server gives none or the same', async () => {
    const calls = [1, 2].map(() => ({ id: 'same', name: 'read_file', args: '{"path":"a"}' }))
    server.next(scripted({ calls }), scripted({ calls: [{ id: 'same', name: 'read_file', args: '{}' }] }))
    const first = await model.call(ask(hello))
    const second = await model.call(ask(answered(hello, first)))
    const ids = [first, second].flatMap(({ message }) => callsOf(message).map(({ id }) => id))
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
  })

  test.each(['{"path": ', '[1, 2]', '{"path": "a" nope}'])(
    'bad arguments are a flaw of their call: %s',
    async (args) => {
      server.next(
        scripted({ text: 'So:', calls: [{ name: 'read_file', args }] }),
        scripted({ text: 'Sorry.' }),
      )
      const first = await model.call(ask(hello))
      expect(first).toMatchObject({ stop: 'calls', message: { parts: [{ text: 'So:' }, { input: {} }] } })
      expect(callsOf(first.message)[0]?.flaw).toBeTruthy()
      const second = await model.call(ask(answered(hello, first, 'Write JSON')))
      expect(textOfMessage(second.message)).toBe('Sorry.')
      expect(server.asked[1]?.text).toContain('Write JSON')
    },
  )

  test('a call of an unknown tool comes with its name, and can be answered', async () => {
    server.next(scripted({ calls: [{ name: 'fly.away', args: '{}' }] }), scripted({ text: 'I see.' }))
    const first = await model.call(ask(hello))
    expect(callsOf(first.message)).toMatchObject([{ name: 'fly.away', input: {} }])
    expect((await model.call(ask(answered(hello, first)))).stop).toBe('end')
  })

  test('a reply that was cut at its limit says so, and its open call is not one to run', async () => {
    const whole = wire.events({
      text: 'So:',
      calls: [{ name: 'read_file', args: '{"path":"a.md","n":1234567' }],
      stop: 'length',
    })
    const open = whole.filter((one) => !/"content_block_stop","index":1/.test(one))
    server.next(streams(open.map((one) => one.replace('\\n✿END FUNCTION✿', ''))))
    const { stop, message } = await model.call(ask(hello))
    expect(stop).toBe('length')
    expect(callsOf(message)).toMatchObject([{ input: {}, flaw: expect.stringContaining('cut off') }])
  })

  test('an empty reply is a reply, and does not stand in the way of the next one', async () => {
    server.next(scripted({}), scripted({ text: 'Here.' }))
    const first = await model.call(ask(hello))
    expect(first).toMatchObject({ stop: 'end', message: { parts: [] } })
    const second = await model.call(ask([...hello, first.message, user('still there?')]))
    expect(textOfMessage(second.message)).toBe('Here.')
    expect(JSON.stringify(server.asked[1]?.body['messages'])).not.toContain('assistant')
  })

  test('a huge reply comes whole', async () => {
    const text = 'All work and no play. '.repeat(50_000).trim()
    server.next(scripted({ text }))
    expect(textOfMessage((await model.call(ask(hello))).message)).toBe(text)
  })

  test('a refusal is a reply with the words of the server, and without calls', async () => {
    server.next(scripted({ text: 'I', calls: [{ name: 'read_file', args: '{}' }], stop: 'refusal' }))
    const reply = await model.call(ask(hello))
    expect(reply).toMatchObject({ stop: 'refusal', note: expect.stringMatching(/No\.|filtered/) })
    expect(callsOf(reply.message)).toEqual([])
  })

  const statuses: readonly (readonly [number, unknown, ModelErrorKind])[] = [
    [400, { error: { type: 'invalid_request_error', message: 'tools.0: no such field' } }, 'request'],
    [
      400,
      { error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens' } },
      'overflow',
    ],
    [
      400,
      { error: { code: 'context_length_exceeded', message: 'This model has a maximum context length' } },
      'overflow',
    ],
    [400, { error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } }, 'billing'],
    [401, { error: { type: 'authentication_error', message: 'invalid key key-of-a-test' } }, 'auth'],
    [402, { error: { type: 'billing_error', message: 'pay' } }, 'billing'],
    [403, { error: { type: 'permission_error', message: 'not yours' } }, 'forbidden'],
    [404, { error: { type: 'not_found_error', message: 'model: some-model' } }, 'missing'],
    [413, '<html><body>Request Entity Too Large</body></html>', 'refused_size'],
    [500, { error: 'oops' }, 'server'],
    [502, '<html><h1>Bad Gateway</h1></html>', 'server'],
    [503, { detail: 'Loading model' }, 'overloaded'],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
  ]
  test.each(statuses)(
    'status %i with %j is %s, after one request, in one line without keys',
    async (status, body, kind) => {
      server.next(says(status, body))
      const error = await errorOf(model.call(ask(hello)))
      expect(error).toMatchObject({ name: 'ModelError', kind, more: { status } })
      expect(error.message).toMatch(/^local\/some-model: \d{3} [^\n<]*$/)
      expect(error.message).not.toContain('key-of-a-test')
      expect(server.asked).toHaveLength(1)
    },
  )

  test('status 429 is a rate, with the time of its reset', async () => {
    const body = { error: { type: 'rate_limit_error', message: 'Too many tokens per minute' } }
    server.next(says(429, body, { 'retry-after': '37' }))
    expect(await errorOf(model.call(ask(hello)))).toMatchObject({
      kind: 'rate',
      more: { retryAfterMs: 37_000 },
    })
    expect(server.asked).toHaveLength(1)
  })

  const begun = () => wire.events({ text: 'Begun and' }).slice(0, wire.api === 'anthropic' ? 4 : 2)
  const inside: readonly (readonly [string, string, ModelErrorKind])[] = [
    ['overloaded_error', 'Overloaded', 'overloaded'],
    ['rate_limit_error', 'Slow down', 'rate'],
    ['api_error', 'Internal', 'server'],
    ['invalid_request_error', 'prompt is too long', 'overflow'],
  ]
  test.each(inside)('an error %s within the stream (%s) is %s', async (type, message, kind) => {
    server.next(streams([...begun(), wire.failing(type, message)]))
    const seen: string[] = []
    const error = await errorOf(model.call(ask(hello, { onText: (text) => seen.push(text) })))
    expect(error).toMatchObject({ kind, message: expect.stringContaining(message) })
    expect(seen.join('')).toBe('Begun and')
  })

  test.each(['cut', 'closed'] as const)('a stream that is %s before its end is cut', async (ending) => {
    server.next(streams(begun(), ending))
    expect(await errorOf(model.call(ask(hello)))).toMatchObject({ kind: 'cut' })
  })

  const silent: readonly (readonly [string, () => Script])[] = [
    ['before a status', () => silence],
    ['within the stream', () => streams(begun(), 'silent')],
  ]
  test.each(silent)('silence %s ends the call', async (_, script) => {
    server.next(script())
    const error = await errorOf(modelOf(wire, server.url, { idleMs: 150 }).call(ask(hello)))
    expect(error).toMatchObject({ kind: 'silent' })
  })

  test('a server that leaves the stream open after a whole reply is not waited for', async () => {
    server.next(streams(wire.events({ text: 'Done.' }), 'silent'))
    const started = performance.now()
    expect(textOfMessage((await model.call(ask(hello))).message)).toBe('Done.')
    expect(performance.now() - started).toBeLessThan(MOMENT_MS)
  })

  test('a server that is not there is a trouble of the network', async () => {
    await server.close()
    expect(await errorOf(model.call(ask(hello)))).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('a signal that is aborted already asks nothing', async () => {
    expect(await errorOf(model.call(ask(hello, { signal: AbortSignal.abort() })))).toMatchObject({
      kind: 'aborted',
    })
    expect(server.asked).toEqual([])
  })

  test('a stop in the middle of the stream ends the call at once, and its socket', async () => {
    server.next(streams(begun(), 'silent'))
    const stop = new AbortController()
    const onText = () => stop.abort()
    expect(await errorOf(model.call(ask(hello, { signal: stop.signal, onText })))).toMatchObject({
      kind: 'aborted',
    })
    await expect.poll(server.open).toBe(0)
  })

  test('the same conversation goes out as the same bytes', async () => {
    server.next(scripted({ text: 'x' }), scripted({ text: 'x' }))
    for (const _ of [1, 2])
      await model.call(
        ask([user('a'), { role: 'assistant', parts: [{ kind: 'text', text: 'b' }] }, user('c')]),
      )
    expect(server.asked[0]?.text).toBe(server.asked[1]?.text)
  })
})
