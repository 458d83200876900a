/** What is read from the output of a command-line agent. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readExecOutput } from '../../src/agent/program/exec-output.ts'
import { toldTime } from '../../src/domain/agent/model-retry.ts'
import { isZone } from '../../src/files/values/times.ts'

const lines = (...events: readonly object[]) => events.map((event) => JSON.stringify(event)).join('\n')
const rejected = {
  type: 'rate_limit_event',
  rate_limit_info: { status: 'rejected', resetsAt: 1_790_000_000 },
}

test('plain text gives its last line as the result and the whole as the report', () => {
  const read = readExecOutput('First.\n\nLast.\n\n')
  expect([read.result, read.report, read.usage]).toEqual(['Last.', 'First.\n\nLast.', null])
})

test('a line of JSON without a type is text like any other', () => {
  expect(readExecOutput('{"answer": 42}\n').result).toBe('{"answer": 42}')
})

test('the stream of claude gives lines, model, result, tokens and cost', () => {
  const read = readExecOutput(
    lines(
      { type: 'system', subtype: 'init', model: 'big-one', session_id: 'x' },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'I look.\nThen I write.' }] } },
      { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Edit', input: {} }] } },
      { type: 'user', message: { content: [{ type: 'tool_result', content: 'ok' }] } },
      {
        type: 'result',
        is_error: false,
        result: 'Written.',
        total_cost_usd: 0.5,
        usage: {
          input_tokens: 1,
          cache_read_input_tokens: 2,
          cache_creation_input_tokens: 3,
          output_tokens: 4,
        },
      },
    ),
  )
  expect(read.lines).toEqual(['I look.', 'calls Edit'])
  expect([read.result, read.model, read.usd, read.failed]).toEqual(['Written.', 'big-one', 0.5, false])
  expect(read.usage).toEqual({ input: 1, cacheRead: 2, cacheWrite: 3, output: 4, source: 'told' })
})

test('the stream of codex gives its last message, and tokens without those that were cached', () => {
  const read = readExecOutput(
    lines(
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { type: 'command_execution', command: 'ls\n-l', exit_code: 0 } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'All is well.' } },
      { type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 60, output_tokens: 5 } },
    ),
  )
  expect([read.result, read.lines]).toEqual(['All is well.', ['runs ls', 'All is well.']])
  expect(read.usage).toEqual({ input: 40, cacheRead: 60, cacheWrite: 0, output: 5, source: 'told' })
})

test('a rate limit counts with its time in seconds or milliseconds', () => {
  expect(readExecOutput(lines(rejected))).toMatchObject({ limited: true, resetsAt: 1_790_000_000_000 })
})

test('a limit that only warns is none, and one before a good end is over', () => {
  const warning = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning' } }
  const good = { type: 'result', is_error: false, result: 'done' }
  expect(readExecOutput(lines(warning)).limited).toBe(false)
  expect(readExecOutput(lines(rejected, good)).limited).toBe(false)
})

for (const text of ["You've hit your session limit · resets 3pm", 'Claude AI usage limit reached|1790000000'])
  test(`a failed result that says "${text}" is a limit`, () => {
    expect(readExecOutput(lines({ type: 'result', is_error: true, result: text })).limited).toBe(true)
  })

test('a turn of codex that failed says why, and whether it is a limit', () => {
  const of = (message: string) =>
    readExecOutput(lines({ type: 'error', message }, { type: 'turn.failed', error: { message } }))
  expect(of('You’ve hit your usage limit. Try again later.')).toMatchObject({ failed: true, limited: true })
  expect(of('no such model')).toMatchObject({ failed: true, limited: false, result: 'no such model' })
})

test('a failed result tells a limit by the status of its server too', () => {
  const of = (status: number) =>
    readExecOutput(lines({ type: 'result', is_error: true, api_error_status: status, result: 'API Error' }))
  expect([429, 529, 401].map((status) => of(status).limited)).toEqual([true, true, false])
})

test.each([
  ['API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', true],
  ['API Error: 429 Too Many Requests', true],
  ['API Error: 401 invalid key', false],
])('a failed result that tells its status in words alone: %s', (result, isLimited) => {
  expect(readExecOutput(lines({ type: 'result', is_error: true, result })).limited).toBe(isLimited)
})

const reconnecting = { type: 'error', message: 'Reconnecting... 1/5' }
const ANSWERS: Readonly<Record<string, readonly [output: string, result: string]>> = {
  'an error that codex got over': [
    lines(
      reconnecting,
      { type: 'item.completed', item: { type: 'agent_message', text: 'All is well.' } },
      { type: 'turn.completed', usage: {} },
    ),
    'All is well.',
  ],
  'an error alone': [lines(reconnecting), 'Reconnecting... 1/5'],
  'the texts of opencode, and no steps': [
    lines(
      { type: 'step_start', part: { type: 'step-start' } },
      { type: 'text', part: { type: 'text', text: 'I look.' } },
      { type: 'text', part: { type: 'text', text: 'It is blue.' } },
      { type: 'step_finish', part: { reason: 'stop' } },
    ),
    'It is blue.',
  ],
  'the last text of opencode, and no thoughts, tools or events without a type': [
    lines(
      { type: 'text', part: { type: 'text', text: 'It is blue.' } },
      { type: 'reasoning', part: { type: 'reasoning', text: 'Is it?' } },
      { type: 'tool_use', part: { type: 'tool', tool: 'bash', state: { output: 'x' } } },
      { event: 'session.idle', sessionID: 's' },
    ),
    'It is blue.',
  ],
  'a text deep in an event': [
    lines(
      { type: 'message.part.updated', properties: { part: { type: 'text', text: 'It is blue.' } } },
      { type: 'session.idle', properties: { sessionID: 's' } },
    ),
    'It is blue.',
  ],
  'the pieces of gemini among plain lines, and no prompt': [
    [
      'Loaded cached credentials.',
      lines(
        { type: 'message', role: 'user', content: 'What colour?' },
        { type: 'message', role: 'assistant', content: 'It is ', delta: true },
        { type: 'message', role: 'assistant', content: 'blue.', delta: true },
        { type: 'result', status: 'success' },
      ),
    ].join('\n'),
    'It is blue.',
  ],
  'one object over lines': [JSON.stringify({ response: 'It is blue.', stats: {} }, null, 2), 'It is blue.'],
  'events of no known form': [lines({ type: 'x', value: 1 }), '{"type":"x","value":1}'],
}

for (const [name, [output, result]] of Object.entries(ANSWERS))
  test(`the answer is read from ${name}`, () => {
    expect(readExecOutput(output)).toMatchObject({ failed: false, limited: false, busy: false, result })
  })

test('a status of too many requests is seen wherever it is, and in no answer or result of a tool', () => {
  const busy = [
    lines({ type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' }),
    lines({ type: 'error', error: { name: 'APIError', data: { message: 'slow down', statusCode: 429 } } }),
    lines({ type: 'item.completed', item: { type: 'error', message: 'HTTP 429' } }),
    JSON.stringify({ error: { errors: [{ code: 429 }] } }, null, 2),
    'ApiError: {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}',
    'You have hit your usage limit.\nlast line',
  ]
  const idle = [
    lines({ type: 'item.completed', item: { type: 'agent_message', text: 'Answer with HTTP 429.' } }),
    lines({ type: 'user', message: { content: [{ type: 'tool_result', status: 429 }] } }),
    'I added a rate limit of 429 lines.',
  ]
  expect(busy.map((output) => readExecOutput(output).busy)).toEqual(busy.map(() => true))
  expect(idle.map((output) => readExecOutput(output).busy)).toEqual(idle.map(() => false))
})

test('readExecOutput() throws for nothing that a program prints', () => {
  const types = [
    'system',
    'assistant',
    'rate_limit_event',
    'result',
    'item.completed',
    'turn.completed',
    'error',
  ]
  const event = fc.record(
    {
      type: fc.constantFrom(...types),
      message: fc.jsonValue(),
      usage: fc.jsonValue(),
      result: fc.jsonValue(),
      rate_limit_info: fc.jsonValue(),
      item: fc.jsonValue(),
      is_error: fc.jsonValue(),
      total_cost_usd: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  )
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    event.map((one) => JSON.stringify(one)),
  )
  fc.assert(
    fc.property(fc.array(line), (all) => {
      const read = readExecOutput(all.join('\n'))
      expect(read.result).not.toContain('\n')
      expect(read.lines.every((one) => typeof one === 'string')).toBe(true)
    }),
  )
})

const NOW = Date.parse('2026-03-01T12:00:00Z')
const at = (time: string) => Date.parse(`2026-03-${time}Z`)
const seconds = (count: number) => NOW + count * 1_000

test.each([
  ['Rate limit reached. Please try again in 20s.', seconds(20)],
  ['429 Too Many Requests\nRetry-After: 30', seconds(30)],
  ['429 Too Many Requests, retry after 2 minutes', seconds(120)],
  [
    lines({ type: 'error', message: 'usage limit reached. Try again in 1 hour and 5 minutes.' }),
    seconds(3_900),
  ],
  ['ApiError 429: {"retryDelay": "34s"} RESOURCE_EXHAUSTED', seconds(34)],
  ['status 429 {\\"retry_after_ms\\": 4500}', seconds(4.5)],
  ['too many requests: wait 6m0s', seconds(360)],
  ['5-hour limit reached: usage limit reached, resets at 15:30', at('01T14:30:00')],
  ['usage limit reached, resets 3pm (America/New_York)', at('01T20:00:00')],
  ['usage limit reached, try again at 9:15 AM.', at('02T08:15:00')],
  ['rate limit reached, resets at 08:00 UTC', at('02T08:00:00')],
  ['rate limit exceeded until 2026-03-01T13:00:00Z', at('01T13:00:00')],
  [`usage limit reached|${at('01T15:00:00') / 1_000}`, at('01T15:00:00')],
  ['I try again in 5s\nusage limit reached, resets at 3:30', null],
  ['rate limit reached, wait 20 apples, retry after lunch', null],
  ['rate limit reached, resets at 29:75', null],
  [`${lines({ type: 'user', message: 'try again in 9 days' })}\nrate limit`, null],
])('the end of a limit is read from %j', (output, time) => {
  const { aboutLimit } = readExecOutput(output)
  expect(toldTime(aboutLimit, { now: NOW, zone: 'Europe/Berlin', isZone })).toBe(time)
})
