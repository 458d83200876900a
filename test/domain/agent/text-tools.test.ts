import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, ToolSpec } from '../../../src/domain/agent/model-message.ts'
import {
  callText,
  describeTools,
  escapeMarkers,
  parseTextCalls,
  resultsText,
} from '../../../src/domain/agent/text-tools.ts'
import { cpuMs } from '../../wait.ts'

const F = '✿FUNCTION✿'
const A = '✿ARGS✿'
const E = '✿END FUNCTION✿'
const read = (text: string) => parseTextCalls(text, { cut: false })
const call = (name: string, input: JsonObject, n = 1) => ({ kind: 'call', id: `text_${n}`, name, input })

/** Objects that JSON can hold, as they come back from it (no -0). */
const objects = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
/** Texts in which markers, fences, quotes and braces are likely. */
const odd = fc
  .array(
    fc.oneof(
      fc.constantFrom(F, A, E, '✿RESULT✿', '✿', ':', '：', '\n', ' ', '{', '}', '"', '\\', '```', '```neo\n'),
      fc.constantFrom('ACTION: x', 'key: ', '|', '- ', '  ', "'", '[', ']', 'read', '\r\n', '~~~'),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

describe('✿ calls', () => {
  const forms: readonly (readonly [string, string, JsonObject])[] = [
    ['the full form', `${F}: read\n${A}: {"path": "a.md"}\n${E}`, { path: 'a.md' }],
    ['no end marker', `${F}: read\n${A}: {"path": "a.md"}`, { path: 'a.md' }],
    ['one line', `${F}: read ${A}: {"path": "a.md"} ${E}`, { path: 'a.md' }],
    ['full-width colons', `${F}：read\n${A}：{"path": "a.md"}\n${E}`, { path: 'a.md' }],
    [
      'arguments in a fence',
      `${F}: read\n${A}:\n\`\`\`json\n{"path": "a.md"}\n\`\`\`\n${E}`,
      { path: 'a.md' },
    ],
    [
      'the whole call in a fence',
      `\`\`\`\n${F}: read\n${A}: {"path": "a.md"}\n${E}\n\`\`\``,
      { path: 'a.md' },
    ],
    ['no arguments', `${F}: read\n${E}`, {}],
    ['empty arguments', `${F}: read\n${A}:\n${E}`, {}],
    ['a name in quotes', `${F}: \`read\`\n${A}: {}\n${E}`, {}],
    ['carriage returns', `${F}: read\r\n${A}: {"path": "a.md"}\r\n${E}\r\n`, { path: 'a.md' }],
  ]
  test.each(forms)('parseTextCalls() reads %s', (_, text, input) => {
    expect(read(text)).toMatchObject({ text: '', calls: [call('read', input)] })
  })

  test('parseTextCalls() reads several calls and keeps the text around them', () => {
    const text = `Let me look.\n${F}: read\n${A}: {"n": 1}\n${E}\nThen:\n${F}: list\n${A}: {}\n${E}\nDone.`
    expect(read(text)).toMatchObject({
      text: 'Let me look.\n\nThen:\n\nDone.',
      calls: [call('read', { n: 1 }), call('list', {}, 2)],
    })
  })

  test('parseTextCalls() takes pairs without end markers, as the older form lists them', () => {
    const text = `${F}: read\n${A}: {"n": 1}\n${F}: read\n${A}: {"n": 2}\n`
    expect(read(text).calls).toEqual([call('read', { n: 1 }), call('read', { n: 2 }, 2)])
  })

  test('parseTextCalls() reads nothing from an invented result on', () => {
    const text = `${F}: read\n${A}: {}\n✿RESULT✿: {"text": "x"}\n${F}: erase\n${A}: {}`
    expect(read(text)).toMatchObject({ text: '', calls: [call('read', {})], end: text.indexOf('✿RESULT✿') })
  })

  const flaws: readonly (readonly [string, string, RegExp])[] = [
    ['single quotes', `${F}: read\n${A}: {'path': 'a'}\n${E}`, /invalid JSON/],
    ['raw line breaks in strings', `${F}: read\n${A}: {"a": "x\ny"}\n${E}`, /invalid JSON/],
    ['a missing brace', `${F}: read\n${A}: {"a": "x"\n${E}`, /not closed/],
    ['a list', `${F}: read\n${A}: [1]\n${E}`, /not a JSON object/],
    ['bare words', `${F}: read\n${A}: path=a\n${E}`, /not a JSON object/],
    ['a missing name', `${F}:\n${A}: {}\n${E}`, /name/],
    ['an object without its marker', `${F}: read\n{"path": "a"}\n${E}`, /✿ARGS✿/],
    ['words after the name', `${F}: read the file\n${E}`, /✿ARGS✿/],
  ]
  test.each(flaws)('parseTextCalls() says the flaw of %s', (_, text, flaw) => {
    const { calls } = read(text)
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({ input: {}, flaw: expect.stringMatching(flaw) })
  })

  test.each([`${F}: re`, `${F}: read\n${A}: {"path": "a`, `${F}: read\n${A}:`])(
    'parseTextCalls() says that %j was cut off',
    (text) => {
      const { calls } = parseTextCalls(text, { cut: true })
      expect(calls).toMatchObject([{ input: {}, flaw: expect.stringContaining('cut off') }])
    },
  )

  test('parseTextCalls() reads no call out of the data of a flawed one', () => {
    const text = `${F}: write\n${A}: {"text": "say "hi" }\n${F}: erase\n${A}: {}\n${E}"}\n${E}`
    expect(read(text).calls).toMatchObject([{ name: 'write', flaw: expect.anything() }])
  })

  test('callText() is read back exactly, for any arguments', () => {
    fc.assert(
      fc.property(objects, fc.string(), (input, after) => {
        const { calls, text } = read(
          `before\n${callText({ name: 'read', input })}\nz${after.replaceAll('✿', '')}`,
        )
        expect(calls).toEqual([call('read', input)])
        expect(text.startsWith('before')).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('arguments that hold markers as they are, are data', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const given = `${F}: write\n${A}: ${JSON.stringify({ text })}\n${E}`
        expect(read(given).calls).toEqual([call('write', { text })])
      }),
    )
  })
})

describe('texts without calls', () => {
  test.each([
    `Write ${F}: read to call a tool.`,
    `The markers are ${F}, ${A} and ${E}.`,
    `${F} opens a call, ${A} its arguments.`,
    `${A}: {"a": 1}\n${E}`,
    `Like this:\n\`\`\`\nfor example\n${F}: read\n${A}: {}\n${E}\n\`\`\`\nthat is all`,
    'As a block:\n````\n```neo\nACTION: create_task\n```\n````',
    'Inline ```neo ACTION: x``` is none.',
    '```neon\nACTION: x\n```',
  ])('parseTextCalls() finds none in %j', (text) => {
    expect(read(text)).toMatchObject({ text, calls: [] })
  })

  test('parseTextCalls() finds none in any sentence that only mentions the markers', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const sentence = `x ${text.replace(/[\r\n]/g, ' ')}`
        expect(read(sentence)).toMatchObject({ text: sentence.trim(), calls: [] })
      }),
    )
  })

  test('parseTextCalls() throws on no text, and ends calls at a flaw', () => {
    fc.assert(
      fc.property(fc.oneof(odd, fc.string()), fc.boolean(), (text, cut) => {
        const { calls } = parseTextCalls(text, { cut })
        expect(
          calls.slice(0, -1).every(({ flaw }) => flaw === undefined || /block|"|ACTION/.test(flaw)),
        ).toBe(true)
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
      }),
      { numRuns: 3000 },
    )
  })

  test('parseTextCalls() is quick on many fences that nothing closes', () => {
    const took = cpuMs(() => {
      read('```a\n'.repeat(40_000))
      read(`${F}: x\n`.repeat(40_000))
    })
    expect(took).toBeLessThan(5_000)
  })
})

