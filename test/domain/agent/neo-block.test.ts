/** `neo` blocks: what a model writes in them is read as it stands, or the block is a flaw as a whole. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/domain/agent/model-message.ts'
import { closingFence, readNeoBlock } from '../../../src/domain/agent/neo-block.ts'

const FENCE = { indent: 0, marks: '```' }

function read(content: string, types: Readonly<Record<string, string>> = {}) {
  const properties = Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }]))
  const tools = [{ name: 'act', description: '', schema: { properties } }]
  const text = `${content}\n\`\`\`\nafter`
  const { call, end } = readNeoBlock(text, { at: 0, fence: FENCE, cut: false, tools })
  expect(text.slice(end)).toBe('after')
  return call.flaw ?? call.input
}

const act = (lines: string, types: Readonly<Record<string, string>> = {}) =>
  read(`ACTION: act\n${lines}`, types)

describe('values', () => {
  test.each<[string, string, Json]>([
    ['a bare text', 'a: b c', 'b c'],
    ['a bare text with a colon', 'a: b: c', 'b: c'],
    ['no value', 'a:', ''],
    ['a number that no tool wants', 'a: 12', '12'],
    ['a text in quotes', 'a: "b\\n\\"c\\""', 'b\n"c"'],
    ['a text in single quotes', "a: 'it''s'", "it's"],
    ['an object', 'a: {"b": [1, null, true]}', { b: [1, null, true] }],
    ['a list as JSON', 'a: ["b", 2]', ['b', 2]],
    ['a list of bare words', 'a: [b, "c, d", \'e\']', ['b', 'c, d', 'e']],
    ['an empty list', 'a: []', []],
    ['a list below', 'a:\n- b\n- "c d"\n- [1]\n-', ['b', 'c d', [1], '']],
    ['a block', 'a: |\n  b\n\n    c', 'b\n\n  c\n'],
    ['a block without its last line end', 'a: |-\n  b\n  c\n', 'b\nc'],
    ['a block with all line ends', 'a: |+\n  b\n\n', 'b\n\n\n'],
    ['a folded block', 'a: >\n  b\n  c\n\n  d', 'b c\nd\n'],
    ['an empty block', 'a: |', ''],
    ['a name of a part of every object', '__proto__: b', 'b'],
  ])('%s', (_, lines, value) => {
    const input = act(lines)
    expect(Object.values(input as object)).toEqual([value])
    expect(Object.keys(input as object)).toEqual([lines.slice(0, lines.indexOf(':'))])
  })

  test.each<[string, string, Json]>([
    ['number', '12', 12],
    ['integer', '-3', -3],
    ['number', '1.5', 1.5],
    ['number', '1e3', '1e3'],
    ['number', '0x10', '0x10'],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['boolean', 'yes', 'yes'],
    ['string', 'true', 'true'],
    ['array', '', []],
    ['string', '', ''],
  ])('that should be a %s: %j is %j', (type, text, value) => {
    expect(act(`a: ${text}`, { a: type })).toEqual({ a: value })
  })
})

test.each<[string, string, RegExp]>([
  ['no action', 'a: b', /first line of the block/],
  ['an empty action', 'ACTION:', /not the name of an action/],
  ['an action with blanks', 'ACTION: do it', /not the name of an action/],
  ['a line that is no key', 'ACTION: act\njust words', /"just words" is not "key: value"/],
  ['a key that comes twice', 'ACTION: act\na: 1\na: 2', /duplicate key "a"/],
  ['a key further in than the action', 'ACTION: act\n  a: 1', /is not "key: value"/],
  ['an open quote', 'ACTION: act\na: "b', /^a: "b is not closed/],
  ['an open single quote', "ACTION: act\na: 'b", /^a: 'b is not closed/],
  ['an open object', 'ACTION: act\na: {"b": 1', /^a: .*invalid JSON/],
  ['a list with a hole', 'ACTION: act\na: [b,, c]', /^a: .*invalid JSON/],
  ['an item that is open', 'ACTION: act\na:\n- "b', /^a: "b is not closed/],
])('a block with %s is a flaw as a whole', (_, content, flaw) => expect(read(content)).toMatch(flaw))

test('a block that nothing closes is a flaw, and reads to the end', () => {
  const text = 'ACTION: act\na: 1\n``'
  const of = (cut: boolean) => readNeoBlock(text, { at: 0, fence: FENCE, cut, tools: [] })
  expect(of(false)).toMatchObject({ call: { name: 'act', input: {}, flaw: 'The block is not closed' } })
  expect(of(true).call.flaw).toMatch(/cut off/)
  expect(of(true).end).toBe(text.length)
})

test.each([
  ['a\n```\nb', 2, 6],
  ['a\n````  \nb', 2, 9],
  ['a\n```\r\nb', 2, 7],
  ['a\n```', 2, 5],
  ['a\n ```\n', null, null],
  ['a\n``\n', null, null],
  ['a\n~~~\n', null, null],
  ['a\n```x\n', null, null],
  ['a ```\n', null, null],
])('closingFence() of %j stands from %j to %j', (text, start, after) => {
  expect(closingFence(text, 0, FENCE)).toEqual(start === null ? null : { start, after })
})

test('closingFence() may stand as far in as the fence that it closes', () => {
  expect(closingFence('a\n  ~~~\n', 0, { indent: 2, marks: '~~~' })).toEqual({ start: 2, after: 8 })
  expect(closingFence('a\n   ~~~\n', 0, { indent: 2, marks: '~~~' })).toBeNull()
})

test('a block scalar gives back any lines of text, however deep they stand', () => {
  const line = fc.string({
    unit: fc.constantFrom('a', ' ', ':', '-', '"', '{', '#', '漢', '`'),
    maxLength: 8,
  })
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      (lines, depth) => {
        const text = ['x', ...lines].join('\n').replace(/\s+$/, '')
        const block = text.split('\n').map((one) => (one.trim() === '' ? '' : ' '.repeat(depth) + one))
        const wanted = text.split('\n').map((one) => (one.trim() === '' ? '' : one))
        expect(act(`a: |-\n${block.join('\n')}\nb: c`)).toEqual({ a: wanted.join('\n'), b: 'c' })
      },
    ),
  )
})

test('any JSON object is read back, and texts without signs at their ends are read bare', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c_d'), fc.jsonValue()), (input) => {
      const lines = Object.entries(input).map(([key, value]) => `${key}: ${JSON.stringify({ value })}`)
      const wanted = Object.fromEntries(Object.entries(input).map(([key, value]) => [key, { value }]))
      expect(act(lines.join('\n'))).toEqual(JSON.parse(JSON.stringify(wanted)))
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9 :,#'"]{0,20}$/), (text) => {
      expect(act(`a: ${text}`)).toEqual({ a: text.trim() })
    }),
  )
})
