import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../../src/domain/agent/model-message.ts'
import { callsOf, textOfMessage } from '../../../src/domain/agent/model-message.ts'
import type { Provider } from '../../../src/ports/model-port.ts'
import { ask, errorOf, user } from './conversation.ts'
import { type ModelServer, says, startModelServer, streams } from './server.ts'
import { chunk, modelOf } from './wires.ts'

const NATIVE = { api: 'openai', tools: 'native' } as const
const choice = (delta: JsonObject, reason: string | null = null, more: JsonObject = {}) =>
  chunk({ choices: [{ delta, finish_reason: reason, ...more }] })
const fn = (name: string, args: JsonObject | string | null) => ({ function: { name, arguments: args } })
const DONE = chunk('[DONE]')

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})
async function replyTo(chunks: readonly string[], more: Partial<Provider> = {}) {
  server.next(streams(chunks))
  const seen: string[] = []
  const reply = await modelOf(NATIVE, server.url, { provider: more }).call(
    ask([user('x')], { onText: (text) => seen.push(text) }),
  )
  return { ...reply, shown: seen.join(''), text: textOfMessage(reply.message), calls: callsOf(reply.message) }
}

describe('what servers send', () => {
  const pieces: readonly (readonly [string, readonly JsonObject[], readonly object[]])[] = [
    [
      'no index',
      [{ id: 'a', ...fn('f', '{"n"') }, fn('', ':1}'), { id: 'b', ...fn('g', '{}') }],
      [{ name: 'f', input: { n: 1 } }, { name: 'g' }],
    ],
    [
      'neither index nor ids',
      [fn('f', '{"n":1}'), fn('g', '{"n":2}')],
      [
        { name: 'f', input: { n: 1 } },
        { name: 'g', input: { n: 2 } },
      ],
    ],
    [
      'one index for all',
      [
        { index: 0, id: 'a', ...fn('f', '{}') },
        { index: 0, id: 'b', ...fn('f', '{}') },
      ],
      [{ id: 'a' }, { id: 'b' }],
    ],
    [
      'a name in every piece',
      [
        { index: 0, id: 'a', ...fn('f', '{"n"') },
        { index: 0, id: 'a', ...fn('f', ':1}') },
      ],
      [{ name: 'f', input: { n: 1 } }],
    ],
    ['an empty id', [{ index: 0, id: '', ...fn('f', '{}') }], [{ id: expect.stringMatching(/^call_\w+$/) }]],
    ['an object as arguments', [{ index: 0, id: 'a', ...fn('f', { n: 1 }) }], [{ input: { n: 1 } }]],
    ['empty arguments', [{ index: 0, id: 'a', ...fn('f', '') }], [{ input: {} }]],
    ['no arguments', [{ index: 0, id: 'a', ...fn('f', null) }], [{ input: {} }]],
    [
      'arguments that are a list',
      [{ index: 0, id: 'a', ...fn('f', '[]') }],
      [{ flaw: expect.stringContaining('object') }],
    ],
  ]
  test.each(pieces)(
    'calls with %s are understood, also where the reply only stops',
    async (_, given, calls) => {
      const reply = await replyTo([
        ...given.map((one) => choice({ tool_calls: [one] })),
        choice({}, 'stop'),
        DONE,
      ])
      expect(reply).toMatchObject({ stop: 'calls', calls })
      expect(reply.calls).toHaveLength(calls.length)
    },
  )

  test('the older function_call is a call', async () => {
    const given = choice({ function_call: { name: 'f', arguments: '{"n":1}' } }, 'function_call')
    expect(await replyTo([given, DONE])).toMatchObject({
      stop: 'calls',
      calls: [{ name: 'f', input: { n: 1 } }],
    })
  })

  const finishes = [
    ['stop', 'end', ''],
    ['eos', 'end', ''],
    ['length', 'length', ''],
    ['content_filter', 'refusal', 'The server filtered the reply'],
    ['odd', 'end', 'The server gave the finish reason "odd"'],
  ] as const
  test.each(finishes)('the finish reason %s is %s', async (told, stop, note) => {
    expect(await replyTo([choice({ content: 'x' }), choice({}, told)])).toMatchObject({ stop, note })
  })

  test('an end mark without a finish reason is an end, and the reason error is none', async () => {
    expect(await replyTo([choice({ content: 'x' }), DONE])).toMatchObject({ stop: 'end', text: 'x' })
    expect(await errorOf(replyTo([choice({ content: 'x' }), choice({}, 'error'), DONE]))).toMatchObject({
      kind: 'server',
    })
  })

  const usages: readonly (readonly [string, readonly string[], object])[] = [
    [
      'in a chunk without choices',
      [choice({}, 'stop'), chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } })],
      { input: 9, output: 2, source: 'told' },
    ],
    [
      'within the choice',
      [choice({}, 'stop', { usage: { prompt_tokens: 9, completion_tokens: 2 } })],
      { input: 9, output: 2, source: 'told' },
    ],
    [
      'with a cache of its own name',
      [choice({}, 'stop', { usage: { prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 } })],
      { input: 5, cacheRead: 4, source: 'told' },
    ],
    [
      'as zeros',
      [choice({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: 0 } })],
      { source: 'estimated' },
    ],
  ]
  test.each(usages)('usage %s is told', async (_, chunks, usage) => {
    expect((await replyTo([choice({ content: 'x' }), ...chunks, DONE])).usage).toMatchObject(usage)
  })

  test('content in parts is text, and a refusal in its field is one', async () => {
    expect(
      await replyTo([choice({ content: [{ type: 'text', text: 'a' }] }), choice({}, 'stop')]),
    ).toMatchObject({ text: 'a' })
    expect(await replyTo([choice({ refusal: 'I will not.' }), choice({}, 'stop')])).toMatchObject({
      stop: 'refusal',
      note: 'I will not.',
    })
  })

  test('thinking at the beginning of the content is taken out of it, however it is cut into pieces', async () => {
    for (const size of [1, 3, 50]) {
      const text = '\n<think>a <b> c</think>\n\nDone: </think> and <think>.'
      const parts = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      const reply = await replyTo([...parts.map((content) => choice({ content })), choice({}, 'stop')])
      expect(reply).toMatchObject({
        text: 'Done: </think> and <think>.',
        shown: 'Done: </think> and <think>.',
      })
      expect(reply.message.raw?.content).toMatchObject({ reasoning: 'a <b> c' })
    }
  })

  test('thinking that the template opened is taken out with think_open', async () => {
    const chunks = [choice({ content: 'a b</think>Done.' }), choice({}, 'stop')]
    expect((await replyTo(chunks, { flags: { think_open: true } })).text).toBe('Done.')
  })

  test('a whole body where a stream was asked is taken, and so is an error in it', async () => {
    const message = { role: 'assistant', content: 'Hi.', tool_calls: [fn('f', '{}'), fn('g', '{}')] }
    server.next(
      says(200, {
        choices: [{ message, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 9, completion_tokens: 1 },
      }),
    )
    const reply = await modelOf(NATIVE, server.url).call(ask([user('x')]))
    expect(reply).toMatchObject({ stop: 'calls', usage: { input: 9, output: 1 } })
    expect(callsOf(reply.message).map(({ name }) => name)).toEqual(['f', 'g'])
    server.next(says(200, { error: { message: 'busy', code: 503 } }))
    expect(await errorOf(modelOf(NATIVE, server.url).call(ask([user('x')])))).toMatchObject({
      kind: 'overloaded',
    })
  })

  test('a chunk that is no JSON is a reply that broke off', async () => {
    vi.stubEnv('OPENAI_LOG', 'off')
    expect(await errorOf(replyTo([choice({ content: 'x' }), chunk('{"choices": [')]))).toMatchObject({
      kind: 'cut',
    })
  })
})