describe('neo blocks', () => {
  const block = (...lines: string[]) => ['```neo', ...lines, '```'].join('\n')
  const inputs: readonly (readonly [string, string, JsonObject])[] = [
    [
      'bare values',
      block('ACTION: do', 'title: Write it: now', 'priority: high'),
      { title: 'Write it: now', priority: 'high' },
    ],
    ['quoted values', block('ACTION: do', 'a: "x \\"y\\" z"', "b: 'it''s'"), { a: 'x "y" z', b: "it's" }],
    [
      'a literal scalar',
      block('ACTION: do', 'text: |', '  one', '', '    two', 'z: 1'),
      { text: 'one\n\n  two\n', z: '1' },
    ],
    ['a stripped scalar', block('ACTION: do', 'text: |-', '  one', '  two'), { text: 'one\ntwo' }],
    [
      'a folded scalar',
      block('ACTION: do', 'text: >-', '  one', '  two', '', '  three'),
      { text: 'one two\nthree' },
    ],
    [
      'lists in brackets',
      block('ACTION: do', 'labels: [docs, "a, b", \'c\']', 'more: ["x"]'),
      { labels: ['docs', 'a, b', 'c'], more: ['x'] },
    ],
    [
      'lists of lines',
      block('ACTION: do', 'labels:', '  - docs', '- "b"', 'x: y'),
      { labels: ['docs', 'b'], x: 'y' },
    ],
    [
      'fences and markers in a scalar',
      block('ACTION: do', 'text: |', '  ```sh', `  ${F}: erase`, '  ```'),
      { text: `\`\`\`sh\n${F}: erase\n\`\`\`\n` },
    ],
    [
      'ids that look like numbers',
      block('ACTION: do', 'taskId: 0012', 'sha: 61e9540'),
      { taskId: '0012', sha: '61e9540' },
    ],
    ['no arguments', block('ACTION: do'), {}],
  ]
  test.each(inputs)('parseTextCalls() reads %s', (_, text, input) => {
    expect(read(text)).toMatchObject({ text: '', calls: [call('do', input)] })
  })

  test('parseTextCalls() gives bare values the types that the tool wants', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, b: { type: 'boolean' }, t: { type: 'string' } },
    }
    const tools: ToolSpec[] = [{ name: 'do', description: '', schema }]
    const text = block('ACTION: do', 'n: 5', 'b: true', 't: 5')
    expect(parseTextCalls(text, { cut: false, tools }).calls).toEqual([call('do', { n: 5, b: true, t: '5' })])
  })

  test('parseTextCalls() reads blocks and ✿ calls of one reply in order', () => {
    const text = `First.\n${block('ACTION: a')}\n${F}: b\n${A}: {}\n${E}\nLast.`
    expect(read(text)).toMatchObject({ text: 'First.\n\nLast.', calls: [call('a', {}), call('b', {}, 2)] })
  })

  const flaws: readonly (readonly [string, string, RegExp])[] = [
    ['no action', block('title: x'), /ACTION: name/],
    ['an empty block', block(), /ACTION: name/],
    ['no end', '```neo\nACTION: do\ntitle: x', /not closed/],
    ['a line that is no pair', block('ACTION: do', 'whatever'), /not "key: value"/],
    ['a key twice', block('ACTION: do', 'a: 1', 'a: 2'), /duplicate/],
    ['an open quote', block('ACTION: do', 'a: "x'), /not closed/],
    ['two words as name', block('ACTION: do it'), /not the name/],
  ]
  test.each(flaws)('parseTextCalls() says the flaw of %s', (_, text, flaw) => {
    expect(read(text).calls).toMatchObject([{ input: {}, flaw: expect.stringMatching(flaw) }])
  })
})

