/**
 * Servers that speak OpenAI's chat completions. Flags, all optional: `window`, `idle_seconds`; true or false:
 * `max_completion_tokens` (true only without base_url), `parallel_tool_calls` and `enable_thinking` (not sent),
 * `send_reasoning` (false), `tool_name` (false), `content_string` (true), `null_content` (false), `stream_usage` (true),
 * `no_stream` (false), `stop_words` (true), `assistant_after_tool` (false), `tools_always` (false), `think_open`
 * (false); a text: `reasoning_effort`. Invariant 1: one call, one request; neither key nor address is read from the
 * environment. Invariant 2: a stream that ends with neither a finish reason nor its end mark was cut off.
 */
import type OpenAI from 'openai'
import { ModelError } from '../../domain/agent/model-retry.ts'
import type { ModelRequest, Provider } from '../../ports/model-port.ts'
import { objectOf, textOf } from './loose.ts'
import { type Api, clientOptions, endingOf, watchedModel } from './model-call.ts'
import { gatherOpenai, type OpenaiGathering } from './openai-reply.ts'
import { type OpenaiTarget, openaiBody, openaiFlags } from './openai-request.ts'
import { aborted } from './trouble.ts'
import type { Watch } from './watch-stream.ts'

/** After the finish reason only usage and the end mark come. */
const CLOSING_MS = 2000
/** A server that does not stream is silent while it writes; node's own fetch waits 300 s for an answer to begin. */
const UNSTREAMED_IDLE_MS = 295_000

export const OPENAI_API: Api = {
  open: (given, setting) => {
    const target = { ...given, flags: openaiFlags(given.provider) }
    const { provider, flags } = target
    const idleMs = flags.stream ? setting.idleMs : Math.max(setting.idleMs, UNSTREAMED_IDLE_MS)
    return watchedModel(target, {
      setting: { ...setting, idleMs },
      window: null,
      // OpenAI's own models do; of another server's nothing is known.
      sees: provider.baseUrl === undefined,
      load: () => import('openai'),
      call: (request, { library, watch }) =>
        called(request, { target, watch, library, client: clientOf(library, provider, watch) }),
    })
  },
  lacks: ({ name, baseUrl }) =>
    baseUrl === undefined
      ? `Provider ${name} has neither base_url nor api_key: set providers.${name}.base_url for a server of your own, or api_key`
      : null,
}

interface Means {
  readonly target: OpenaiTarget
  readonly watch: Watch
  readonly library: typeof import('openai')
  readonly client: OpenAI
}

async function called(request: ModelRequest, means: Means) {
  const { target, watch, client } = means
  const body = openaiBody(request, target)
  const gathering = gatherOpenai(target.flags)
  const show = (text: string) => {
    if (text !== '') request.onText?.(text)
  }
  const response = await client
    .post('/chat/completions', { body, stream: target.flags.stream, signal: watch.signal })
    .asResponse()
  // Some servers do not stream whatever they are asked.
  const whole = !target.flags.stream || /\bjson\b/.test(response.headers.get('content-type') ?? '')
  if (whole) show(takeWhole(await response.json(), { gathering, ref: target.ref }))
  else await takeStream(response, { ...means, gathering, show })
  show(gathering.rest())
  if (request.signal.aborted) throw aborted(target.ref)
  const ended = whole || gathering.finish() !== '' || watch.seen().tail.includes('[DONE]')
  if (!ended) throw new Error('the stream ended without a finish reason')
  // A server may give up within its stream and still end it.
  if (gathering.finish() === 'error')
    throw new ModelError('server', `${target.ref}: the server broke off the reply`)
  return gathering.reply(endingOf(target.ref, request, body))
}

function takeWhole(
  body: unknown,
  { gathering, ref }: { readonly gathering: OpenaiGathering; readonly ref: string },
): string {
  const error = objectOf(body)?.['error']
  if (error !== undefined && error !== null) throw Object.assign(new Error(ref), { error })
  return gathering.take(body)
}

async function takeStream(
  response: Response,
  {
    library,
    client,
    gathering,
    show,
    watch,
  }: Means & { readonly gathering: OpenaiGathering; readonly show: (text: string) => void },
): Promise<void> {
  const { Stream } = await import('openai/streaming')
  const controller = new AbortController()
  try {
    for await (const chunk of Stream.fromSSEResponse<unknown>(response, controller, client)) {
      show(gathering.take(chunk))
      if (gathering.finish() !== '') watch.hurry(CLOSING_MS)
    }
  } catch (error) {
    const told = error instanceof library.APIError || textOf(gathering.finish()) === ''
    if (told) throw error
  }
}

function clientOf({ OpenAI: Client }: typeof import('openai'), provider: Provider, watch: Watch): OpenAI {
  const { apiKey, baseUrl } = provider
  return new Client({
    ...clientOptions(provider, watch),
    apiKey: apiKey ?? 'none',
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    organization: null,
    project: null,
  })
}
