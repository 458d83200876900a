/** The port of models. Models throw ModelError. The library is loaded at the first call. */
import type { Message, Reply, ToolSpec } from '../domain/agent/model-message.ts'
import type { ProviderConfig } from '../domain/home/home-config.ts'

/** One entry of `providers:` in neo.yaml, `${NAME}` filled in; or one made from the environment. */
export type Provider = ProviderConfig

export interface ModelRequest {
  /** System prompt, the most stable part first: one cache breakpoint after the last. */
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly maxTokens?: number
  /** Stop sequences, if the server supports them. */
  readonly stop?: readonly string[]
  readonly signal: AbortSignal
  /** Text as it streams. */
  readonly onText?: (delta: string) => void
}

export interface Model {
  /** `<provider>/<model>` as in neo.yaml. */
  readonly ref: string
  /** Context window in tokens; null if unknown. */
  readonly window: number | null
  /** Whether it accepts images; absent: no. */
  readonly sees?: boolean
  /**
   * One call, streamed, without retries: the caller waits, so that waits are visible. Throws ModelError, of kind `aborted`
   * for an aborted signal.
   */
  call(request: ModelRequest): Promise<Reply>
}

export interface Models {
  /** Opens a model without a request. `wrong`: why it can't be used, in one line (no key, unknown provider). */
  open(ref: string, providers: readonly Provider[]): Model | { readonly wrong: string }
  /** Sends the smallest request; null if it was answered, else why not. */
  probe(ref: string, providers: readonly Provider[], signal: AbortSignal): Promise<string | null>
}
