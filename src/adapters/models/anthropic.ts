/**
 * The Anthropic API, and servers that speak it. Flags: `window` (tokens), `idle_seconds` (120), `cache` (true: cache
 * breakpoints are sent), `thinking` (a type that is sent as it is; none by default, since models think as they should),
 * `effort` (low to max). `temperature` is not sent: the API refuses it. Invariant 1: one call, one request: the library
 * retries nothing and reads no key from the environment.
 */
import type Anthropic from '@anthropic-ai/sdk'
import type { Reply } from '../../domain/agent/model-message.ts'
import type { ModelRequest, Provider } from '../../ports/model-port.ts'
import { type Gathering, gatherAnthropic } from './anthropic-reply.ts'
import { anthropicBody } from './anthropic-request.ts'
import { type Api, clientOptions, endingOf, type Target, watchedModel } from './model-call.ts'
import type { Watch } from './watch-stream.ts'

const MILLION = 1_000_000
const WINDOWS: Readonly<Record<string, number>> = {
  'claude-fable-5-2': MILLION,
  'claude-fable-5-1': MILLION,
  'claude-opus-5-5': MILLION,
  'claude-opus-5': MILLION,
  'claude-opus-4-8': MILLION,
  'claude-opus-4-7': MILLION,
  'claude-opus-4-6': MILLION,
  'claude-opus-4-5': 200_000,
  'claude-sonnet-5-5': MILLION,
  'claude-sonnet-5': MILLION,
  'claude-sonnet-4-6': MILLION,
  'claude-haiku-5-5': MILLION,
  'claude-haiku-4-5': 200_000,
}

/** A date behind the name, as in `claude-haiku-4-5-20251001`, changes nothing. */
function anthropicWindow(model: string): number | null {
  const name = model.replace(/-\d{8}$/, '')
  return Object.hasOwn(WINDOWS, name) ? (WINDOWS[name] ?? null) : null
}

const BASE_URL = 'https://api.anthropic.com'
/** After the reply is whole the server closes; Neo waits no longer for one that doesn't. */
const CLOSING_MS = 250

export const ANTHROPIC_API: Api = {
  open: (target, setting) =>
    watchedModel(target, {
      setting,
      window: anthropicWindow(target.model),
      sees: true,
      load: async () => (await import('@anthropic-ai/sdk')).default,
      call: (request, { library, watch }) =>
        called(request, { target, watch, client: clientOf(library, target.provider, watch) }),
    }),
  lacks: ({ name, baseUrl }) =>
    baseUrl === undefined || ITSELF.test(baseUrl)
      ? `No key for ${name}: set ${name === 'anthropic' ? 'ANTHROPIC_API_KEY, or ' : ''}providers.${name}.api_key in neo.yaml`
      : null,
}

/** Anthropic's own API, which wants a key. */
const ITSELF = /^https?:\/\/([^/]*\.)?anthropic\.com(?:[:/]|$)/i

interface Means {
  readonly target: Target
  readonly watch: Watch
  readonly client: Anthropic
}

async function called(request: ModelRequest, { target, watch, client }: Means): Promise<Reply> {
  const { body, seal } = anthropicBody(request, target)
  const params = body as unknown as Anthropic.MessageCreateParamsStreaming
  const gathering = gatherAnthropic()
  try {
    const events = await client.messages.create(params, { signal: watch.signal })
    for await (const event of events) {
      const text = gathering.take(event)
      if (text !== '') request.onText?.(text)
      if (gathering.whole()) watch.hurry(CLOSING_MS)
    }
  } catch (error) {
    if (!gathering.whole() || request.signal.aborted) throw error
  }
  ended(gathering, request)
  return gathering.reply({ ...endingOf(target.ref, request, body), seal })
}

/** The library's iterator ends without a word on a stop and on a stream that was cut. */
function ended(gathering: Gathering, { signal }: ModelRequest): void {
  if (signal.aborted || !gathering.whole()) throw new Error('the stream ended before its last event')
}

function clientOf(Client: typeof Anthropic, provider: Provider, watch: Watch): Anthropic {
  const { apiKey, baseUrl } = provider
  return new Client({
    ...clientOptions(provider, watch),
    ...(apiKey === undefined ? { authToken: 'none' } : { apiKey }),
    baseURL: (baseUrl ?? BASE_URL).replace(/\/v1\/?$/, ''),
    openTelemetry: false,
  })
}
