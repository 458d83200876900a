/** Replies that come in pieces: however a server cuts them, the message is the one of a single piece. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gatherAnthropic } from '../../../src/adapters/models/anthropic-reply.ts'
import { argumentsOf, countOf, estimatedUsage } from '../../../src/adapters/models/loose.ts'
import { gatherOpenai } from '../../../src/adapters/models/openai-reply.ts'

const ending = { ref: 'p/m', callId: (told: string) => told || 'made', sent: () => 'x'.repeat(40) }

/** The text in pieces that end at these places. */
function cut(text: string, ends: readonly number[]): string[] {
  const places = [...new Set(ends.map((end) => end % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, at) => text.slice(from, places[at] ?? text.length))
}

const ends = fc.array(fc.nat({ max: 200 }), { maxLength: 12 })

describe('gatherOpenai', () => {
  function replyTo(deltas: readonly object[], of: { thinkOpen?: boolean; finish?: string } = {}) {
    const gathering = gatherOpenai({ thinkOpen: of.thinkOpen ?? false })
    const shown = deltas.map((delta) => gathering.take({ choices: [{ delta }] })).join('')
    gathering.take({ choices: [{ delta: {}, finish_reason: of.finish ?? 'stop' }] })
    const whole = shown + gathering.rest()
    return { ...gathering.reply(ending), shown: whole }
  }

  const part = fc.constantFrom('<think>', '</think>', '<', 'think>', 'a', ' b\n', '</', '🙂', '<thin')
  const content = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''))

  test('finds thinking and text alike, wherever the content is cut', () => {
    fc.assert(
      fc.property(content, ends, fc.boolean(), (text, places, thinkOpen) => {
        const whole = replyTo([{ content: text }], { thinkOpen })
        const pieces = cut(text, places).map((one) => ({ content: one }))
        expect(replyTo(pieces, { thinkOpen })).toEqual(whole)
      }),
      { numRuns: 500 },
    )
  })

  test('shows exactly the text of the message', () => {
    fc.assert(
      fc.property(content, ends, (text, places) => {
        const { shown, message } = replyTo(cut(text, places).map((one) => ({ content: one })))
        const texts = message.parts.flatMap((one) => (one.kind === 'text' ? [one.text] : []))
        expect(shown.trim() === '' ? '' : shown).toBe(texts.join(''))
      }),
    )
  })

  test('joins the arguments of calls side by side, wherever they are cut', () => {
    const args = fc.constantFrom('{}', '{"a":1}', '{"b":"x, {\\"y\\"}"}', '{"c":[1,', 'no json', '')
    fc.assert(
      fc.property(fc.array(args, { minLength: 1, maxLength: 3 }), ends, (all, places) => {
        const call = (index: number, json: string, first: boolean) => ({
          tool_calls: [
            {
              index,
              ...(first ? { id: `c${index}` } : {}),
              function: { ...(first ? { name: 'f' } : {}), arguments: json },
            },
          ],
        })
        const whole = replyTo(all.map((json, index) => call(index, json, true)))
        const cuts = all.map((json) => cut(json, places))
        const turns = Math.max(...cuts.map(({ length }) => length))
        const mixed = Array.from({ length: turns }, (_, at) =>
          cuts.flatMap((pieces, index) =>
            pieces[at] === undefined ? [] : [call(index, pieces[at], at === 0)],
          ),
        )
        const { message, stop } = replyTo(mixed.flat())
        expect([message, stop]).toEqual([whole.message, 'calls'])
      }),
    )
  })

  test.each<readonly [string, string, object]>([
    ['stop', '{"a":1}', { stop: 'calls', note: '' }],
    ['length', '{"a"', { stop: 'length', note: '' }],
    ['content_filter', '{}', { stop: 'refusal', note: 'The server filtered the reply' }],
    ['constructor', '{}', { stop: 'calls', note: 'The server gave the finish reason "constructor"' }],
  ])('a finish reason %s with a call', (finish, json, wanted) => {
    const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: json } }] }
    const reply = replyTo([call], { finish })
    expect(reply).toMatchObject(wanted)
    expect(reply.message.parts.length).toBe(finish === 'content_filter' ? 0 : 1)
  })

  test('only the last of the calls was cut off at the limit', () => {
    const call = (index: number) => ({
      tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: '{"a"' } }],
    })
    const flaws = replyTo([call(0), call(1)], { finish: 'length' }).message.parts.map((one) =>
      one.kind === 'call' ? (one.flaw ?? '') : '',
    )
    expect(flaws).toEqual([
      expect.stringContaining('not JSON'),
      expect.stringContaining('cut off at its limit'),
    ])
  })

  test.each<readonly [object, object]>([
    [
      { prompt_tokens: 100, completion_tokens: 5 },
      { input: 100, cacheRead: 0, cacheWrite: 0, output: 5 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
      { input: 10, cacheRead: 60, cacheWrite: 30 },
    ],
    [
      { prompt_tokens: 100, prompt_cache_hit_tokens: 250 },
      { input: 0, cacheRead: 100, cacheWrite: 0 },
    ],
    [
      { prompt_tokens: 100, cached_tokens: -5 },
      { input: 100, cacheRead: 0 },
    ],
    [
      { prompt_tokens: 0, completion_tokens: 0 },
      { input: 10, source: 'estimated' },
    ],
    [{ prompt_tokens: '100' }, { source: 'estimated' }],
  ])('usage %j counts as %j', (usage, wanted) => {
    const gathering = gatherOpenai({ thinkOpen: false })
    gathering.take({ choices: [{ delta: { content: 'x' } }], usage })
    expect(gathering.reply(ending).usage).toMatchObject(wanted)
  })

  test.each([
    null,
    7,
    'text',
    [],
    {},
    { choices: 'x' },
    { choices: [null] },
    { choices: [{ delta: { tool_calls: [null, 7] } }] },
  ])('takes %j for a piece without text', (piece) => {
    expect(gatherOpenai({ thinkOpen: false }).take(piece)).toBe('')
  })
})

