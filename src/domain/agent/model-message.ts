/**
 * Conversations with models, in the program's own words; adapters translate them to wire formats and back. Invariant
 * 1: every call of an assistant message is answered by exactly one result in the user message after it. Invariant 2:
 * `raw` is what the provider sent; it is sent back only to the model that it came from.
 */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export interface TextPart {
  readonly kind: 'text'
  readonly text: string
}

/** A tool that the model wants to be called. */
export interface CallPart {
  readonly kind: 'call'
  /** Unique within the conversation; made by us if the server gives none. */
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  /** Why the arguments could not be understood; then `input` is empty, and the call is answered with this text. */
  readonly flaw?: string
}

/** What a call gave. */
export interface ResultPart {
  readonly kind: 'result'
  readonly call: string
  readonly name: string
  readonly text: string
  readonly isError: boolean
}

/** A picture that a person sent. A model that sees none gets to know of it in words. */
export interface ImagePart {
  readonly kind: 'image'
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  readonly type: string
  /** Where it is kept, below `<git dir>/neo/`. */
  readonly path: string
  /** Base 64, if it is to be seen; absent: it is named in words. */
  readonly data?: string
}

export interface UserMessage {
  readonly role: 'user'
  /** Results come before text, text before pictures. */
  readonly parts: readonly (ResultPart | TextPart | ImagePart)[]
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly parts: readonly (TextPart | CallPart)[]
  /** The provider's own content blocks, thinking included; `model` is the reference that they belong to. */
  readonly raw?: { readonly api: string; readonly model: string; readonly content: Json }
}

export type Message = UserMessage | AssistantMessage

/** What a model gets to know of a tool. */
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
  /** `estimated` if the server told nothing: counted from the length of the texts. */
  readonly source: 'told' | 'estimated'
}

export interface Reply {
  readonly message: AssistantMessage
  readonly stop: StopReason
  /** The provider's own words on a refusal or an unknown reason; '' for none. */
  readonly note: string
  readonly usage: Usage
}

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, source: 'told' }

/** A picture in words. */
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
