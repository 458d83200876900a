import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openModels } from '../../../src/adapters/models/models.ts'
import { MODEL_APIS } from '../../../src/domain/home/home-config.ts'
import type { Provider } from '../../../src/ports/model-port.ts'
import { ask, user } from './conversation.ts'
import { type ModelServer, says, startModelServer, streams } from './server.ts'
import { modelOf, providerOf, WIRES } from './wires.ts'

/** All APIs, as the message lists them. */
const WANTED = new RegExp(`want ${MODEL_APIS.join(' or ')}$`)
const models = openModels()
const provider = (name: string, more: Partial<Provider>): Provider => ({
  name,
  api: 'anthropic',
  maxTokens: 100,
  tools: 'native',
  headers: {},
  flags: {},
  ...more,
})

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

describe('open()', () => {
  const wrongs: readonly (readonly [string, readonly Provider[], RegExp])[] = [
    ['some-model', [], /want <provider>\/<model>/],
    ['rules', [], /want <provider>\/<model>/],
    ['local/', [provider('local', {})], /want <provider>\/<model>/],
    [
      'other/x',
      [provider('local', {}), provider('far', {})],
      /^No provider is called "other" \(there are: local, far\): add it/,
    ],
    ['local/x', [], /there are none/],
    [
      'anthropic/x',
      [provider('anthropic', {})],
      /^No key for anthropic: set ANTHROPIC_API_KEY, or providers\.anthropic\.api_key/,
    ],
    [
      'mine/x',
      [provider('mine', { baseUrl: 'https://api.anthropic.com/' })],
      /^No key for mine: set providers\.mine\.api_key/,
    ],
    ['local/x', [provider('local', { api: 'openai' })], /set providers\.local\.base_url/],
    ['local/x', [provider('local', { api: 'other' as 'openai' })], WANTED],
  ]
  test.each(wrongs)('says in one line why %s cannot be used', (ref, providers, wrong) => {
    expect(models.open(ref, providers)).toEqual({ wrong: expect.stringMatching(wrong) })
    expect(JSON.stringify(models.open(ref, providers))).not.toContain('\\n')
  })

  test.each([
    provider('p', { apiKey: 'k' }),
    provider('p', { baseUrl: 'http://localhost:11434' }),
    provider('p', { headers: { 'X-Api-Key': 'k' } }),
    provider('p', { api: 'openai', apiKey: 'k' }),
    provider('p', { api: 'openai', baseUrl: 'http://localhost:8080/v1' }),
  ])('opens %j, and the name of the model may hold slashes', (one) => {
    expect(models.open('p/vendor/model:tag', [one])).toMatchObject({ ref: 'p/vendor/model:tag' })
  })

  test('knows windows by model, by flag before that, or not at all', () => {
    const window = (ref: string, more: Partial<Provider> = {}) =>
      models.open(ref, [provider('p', { apiKey: 'k', ...more })])
    expect(window('p/claude-sonnet-5-5')).toMatchObject({ window: 1_000_000 })
    expect(window('p/claude-haiku-4-5-20251001', { tools: 'text' })).toMatchObject({ window: 200_000 })
    expect(window('p/claude-sonnet-5-5', { flags: { window: 5000 } })).toMatchObject({ window: 5000 })
    expect(window('p/toString')).toMatchObject({ window: null })
    expect(window('p/qwen3', { api: 'openai' })).toMatchObject({ window: null })
  })

  test('loads no library: nothing but types is imported from one at the top of a file', () => {
    const folder = 'src/adapters/models'
    const imports = readdirSync(folder).flatMap((name) =>
      [
        ...readFileSync(`${folder}/${name}`, 'utf8').matchAll(
          /^import (?!type )[^;]*? from '([^'.][^']*)'/gm,
        ),
      ].map(([, from]) => from),
    )
    expect(imports.filter((from) => !from?.startsWith('node:'))).toEqual([])
  })
})

describe('probe()', () => {
  const { signal } = new AbortController()
  test.each(WIRES)('gives null where $name answers, and why not where it does not', async (wire) => {
    const providers = [providerOf(wire, server.url)]
    server.next(streams(wire.events({ text: 'OK.' })), says(401, { error: { message: 'bad key' } }))
    expect(await models.probe('local/some-model', providers, signal)).toBeNull()
    expect(await models.probe('local/some-model', providers, signal)).toBe('local/some-model: 401 bad key')
    expect(await models.probe('else/some-model', providers, signal)).toContain('No provider')
  })
})

test('nothing is written to stdout, where --json is read from', async () => {
  const out = vi.spyOn(process.stdout, 'write')
  const log = vi.spyOn(console, 'log')
  vi.stubEnv('ANTHROPIC_LOG', 'debug')
  vi.stubEnv('OPENAI_LOG', 'debug')
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    for (const wire of WIRES) {
      server.next(streams(wire.events({ text: 'Hi.' })))
      await modelOf(wire, server.url).call(ask([user('x')]))
    }
    expect(err).toHaveBeenCalled()
    expect(
      [...out.mock.calls, ...log.mock.calls].filter(([text]) => /some-model|request/.test(String(text))),
    ).toEqual([])
  } finally {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  }
})
