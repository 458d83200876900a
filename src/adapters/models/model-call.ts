/** What all APIs share: how a provider's server is called, and the flags that mean the same for each of them. */
import { Console } from 'node:console'
import type { Reply } from '../../domain/agent/model-message.ts'
import type { Model, ModelRequest, Provider } from '../../ports/model-port.ts'
import { callIds } from './model-turns.ts'
import { aborted, modelErrorOf } from './trouble.ts'
import { type Watch, watchBytes } from './watch-stream.ts'

/** An API that servers speak: one file of this folder, and one row in `models.ts`. */
export interface Api {
  /** Opens a model without a request, and without loading a library. */
  readonly open: (target: Target, setting: Setting) => Model
  /** What a provider lacks that has neither key nor header with one; null: nothing. */
  readonly lacks: (provider: Provider) => string | null
}

export interface Target {
  readonly ref: string
  readonly model: string
  readonly provider: Provider
}

export interface Setting {
  /** How long nothing at all may come. */
  readonly idleMs: number
  readonly now: () => number
}

/** What a reply needs to know of its request. */
export interface Ending {
  readonly ref: string
  readonly callId: (told: string) => string
  /** What was sent, to estimate from if the server reports no usage. */
  readonly sent: () => string
}

interface Way<Library> {
  readonly setting: Setting
  /** If the provider's flags say nothing. */
  readonly window: number | null
  readonly sees: boolean
  readonly load: () => Promise<Library>
  readonly call: (
    request: ModelRequest,
    means: { readonly library: Library; readonly watch: Watch },
  ) => Promise<Reply>
}

/** A model whose calls are watched, and whose errors are ModelErrors. */
export function watchedModel<Library>({ ref, provider }: Target, way: Way<Library>): Model {
  const { window, images, idle_seconds: seconds } = provider.flags
  const idleMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : way.setting.idleMs
  return {
    ref,
    window: typeof window === 'number' && window > 0 ? window : way.window,
    sees: typeof images === 'boolean' ? images : way.sees,
    async call(request) {
      if (request.signal.aborted) throw aborted(ref)
      const library = await way.load()
      const watch = watchBytes({ signal: request.signal, idleMs })
      try {
        return await way.call(request, { library, watch })
      } catch (error) {
        throw modelErrorOf(error, {
          ref,
          seen: watch.seen(),
          stopped: request.signal.aborted,
          now: way.setting.now(),
          secrets: [provider.apiKey ?? ''],
        })
      } finally {
        watch.end()
      }
    },
  }
}

export function endingOf(ref: string, { messages }: ModelRequest, body: unknown): Ending {
  return { ref, callId: callIds(messages), sent: () => JSON.stringify(body) }
}

/** The libraries retry nothing, and write to stderr: stdout is where `--json` is read from. */
export function clientOptions({ headers }: Provider, watch: Watch) {
  return {
    maxRetries: 0,
    defaultHeaders: headers,
    fetch: watch.fetch,
    logger: new Console(process.stderr, process.stderr),
  }
}