describe('gatherAnthropic', () => {
  function replyTo(events: readonly object[], stop = 'end_turn') {
    const gathering = gatherAnthropic()
    gathering.take({ type: 'message_start', message: { usage: { input_tokens: 9 } } })
    const shown = events.map((event) => gathering.take(event)).join('')
    gathering.take({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 3 } })
    expect(gathering.whole()).toBe(false)
    gathering.take({ type: 'message_stop' })
    expect(gathering.whole()).toBe(true)
    return {
      ...gathering.reply({ ...ending, seal: (content) => JSON.stringify(content).length.toString() }),
      shown,
    }
  }

  const starts = [
    { type: 'text', text: '' },
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'tool_use', id: 't', name: 'f', input: {} },
  ]
  const deltas = ['text_delta', 'thinking_delta', 'input_json_delta'] as const
  const keys = ['text', 'thinking', 'partial_json'] as const
  const texts = ['some text 🙂\n', 'a thought', '{"a":[1,{"b":"}"}]}'] as const
  const start = (index: number) => ({ type: 'content_block_start', index, content_block: starts[index] })
  const end = (index: number) => ({ type: 'content_block_stop', index })
  const delta = (index: number, piece: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type: deltas[index], [keys[index] ?? '']: piece },
  })

  test('joins blocks, wherever they are cut and however they are mixed', () => {
    const all = [0, 1, 2]
    const whole = replyTo(
      all.flatMap((index) => [start(index), delta(index, texts[index] ?? ''), end(index)]),
    )
    expect(whole.message.parts).toEqual([
      { kind: 'text', text: texts[0] },
      { kind: 'call', id: 't', name: 'f', input: { a: [1, { b: '}' }] } },
    ])
    fc.assert(
      fc.property(ends, ends, ends, fc.shuffledSubarray(all, { minLength: 3 }), (a, b, c, order) => {
        const pieces = [a, b, c].map((places, index) => cut(texts[index] ?? '', places))
        const turns = Math.max(...pieces.map(({ length }) => length))
        const mixed = Array.from({ length: turns }, (_, at) =>
          order.flatMap((index) => {
            const piece = pieces[index]?.[at]
            return piece === undefined ? [] : [delta(index, piece)]
          }),
        ).flat()
        expect(replyTo([...order.map(start), ...mixed, ...order.map(end)])).toEqual(whole)
      }),
    )
  })

  test.each<readonly [string, object]>([
    ['max_tokens', { stop: 'length' }],
    ['pause_turn', { stop: 'pause' }],
    ['tool_use', { stop: 'end' }],
    ['toString', { stop: 'end', note: 'The server gave the stop reason "toString"' }],
  ])('a stop reason %s without a call', (stop, wanted) => {
    expect(replyTo([start(0), delta(0, 'x'), end(0)], stop)).toMatchObject(wanted)
  })

  test('a reply that is cut off keeps no thinking without its end, and names the call that was not run', () => {
    const { message } = replyTo([start(1), delta(1, 'a tho'), start(2), delta(2, '{"a"')], 'max_tokens')
    expect(message.parts).toEqual([
      { kind: 'call', id: 't', name: 'f', input: {}, flaw: expect.stringContaining('cut off at its limit') },
    ])
    expect(JSON.stringify(message.raw)).not.toContain('a tho')
  })

  test('a refused reply has no call, and does not go back as it was', () => {
    const { message, stop } = replyTo([start(0), delta(0, 'x'), start(2), delta(2, '{}'), end(2)], 'refusal')
    expect([stop, message.parts, message.raw]).toEqual(['refusal', [{ kind: 'text', text: 'x' }], undefined])
  })

  test('a block that is not known is kept as it came, with its deltas', () => {
    const block = { type: 'content_block_start', index: 0, content_block: { type: 'new_block', data: 'a' } }
    const more = { type: 'content_block_delta', index: 0, delta: { type: 'new_delta', data: 'b', list: [1] } }
    const { message } = replyTo([block, more, end(0), { type: 'unknown' }, delta(7, 'x')])
    expect(message.raw?.content).toMatchObject({ blocks: [{ type: 'new_block', data: 'ab', list: [1] }] })
    expect(message.parts).toEqual([])
  })
})

test.each<readonly [string, object]>([
  ['', { input: {} }],
  [' \n', { input: {} }],
  ['null', { input: {} }],
  ['{"a":1}', { input: { a: 1 } }],
  ['[1]', { input: {}, flaw: 'The arguments are JSON, but not an object' }],
  ['"x"', { input: {}, flaw: 'The arguments are JSON, but not an object' }],
  ['{"a":', { input: {}, flaw: expect.stringContaining('not JSON') }],
])('argumentsOf() of %j', (json, wanted) => {
  expect(argumentsOf(json)).toEqual(wanted)
})

test('countOf() and estimatedUsage() count no nonsense', () => {
  expect([5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', null].map(countOf)).toEqual([
    5, 0, 0, 0, 0, 0, 0,
  ])
  expect(estimatedUsage('12345', '🙂')).toMatchObject({ input: 2, output: 1, source: 'estimated' })
})
