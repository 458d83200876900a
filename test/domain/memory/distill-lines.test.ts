/** Lines of memory: what is written is read back, people's lines are not Neo's, and results are kept once. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type FactLine,
  factLine,
  joined,
  linesOf,
  readFact,
  resultMemory,
  shrink,
  sourcesIn,
} from '../../../src/domain/memory/distill-lines.ts'
import { readAnswer } from '../../../src/domain/memory/distill-model.ts'
import { task } from '../../builders.ts'

const FACT: FactLine = {
  key: 'time zone',
  speaker: 'human',
  value: 'Europe/Paris',
  day: '2026-03-01',
  sources: ['neo-2026-03-01-1:12'],
}

test('factLine() is a line for people', () => {
  expect(factLine(FACT)).toBe('- **time zone** (human): Europe/Paris — 2026-03-01 (neo-2026-03-01-1:12)')
  expect(factLine({ ...FACT, key: '', sources: ['a:1', 'b:2'] })).toBe(
    '- (human): Europe/Paris — 2026-03-01 (a:1, b:2)',
  )
})

test('what factLine() writes is what readFact() reads', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '*', '(', ')', ':', '—', '.', '漢'),
    maxLength: 12,
  })
  const fact = fc.record({
    key: word.filter((key) => !key.includes('**') && !/^\*|\*$/.test(key)),
    speaker: fc.constantFrom('human', 'member:m-ana', 'human, member:m-bo'),
    value: word,
    day: fc.constantFrom('2026-03-01', '1999-12-31'),
    sources: fc.array(fc.constantFrom('neo-2026-03-01-1:12', 'chat.x:7'), { minLength: 1, maxLength: 3 }),
  })
  fc.assert(
    fc.property(fact, (one) => {
      expect(readFact(factLine(one))).toEqual(one)
    }),
  )
})

test.each([
  '',
  '# What is known',
  '- likes tea',
  '- **tea** (human): green',
  '- (human): x — 2026-03-01',
  '- (human): x — 2026-03-01 ()',
  '- (human): x — March (a:1)',
  '- (human): x — 2026-03-01 (a)',
  ' - (human): x — 2026-03-01 (a:1)',
  '* (human): x — 2026-03-01 (a:1)',
  '- (human): x — 2026-03-01 (a:1) and more',
])('readFact() takes %j for a line of a person', (line) => expect(readFact(line)).toBeNull())

test('sourcesIn() are those at the ends of lines, of all texts', () => {
  const notes = '- 09:12 [member] see (x:1) there (neo-1:2)\n- 09:13 [neo] ok (neo-1:3, neo-1:4)\nplain (a)'
  expect(sourcesIn([notes, '', factLine(FACT)])).toEqual([
    'neo-1:2',
    'neo-1:3',
    'neo-1:4',
    'neo-2026-03-01-1:12',
  ])
})

test.each([
  ['', '# T', ['# T', '']],
  [' \n', '# T', ['# T', '']],
  ['a\nb\n\n\n', '# T', ['a', 'b']],
  ['\na', '# T', ['', 'a']],
])('linesOf(%j) are %j, and are joined to a text that ends once', (text, title, lines) => {
  expect(linesOf(text, title)).toEqual(lines)
  expect(joined(lines)).toMatch(/\n$/)
  expect(linesOf(joined(lines), title)).toEqual(lines.at(-1) === '' ? lines.slice(0, -1) : lines)
})

describe('shrink', () => {
  const long = (n: number) => factLine({ ...FACT, value: `${n} ${'x'.repeat(1_000)}` })

  test('moves the oldest facts beyond 64,000 letters, and no line of a person', () => {
    const facts = Array.from({ length: 70 }, (_, n) => long(n))
    const lines = ['# Mine', '- likes tea', ...facts, '- the end']
    const moved = shrink(lines)
    expect(moved).toEqual(facts.slice(0, moved.length))
    expect(lines).toEqual(['# Mine', '- likes tea', ...facts.slice(moved.length), '- the end'])
    expect(joined(facts.slice(moved.length)).length).toBeLessThanOrEqual(64_000)
    expect(joined(facts.slice(moved.length - 1)).length).toBeGreaterThan(64_000)
  })

  test('moves nothing for what people wrote, however long it is', () => {
    const lines = [`- ${'x'.repeat(100_000)}`, long(1)]
    expect([shrink([...lines]), shrink([])]).toEqual([[], []])
  })
})

describe('resultMemory', () => {
  const done = (neo: object, over: object = {}) =>
    task({ title: 'Build', status: 'completed', neo: { id: 't-1', attempt: 2, ...neo }, ...over })
  const long = 'It took a while to find that the cache was keyed by the name and not by the id of a thing.'

  test.each([
    ['a short result', done({ result: 'ok' }), ''],
    ['no result', done({ result: ' ' }), 'x'.repeat(900)],
    ['no id', done({ id: undefined, result: long }), ''],
    ['a task that goes on', done({ result: long }, { status: 'review' }), ''],
    ['a task that was cancelled', done({ result: long }, { status: 'cancelled' }), ''],
    ['a failure without an error', done({ error: ' ' }, { status: 'failed' }), ''],
    ['a short result that needs no review', done({ result: 'ok' }, { review: 'none' }), ''],
  ])('of %s is none', (_, one, handOver) => expect(resultMemory(one, handOver)).toBeNull())

  test.each([
    [
      'a failure',
      done({ error: ' no disk ' }, { status: 'failed' }),
      '',
      '"Build" failed: no disk',
      'normal',
    ],
    ['a long result', done({ result: long }), '', `"Build": ${long}`, 'low'],
    ['reviewed work', done({ result: 'ok' }, { review: 'pr' }), '', '"Build": ok', 'low'],
    [
      'a hand-over that says the result',
      done({ result: long }),
      `So: ${long}`,
      `"Build": So: ${long}`,
      'low',
    ],
    ['a hand-over that says more', done({ result: long }), ' And so. ', `"Build": ${long}\n\nAnd so.`, 'low'],
  ])('of %s has one key an attempt', (_, one, handOver, text, importance) => {
    expect(resultMemory(one, handOver)).toEqual({ key: 't-1@2', title: 'Build', text, importance })
  })

  test('is cut, and is that of the first attempt where no number is known', () => {
    const memory = resultMemory(done({ attempt: undefined, result: 'x'.repeat(5_000) }), '')
    expect([memory?.key, memory?.text.length, memory?.text.endsWith('…')]).toEqual(['t-1@1', 900, true])
  })
})

describe('readAnswer', () => {
  const answer = (more: object) =>
    readAnswer(JSON.stringify({ summary: 'So.', facts: [], outdated: [], ...more }))
  const fact = (more: object) => answer({ facts: [{ text: 'We ship.', sources: ['m1'], ...more }] })

  test('reads an answer, with words around it and without lists', () => {
    expect(readAnswer('Here:\n```json\n{"summary": "So."}\n```')).toEqual({
      summary: 'So.',
      facts: [],
      outdated: [],
    })
    expect(fact({ sources: ['m1', 'f12'] })).toMatchObject({
      facts: [{ text: 'We ship.', from: ['m1', 'f12'] }],
    })
    expect(answer({ outdated: ['f1'] })).toMatchObject({ outdated: ['f1'] })
  })

  test.each<[string, unknown, string]>([
    ['no JSON', readAnswer('Nothing new.'), 'no JSON object'],
    ['broken JSON', readAnswer('{"summary": "So."'), 'no JSON object'],
    ['a list', readAnswer('[1]'), 'no JSON object'],
    ['braces the wrong way round', readAnswer('} {'), 'no JSON object'],
    ['no summary', answer({ summary: undefined }), 'no summary'],
    ['an empty summary', answer({ summary: ' ' }), 'no summary'],
    ['a summary of another type', answer({ summary: 7 }), 'no summary'],
    ['a summary that is too long', answer({ summary: 'x'.repeat(8_001) }), 'no summary'],
    ['facts that are no list', answer({ facts: {} }), 'no list of facts'],
    ['too many facts', answer({ facts: Array(61).fill({ text: 'x', sources: ['m1'] }) }), 'no list of facts'],
    ['outdated facts that are no list', answer({ outdated: 'f1' }), 'no list of facts'],
    ['a fact that is a text', answer({ facts: ['We ship.'] }), 'a fact without'],
    ['a fact that is null', answer({ facts: [null] }), 'a fact without'],
    ['a fact without text', fact({ text: ' ' }), 'a fact without'],
    ['a fact that is too long', fact({ text: 'x'.repeat(501) }), 'a fact without'],
    ['a fact without sources', fact({ sources: [] }), 'a fact without'],
    ['a source of another form', fact({ sources: ['m1', 'x1'] }), 'a fact without'],
    ['a source that is a number', fact({ sources: [1] }), 'a fact without'],
    ['an outdated fact of another form', answer({ outdated: ['f12345'] }), 'invalid numbers'],
  ])('rejects %s as a whole', (_, got, wrong) => {
    expect(got).toEqual({ wrong: expect.stringContaining(wrong) })
  })
})
