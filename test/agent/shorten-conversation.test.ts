/** A conversation that must fit its window: what is cut, what never is, and the summary that replaces the rest. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capped, fitted, roomFor, summaryOf } from '../../src/agent/shorten-conversation.ts'
import { tokensOfMessages, tokensOfText } from '../../src/domain/agent/compact.ts'
import { type Message, NO_USAGE } from '../../src/domain/agent/model-message.ts'
import { ModelError } from '../../src/domain/agent/model-retry.ts'
import { FINISH, stage, textIn } from './stage.ts'

const user = (text: string): Message => ({ role: 'user', parts: [{ kind: 'text', text }] })
const call = (id: string): Message => ({
  role: 'assistant',
  parts: [{ kind: 'call', id, name: 'read_file', input: { path: 'a' } }],
})
const result = (id: string, text: string): Message => ({
  role: 'user',
  parts: [{ kind: 'result', call: id, name: 'read_file', text, isError: false }],
})
const pair = (id: string, text: string) => [call(id), result(id, text)]

function texts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'result' ? [part.text] : [])))
}

test.each([
  [null, Number.POSITIVE_INFINITY],
  [10_000, 7_000 - tokensOfText('system') - tokensOfText('[]')],
])('the room in a window of %s tokens', (window, room) => {
  expect(roomFor(window, ['system'], [])).toBe(room)
})

test('a long standing text leaves a fifth of the window all the same', () => {
  expect(roomFor(1_000, ['x'.repeat(100_000)], [])).toBe(200)
})

test('a result that is short enough is sent as it is, byte for byte', () => {
  const messages = [user('Begin.'), ...pair('a', 'x'.repeat(399))]
  expect(capped(messages, 10)).toEqual(messages)
  expect(fitted(messages, 100_000)).toEqual(messages)
})

test('a result over half the room is cut in its middle, and says how much is left out', () => {
  const text = `head${'x'.repeat(8_000)}tail`
  const [cut = ''] = texts(capped(pair('a', text), 1_000))
  expect(cut.startsWith('head')).toBe(true)
  expect(cut.endsWith('tail')).toBe(true)
  const [, left = '0'] = /\[… (\d+) of 8008 characters left out/.exec(cut) ?? []
  const kept = cut.replace(/\n\[… .*\]\n/, '')
  expect(kept.length + Number(left)).toBe(text.length)
})

test('the same result is cut in the same way, whatever small messages follow', () => {
  const before = [user('Begin.'), ...pair('a', 'y'.repeat(20_000))]
  const after = [...before, ...pair('b', 'small'), user('go on')]
  expect(texts(capped(after, 2_000))[0]).toBe(texts(capped(before, 2_000))[0])
})

const LETTERS = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.nat(6_000).map((n) => 'word '.repeat(n / 5)),
  fc.nat(900).map((n) => '😀'.repeat(n)),
)
const TALK = fc
  .array(fc.tuple(LETTERS, LETTERS), { minLength: 1, maxLength: 8 })
  .map((all) => [user('Begin.'), ...all.flatMap(([text], n) => pair(`c${n}`, text))])

test('what is sent keeps every message and call, and cuts nothing but results', () => {
  fc.assert(
    fc.property(TALK, fc.integer({ min: 50, max: 20_000 }), (messages, room) => {
      const sent = fitted(messages, room)
      expect(sent).toHaveLength(messages.length)
      const shape = (all: readonly Message[]) =>
        all.map(({ role, parts }) => [
          role,
          parts.map((part) => (part.kind === 'result' ? part.call : JSON.stringify(part))),
        ])
      expect(shape(sent)).toEqual(shape(messages))
      for (const text of texts(sent))
        expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/)
    }),
  )
})

test('it fits, or nothing more can be cut; and it is never longer than before', () => {
  fc.assert(
    fc.property(TALK, fc.integer({ min: 50, max: 20_000 }), (messages, room) => {
      const sent = fitted(messages, room)
      const tokens = tokensOfMessages(sent)
      const isLeast = texts(sent).every((text) => text.length <= 600)
      expect(tokens <= room || isLeast).toBe(true)
      if (tokensOfMessages(messages) <= room / 2) expect(sent).toEqual(messages)
    }),
  )
})

/** A summary of these messages by the model of a stage, which answers or fails. */
async function summary(
  messages: readonly Message[],
  of: { readonly says: string | ModelError; readonly room?: number; readonly previous?: string },
): Promise<{ readonly text: string; readonly asked: string }> {
  let asked = ''
  const at = stage(() => FINISH)
  const { world, dirs } = at.bench.deps
  const run = {
    record: at.bench.record,
    deps: { world, dirs, signal: new AbortController().signal, on: {} },
  } as unknown as Parameters<typeof summaryOf>[0]
  const model = {
    ref: 'fake/one',
    window: null,
    call: async (request: { readonly messages: readonly Message[] }) => {
      asked = textIn(request as Parameters<typeof textIn>[0])
      if (of.says instanceof ModelError) throw of.says
      const parts = [{ kind: 'text' as const, text: of.says }]
      return {
        message: { role: 'assistant' as const, parts },
        stop: 'end' as const,
        note: '',
        usage: NO_USAGE,
      }
    },
  }
  const deps = { budget: () => null, calling: () => ({ used() {}, nothing() {} }) }
  const text = await summaryOf(run, { deps, model } as unknown as Parameters<typeof summaryOf>[1], {
    messages,
    previous: of.previous ?? '',
    room: of.room ?? 10_000,
    key: 'k',
  })
  return { text, asked }
}

test('the model that summarises sees what was said, called and given', async () => {
  const { text, asked } = await summary([user('Count the lines.'), ...pair('a', 'twelve')], {
    says: ' So far: 12. ',
  })
  expect(text).toBe('So far: 12.')
  expect(asked).toContain('user: Count the lines.')
  expect(asked).toContain('[calls read_file {"path":"a"}]')
  expect(asked).toContain('[read_file gave: twelve]')
})

test.each([
  ['says nothing', '  '],
  ['refuses', new ModelError('auth', 'no key')],
])('a model that %s leaves a summary by rule, with what was known before', async (_, says) => {
  const messages = [user('Count the lines.'), ...pair('a', 'twelve')]
  const { text } = await summary(messages, { says, previous: 'The goal: count.' })
  expect(text.split('\n')).toEqual([
    'The goal: count.',
    '- called read_file {"path":"a"}',
    '- read_file gave: twelve',
  ])
})

test('a summary takes a third of the room at most, and so does the text to summarise', async () => {
  const long = Array.from({ length: 30 }, (_, n) => pair(`c${n}`, 'word '.repeat(2_000))).flat()
  const { text, asked } = await summary([user('Begin.'), ...long], {
    says: 'long '.repeat(5_000),
    room: 4_000,
  })
  expect(tokensOfText(text)).toBeLessThanOrEqual(4_000 * 0.32)
  expect(text).toContain('…')
  expect(tokensOfText(asked)).toBeLessThanOrEqual(4_500)
})
