import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type FoldLimits,
  foldLimits,
  foldPoint,
  isOverfull,
  KEEP_LAST,
  ruleSummary,
  tokensOfMessages,
  tokensOfText,
  wholePairs,
} from '../../../src/domain/agent/compact.ts'
import type { Message } from '../../../src/domain/agent/model-message.ts'

/** One exchange: what was said, and calls with their results, as many as `calls`. */
interface Exchange {
  readonly said: string
  readonly rounds: readonly number[]
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  said: fc.string({ maxLength: 200 }),
  rounds: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
})
const conversation = fc.array(exchange, { maxLength: 40 }).map(messagesOf)
const limits: fc.Arbitrary<FoldLimits> = fc.record({
  maxMessages: fc.integer({ min: 6, max: 100 }),
  maxTokens: fc.option(fc.integer({ min: 10, max: 4_000 }), { nil: null }),
  keepLast: fc.constant(KEEP_LAST),
})

function messagesOf(exchanges: readonly Exchange[]): readonly Message[] {
  return exchanges.flatMap(({ said, rounds }, n): Message[] => [
    { role: 'user', parts: [{ kind: 'text', text: said }] },
    ...rounds.flatMap((count, round): Message[] => {
      const ids = Array.from({ length: count }, (_, i) => `c${n}-${round}-${i}`)
      return [
        { role: 'assistant', parts: ids.map((id) => ({ kind: 'call', id, name: 'act', input: { id } })) },
        {
          role: 'user',
          parts: ids.map((call) => ({ kind: 'result', call, name: 'act', text: 'ok', isError: false })),
        },
      ]
    }),
    { role: 'assistant', parts: [{ kind: 'text', text: `did ${said}` }] },
  ])
}

const say = (text: string): Message => ({ role: 'user', parts: [{ kind: 'text', text }] })

describe('foldPoint', () => {
  test('separates no call from its result', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, most) => {
        const kept = messages.slice(foldPoint(messages, most))
        expect(wholePairs(kept, 'unknown')).toEqual(kept.filter(({ parts }) => parts.length > 0))
      }),
    )
  })

  test('keeps the last messages whole', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, most) => {
        const kept = messages.length - foldPoint(messages, most)
        expect(kept).toBeGreaterThanOrEqual(Math.min(messages.length, KEEP_LAST))
      }),
    )
  })

  test('folds nothing more of what it left', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, most) => {
        const kept = messages.slice(foldPoint(messages, most))
        expect(foldPoint(kept, most)).toBe(0)
      }),
    )
  })

  test('folds nothing within the limits', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, most) => {
        fc.pre(!isOverfull(messages, most))
        expect(foldPoint(messages, most)).toBe(0)
      }),
    )
  })

  test('begins above 100 messages', () => {
    const most = foldLimits(null, 0)
    const messages = Array.from({ length: 101 }, (_, n) => say(`m${n}`))
    expect([foldPoint(messages.slice(1), most), foldPoint(messages, most)]).toEqual([0, 61])
  })

  test('begins above 70 % of the window, standing text counted in', () => {
    const messages = Array.from({ length: 20 }, () => say('x'.repeat(368)))
    expect(tokensOfMessages(messages)).toBe(2_000)
    expect(foldPoint(messages, foldLimits(3_000, 0))).toBe(0)
    expect(foldPoint(messages, foldLimits(3_000, 200))).toBeGreaterThan(0)
  })
})

describe('tokensOfText', () => {
  test.each([
    ['', 0],
    ['word', 1],
    ['日本語', 2],
  ])('counts %j as %i', (text, tokens) => expect(tokensOfText(text)).toBe(tokens))
})

describe('ruleSummary', () => {
  test('says each message in a line, after what was known', () => {
    const [call, result] = messagesOf([{ said: 'go', rounds: [1] }]).slice(1, 3)
    const messages = [say('Build\nit'), call, result].filter((one) => one !== undefined)
    expect(ruleSummary('- older', messages, { letters: 1_000 })).toBe(
      ['- older', '- user: Build it', '- called act {"id":"c0-0-0"}', '- act gave: ok'].join('\n'),
    )
  })

  test('says what failed, and shortens what is long', () => {
    const parts = [{ kind: 'result', call: 'a', name: 'act', text: 'x'.repeat(50), isError: true }] as const
    const messages: readonly Message[] = [{ role: 'user', parts }, say(' ')]
    expect(ruleSummary('', messages, { letters: 100, perMessage: 5 })).toBe('- act failed: xxxx…')
  })

  test('is never longer than asked for, and loses the oldest first', () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 0, max: 2_000 }), (messages, letters) => {
        const whole = ruleSummary('', messages, { letters: 1_000_000 })
        const cut = ruleSummary('', messages, { letters })
        expect(cut.length).toBeLessThanOrEqual(letters)
        expect(whole.endsWith(cut)).toBe(true)
      }),
    )
  })
})

describe('wholePairs', () => {
  test('answers a call right after it, whoever speaks next', () => {
    const calls = (id: string): Message => ({
      role: 'assistant',
      parts: [{ kind: 'call', id, name: 'act', input: {} }],
    })
    const whole = wholePairs([calls('a'), { role: 'assistant', parts: [] }, calls('b'), say('hi')], 'unknown')
    expect(whole.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'user'])
  })

  test('answers a call that has no result, and drops a result that nobody asked for', () => {
    const messages: readonly Message[] = [
      { role: 'assistant', parts: [{ kind: 'call', id: 'a', name: 'act', input: {} }] },
      {
        role: 'user',
        parts: [
          { kind: 'result', call: 'b', name: 'act', text: 'ok', isError: false },
          { kind: 'text', text: 'hello' },
        ],
      },
    ]
    expect(wholePairs(messages, 'unknown')[1]).toEqual({
      role: 'user',
      parts: [
        { kind: 'result', call: 'a', name: 'act', text: 'unknown', isError: true },
        { kind: 'text', text: 'hello' },
      ],
    })
  })

  test('mends any damage, and mends nothing twice', () => {
    const damaged = fc
      .tuple(conversation, fc.array(fc.nat({ max: 200 }), { maxLength: 20 }))
      .map(([messages, gone]) => messages.filter((_, at) => !gone.includes(at)))
    fc.assert(
      fc.property(damaged, (messages) => {
        const mended = wholePairs(messages, 'unknown')
        expect(wholePairs(mended, 'other')).toEqual(mended)
      }),
    )
  })
})
