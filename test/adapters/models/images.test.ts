/** Pictures on both wires: shown where there is something to show, named in words where not. */
import { expect, test } from 'vitest'
import { anthropicBody } from '../../../src/adapters/models/anthropic-request.ts'
import { openModels } from '../../../src/adapters/models/models.ts'
import { openaiBody, openaiFlags } from '../../../src/adapters/models/openai-request.ts'
import type { Message } from '../../../src/domain/agent/model-message.ts'
import type { Provider } from '../../../src/ports/model-port.ts'

const provider: Provider = {
  name: 'x',
  api: 'openai',
  apiKey: 'k',
  maxTokens: 100,
  tools: 'native',
  headers: {},
  flags: {},
}
const target = { ref: 'x/y', model: 'y', provider }
const text = { kind: 'text', text: 'What is this?' } as const
const image = { kind: 'image', type: 'image/png', path: 'scopes/a/media/b.png' } as const
const asking = (...parts: Message['parts'][number][]) => ({
  system: [],
  tools: [],
  messages: [{ role: 'user', parts } as Message],
  signal: new AbortController().signal,
})

const anthropic = (...parts: Message['parts'][number][]) =>
  (anthropicBody(asking(...parts), target).body['messages'] as { content: object[] }[])[0]?.content.map(
    (block) => {
      const { cache_control: _, ...rest } = block as Record<string, unknown>
      return rest
    },
  )
const openai = (...parts: Message['parts'][number][]) =>
  (
    openaiBody(asking(...parts), { ...target, flags: openaiFlags(provider) })['messages'] as {
      content: unknown
    }[]
  )[0]?.content

test('a picture with bytes is shown after the text', () => {
  const seen = { ...image, data: 'QUJD' }
  expect(anthropic(text, seen)).toEqual([
    { type: 'text', text: 'What is this?' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
  ])
  expect(openai(text, seen)).toEqual([
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
  ])
})

test('a picture without words is a message, and one without bytes is named in words', () => {
  expect(anthropic({ ...image, data: 'QUJD' })).toMatchObject([{ type: 'image' }])
  expect(anthropic(image)).toMatchObject([{ type: 'text', text: expect.stringMatching(/image, image\/png/) }])
  expect(JSON.stringify(openai(text, image))).toMatch(/What is this\?.*image, image\/png/)
})

test.each([
  ['anthropic', {}, {}, true],
  ['anthropic', { baseUrl: 'http://127.0.0.1:1' }, { images: false }, false],
  ['openai', {}, {}, true],
  ['openai', { baseUrl: 'http://127.0.0.1:1' }, {}, false],
  ['openai', { baseUrl: 'http://127.0.0.1:1' }, { images: true }, true],
] as const)('a model of the api %s with %j and the flags %j sees: %s', (api, more, flags, sees) => {
  for (const tools of ['native', 'text'] as const) {
    const opened = openModels().open('x/y', [{ ...provider, ...more, api, flags, tools }])
    expect(opened).toMatchObject({ sees })
  }
})
