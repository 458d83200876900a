/**
 * A request in the wire form of the Anthropic API. Invariant 1: stable first: tools, system, messages; cache breakpoints
 * on the last system block and on the last two user turns (the earlier one is where the request before ended), so never
 * more than 4. Invariant 2: raw content goes back exactly, and only to the model that it came from, behind exactly what
 * was before it then: thinking is bound to both, and the server refuses it otherwise. The seal holds that; a message
 * whose seal is broken (an edited room, a redacted transcript, a compacted conversation) is built from its parts,
 * without thinking.
 */
import { createHash } from 'node:crypto'
import type { AssistantMessage, Json, JsonObject } from '../../domain/agent/model-message.ts'
import type { ModelRequest } from '../../ports/model-port.ts'
import type { Target } from './model-call.ts'
import {
  type AssistantTurn,
  belongs,
  turnsOf,
  type UserTurn,
  wellFormed,
  wireId,
  wireName,
} from './model-turns.ts'

export const ANTHROPIC = 'anthropic'
const MOST_ID = 64
const CACHE: JsonObject = { type: 'ephemeral' }

type Block = JsonObject
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

export interface AnthropicBody {
  readonly body: JsonObject
  /** Seals content of a reply to this body. */
  readonly seal: (content: readonly Json[]) => string
}

export function anthropicBody(request: ModelRequest, { ref, model, provider }: Target): AnthropicBody {
  const tools = request.tools.map(({ name, description, schema }) => ({
    name,
    description: wellFormed(description),
    input_schema: { ...schema, type: 'object' },
  }))
  const system = request.system.filter((text) => text.trim() !== '').map((text) => textBlock(text))
  const { messages, seal } = sealedMessages(request, { ref, before: () => JSON.stringify([tools, system]) })
  const cached = provider.flags['cache'] !== false
  const { thinking, effort } = provider.flags
  const body = {
    model,
    max_tokens: request.maxTokens ?? provider.maxTokens,
    ...(tools.length === 0 ? {} : { tools: system.length === 0 && cached ? lastMarked(tools) : tools }),
    ...(system.length === 0 ? {} : { system: cached ? lastMarked(system) : system }),
    messages: (cached ? withBreakpoints(messages) : messages).map(({ role, content }) => ({ role, content })),
    ...(request.stop === undefined || request.stop.length === 0 ? {} : { stop_sequences: request.stop }),
    ...(typeof thinking === 'string' ? { thinking: { type: thinking } } : {}),
    ...(typeof effort === 'string' ? { output_config: { effort } } : {}),
    stream: true,
  }
  return { body, seal }
}

/** Each message as it goes out, and the seal of all of them with what is before. */
function sealedMessages(
  request: ModelRequest,
  { ref, before }: { readonly ref: string; readonly before: () => string },
): { readonly messages: readonly WireMessage[]; readonly seal: AnthropicBody['seal'] } {
  const messages: WireMessage[] = []
  const { add, seal } = sealing(before)
  const push = (role: WireMessage['role'], content: readonly Block[]) => {
    if (content.length === 0) return
    add(() => role + JSON.stringify(content))
    messages.push({ role, content })
  }
  for (const turn of turnsOf(request.messages, { api: ANTHROPIC, ref })) {
    if (turn.role === 'user') push('user', userBlocks(turn))
    else push('assistant', assistantBlocks(turn, { ref, seal: (content) => seal(messages.length, content) }))
  }
  const last = messages.at(-1)
  const count = messages.length
  if (last?.role !== 'assistant') return { messages, seal: (content) => seal(count, content) }
  // A paused reply continues: both pieces are one message then.
  return { messages, seal: (content) => seal(count - 1, [...last.content, ...content]) }
}

/**
 * Seals content behind the first `count` messages. Messages are hashed once, and not before a seal asks for them: a request
 * without raw content goes out unhashed. Seals are asked for in the order of the messages.
 */
function sealing(before: () => string) {
  const pieces = [before]
  const hash = createHash('sha256')
  let done = 0
  return {
    add: (piece: () => string) => void pieces.push(piece),
    seal: (count: number, content: readonly Json[]) => {
      for (; done <= count; done++) hash.update(`${pieces[done]?.() ?? ''}\n`)
      return hash.copy().update(JSON.stringify(content)).digest('base64url').slice(0, 22)
    },
  }
}

function userBlocks({ results, texts, images }: UserTurn): readonly Block[] {
  return [
    ...results.map(({ call, text, isError }) => ({
      type: 'tool_result',
      tool_use_id: wireId(call, MOST_ID),
      content: wellFormed(text),
      ...(isError ? { is_error: true } : {}),
    })),
    ...texts.map(({ text }) => textBlock(text)),
    ...images.map(({ type, data }) => ({
      type: 'image',
      source: { type: 'base64', media_type: type, data },
    })),
  ]
}

/** The pieces of a paused reply are one message; each was sealed together with the pieces before it. */
function assistantBlocks(
  { messages }: AssistantTurn,
  { ref, seal }: { readonly ref: string; readonly seal: AnthropicBody['seal'] },
): readonly Block[] {
  const blocks: Block[] = []
  for (const message of messages) {
    blocks.push(...(sealedBlocks(message, { ref, seal, before: blocks }) ?? partBlocks(message)))
  }
  return blocks
}

function sealedBlocks(
  message: AssistantMessage,
  {
    ref,
    seal,
    before,
  }: { readonly ref: string; readonly seal: AnthropicBody['seal']; readonly before: readonly Block[] },
): readonly Block[] | null {
  if (!belongs(message, { api: ANTHROPIC, ref })) return null
  const content = message.raw?.content
  if (content === null || typeof content !== 'object' || Array.isArray(content)) return null
  const { blocks, seal: told } = content as JsonObject
  if (!Array.isArray(blocks) || told !== seal([...before, ...blocks])) return null
  return blocks as readonly Block[]
}

function partBlocks(message: AssistantMessage): readonly Block[] {
  return message.parts.flatMap((part): readonly Block[] => {
    if (part.kind === 'text') return part.text.trim() === '' ? [] : [textBlock(part.text)]
    return [{ type: 'tool_use', id: wireId(part.id, MOST_ID), name: wireName(part.name), input: part.input }]
  })
}

function textBlock(text: string): Block {
  return { type: 'text', text: wellFormed(text) }
}

function withBreakpoints(messages: readonly WireMessage[]): readonly WireMessage[] {
  const users = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2)
  return messages.map((message, index) =>
    users.includes(index) ? { ...message, content: lastMarked(message.content) } : message,
  )
}

function lastMarked<One extends JsonObject>(blocks: readonly One[]): readonly JsonObject[] {
  return blocks.map((block, index) =>
    index === blocks.length - 1 ? { ...block, cache_control: CACHE } : block,
  )
}