describe('what the model is given', () => {
  const tools: ToolSpec[] = [
    { name: 'read', description: `Reads. Not a marker: ${F}`, schema: { type: 'object', properties: {} } },
  ]
  test('describeTools() names each tool with its schema, the same bytes for the same tools', () => {
    expect(describeTools(tools)).toContain('## read\nReads. Not a marker: \\u273fFUNCTION\\u273f')
    expect(describeTools(tools)).toContain('{"type":"object","properties":{}}')
    expect(describeTools(tools)).toBe(describeTools(structuredClone(tools)))
  })

  test('resultsText() holds each result on one line, without a marker of its own', () => {
    fc.assert(
      fc.property(fc.oneof(odd, fc.string()), (text) => {
        const line = resultsText([{ kind: 'result', call: 'c', name: 'read', text, isError: false }])
        expect(line).not.toContain('\n')
        expect(line.indexOf('✿', 8)).toBe(-1)
        expect(JSON.parse(line.slice('✿RESULT✿: '.length))).toEqual({ name: 'read', error: false, text })
      }),
    )
  })

  test('escapeMarkers() leaves no marker, and leaves other flowers alone', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const escaped = escapeMarkers(text)
        expect(escaped).not.toMatch(/✿[ \t]*(?:FUNCTION|ARGS|RESULT|RETURN|END FUNCTION)[ \t]*✿/)
        expect(escaped.replaceAll('\\u273f', '✿')).toBe(text.replaceAll('\\u273f', '✿'))
      }),
    )
    expect(escapeMarkers('a ✿ for you')).toBe('a ✿ for you')
  })
})
