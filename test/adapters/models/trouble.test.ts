import { describe, expect, test } from 'vitest'
import { modelErrorOf, resetMs } from '../../../src/adapters/models/trouble.ts'
import type { Seen } from '../../../src/adapters/models/watch-stream.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z')
const NOTHING: Seen = {
  origin: 'http://h',
  answered: false,
  ended: null,
  failure: null,
  headers: null,
  tail: '',
}
const at = (seen: Partial<Seen>, more = {}) => ({
  ref: 'p/m',
  seen: { ...NOTHING, ...seen },
  stopped: false,
  now: NOW,
  secrets: ['topsecretkey'],
  ...more,
})
const told = (status: number, text: unknown, headers: Record<string, string> = {}) =>
  modelErrorOf(
    new Error('x'),
    at({ failure: { status, text: JSON.stringify(text), headers: new Headers(headers) } }),
  )

describe('resetMs()', () => {
  const headers: readonly (readonly [Record<string, string>, number | null])[] = [
    [{}, null],
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after-ms': '250', 'retry-after': '30' }, 250],
    [{ 'retry-after': 'Sat, 28 Nov 2026 12:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Sat, 28 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'anthropic-ratelimit-requests-reset': '2026-11-28T12:00:30Z' }, 30_000],
    [
      {
        'anthropic-ratelimit-requests-reset': '2026-11-28T12:00:10Z',
        'anthropic-ratelimit-requests-remaining': '4',
        'anthropic-ratelimit-tokens-reset': '2026-11-28T12:00:40Z',
        'anthropic-ratelimit-tokens-remaining': '0',
      },
      40_000,
    ],
    [{ 'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 3600) }, 3_600_000],
    [
      {
        'x-ratelimit-reset-tokens': '6m0s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-requests': '1s',
      },
      360_000,
    ],
    [{ 'x-ratelimit-reset-requests': '120ms' }, 120],
  ]
  test.each(headers)('of %j is %j', (given, ms) => {
    expect(resetMs(new Headers(given), NOW)).toBe(ms)
  })
})

describe('modelErrorOf()', () => {
  const bodies: readonly (readonly [number, unknown, string])[] = [
    [
      400,
      { error: { message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' } },
      'overflow',
    ],
    [400, { error: 'the request exceeds the available context size, try increasing it' }, 'overflow'],
    [500, { error: { type: 'exceed_context_size_error', message: 'x' } }, 'overflow'],
    [
      400,
      {
        error: {
          message:
            "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
        },
      },
      'overflow',
    ],
    [
      400,
      {
        error: {
          message: 'max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens',
        },
      },
      'request',
    ],
    [
      400,
      {
        error: {
          message: 'You have reached your specified API usage limits.',
          type: 'invalid_request_error',
        },
      },
      'billing',
    ],
    [400, { error: { message: 'x', details: { error_code: 'enforced_spend_limit_reached' } } }, 'billing'],
    [429, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }, 'billing'],
    [
      429,
      { error: { status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota, check billing' } },
      'rate',
    ],
    [429, { error: { message: 'Engine is currently overloaded' } }, 'overloaded'],
    [429, { error: { message: 'Rate limit: too many input tokens per minute' } }, 'rate'],
    [422, { detail: [{ msg: 'field required' }, { msg: 'wrong type' }] }, 'request'],
    [408, {}, 'server'],
    [418, {}, 'request'],
  ]
  test.each(bodies)('takes status %i with %j for %s', (status, body, kind) => {
    expect(told(status, body).kind).toBe(kind)
  })

  test('gives the words of the server in one line, masked and short', () => {
    const error = told(401, {
      error: { message: `no\ngood: topsecretkey sk-ant-${'a'.repeat(40)} ${'long '.repeat(200)}` },
    })
    expect(error.message).toMatch(/^p\/m: 401 no good: \*\*\* \*\*\* long/)
    expect(error.message.length).toBeLessThan(420)
  })

  test('keeps status, request id and reset', () => {
    const error = told(429, { error: { message: 'slow' } }, { 'request-id': 'req_1', 'retry-after': '2' })
    expect(error.more).toMatchObject({ status: 429, requestId: 'req_1', retryAfterMs: 2000 })
  })

  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
  const wire: readonly (readonly [string, unknown, Partial<Seen>, object])[] = [
    [
      'a refused connection',
      new Error('Connection error.', { cause: new TypeError('fetch failed', { cause: refused }) }),
      {},
      { kind: 'network', message: 'p/m: Cannot reach http://h: connect ECONNREFUSED 127.0.0.1:1' },
    ],
    ['a socket that closed in the reply', new TypeError('terminated'), { answered: true }, { kind: 'cut' }],
    [
      "node's own time-out",
      new Error('x', {
        cause: Object.assign(new Error('Headers Timeout'), { code: 'UND_ERR_HEADERS_TIMEOUT' }),
      }),
      {},
      { kind: 'silent' },
    ],
    ['silence', new Error('aborted'), { ended: 'silent' }, { kind: 'silent' }],
    ['a reply without end', new Error('aborted'), { ended: 'endless' }, { kind: 'server' }],
  ]
  test.each(wire)('says %s by its kind', (_, error, seen, expected) => {
    expect(modelErrorOf(error, at(seen))).toMatchObject(expected)
  })

  test('takes the stop of the caller before anything else', () => {
    expect(modelErrorOf(new Error('x'), at({ ended: 'silent' }, { stopped: true })).kind).toBe('aborted')
  })
})
