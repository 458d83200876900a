/**
 * Conversations with models in a neutral form; adapters translate to wire formats and back. Invariant 1: each call of
 * an assistant message has exactly one result in the user message after it. Invariant 2: `raw` is what the provider
 * sent; it is sent back only to the same model.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export interface TextPart {
  readonly kind: 'text'
  readonly text: string
}

export interface CallPart {
  readonly kind: 'call'
  /** Unique within the conversation; generated if the server sends none. */
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  /** Why the arguments can't be read; then `input` is empty, and this text is the result. */
  readonly flaw?: string
}

export interface ResultPart {
  readonly kind: 'result'
  readonly call: string
  readonly name: string
  readonly text: string
  readonly isError: boolean
}

/** An image that a person sent. A model without vision gets a description. */
export interface ImagePart {
  readonly kind: 'image'
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  readonly type: string
  /** Its path below `<git dir>/neo/`. */
  readonly path: string
  /** Base 64, to show it; absent: it is described. */
  readonly data?: string
}

export interface UserMessage {
  readonly role: 'user'
  /** Results come before text, text before images. */
  readonly parts: readonly (ResultPart | TextPart | ImagePart)[]
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly parts: readonly (TextPart | CallPart)[]
  /** The provider's content blocks with thinking; `model` is the reference that they belong to. */
  readonly raw?: { readonly api: string; readonly model: string; readonly content: Json }
}

export type Message = UserMessage | AssistantMessage

export interface ToolSpec {
  /** `[a-zA-Z0-9_-]{1,64}` */
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly schema: JsonObject
}

/**
 * Why a reply ended. `calls`: tools are wanted; `length`: cut at the limit, its last call must not be run;
 * `overflow`: the window is full; `pause`: send the same conversation again; `refusal`: do not send the same text
 * again.
 */
export type StopReason = 'end' | 'calls' | 'length' | 'refusal' | 'overflow' | 'pause'

/** Tokens of one call. Whole input = input + cacheRead + cacheWrite. */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
  /** `estimated` from the length of the texts if the server reported nothing. */
  readonly source: 'told' | 'estimated'
}

export interface Reply {
  readonly message: AssistantMessage
  readonly stop: StopReason
  /** The provider's text about a refusal or an unknown reason; '' for none. */
  readonly note: string
  readonly usage: Usage
}

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, source: 'told' }

/** The description of an image. */
export function imageText({ type }: Pick<ImagePart, 'type'>): string {
  return `[an image, ${type}, which you can't see here]`
}

/** All text of a message, in order. */
export function textOfMessage(message: Message): string {
  return message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')
}

export function callsOf(message: AssistantMessage): readonly CallPart[] {
  return message.parts.filter((part): part is CallPart => part.kind === 'call')
}
