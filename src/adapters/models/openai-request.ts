/**
 * A request in the wire form of OpenAI's chat completions. Invariant 1: the most stable comes first and nothing changes
 * with time, so that servers find the prefix they know. Invariant 2: reasoning goes back only if the flag says so,
 * only to the model that it came from, and only within the loop of tools that it began.
 */
import type { AssistantMessage, JsonObject, ToolSpec } from '../../domain/agent/model-message.ts'
import { callsOf, textOfMessage } from '../../domain/agent/model-message.ts'
import type { ModelRequest, Provider } from '../../ports/model-port.ts'
import { objectOf, textOf } from './loose.ts'
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

/** What servers of this API differ in. `null`: not sent. */
type OpenaiFlags = ReturnType<typeof openaiFlags>

export function openaiFlags({ flags, baseUrl }: Provider) {
  const yes = (name: string, otherwise: boolean) => {
    const value = flags[name]
    return typeof value === 'boolean' ? value : otherwise
  }
  const given = (name: string) => (typeof flags[name] === 'boolean' ? (flags[name] as boolean) : null)
  const effort = flags['reasoning_effort']
  return {
    // Without a URL of its own it is OpenAI itself, which wants the new name.
    maxCompletionTokens: yes('max_completion_tokens', baseUrl === undefined),
    parallelToolCalls: given('parallel_tool_calls'),
    sendReasoning: yes('send_reasoning', false),
    toolName: yes('tool_name', false),
    contentString: yes('content_string', true),
    nullContent: yes('null_content', false),
    streamUsage: yes('stream_usage', true),
    stream: !yes('no_stream', false),
    stopWords: yes('stop_words', true),
    assistantAfterTool: yes('assistant_after_tool', false),
    toolsAlways: yes('tools_always', false),
    thinkOpen: yes('think_open', false),
    enableThinking: given('enable_thinking'),
    reasoningEffort: typeof effort === 'string' ? effort : null,
  }
}

export const OPENAI = 'openai'
/** OpenAI itself takes 40. */
const MOST_ID = 40

export interface OpenaiTarget extends Target {
  readonly flags: OpenaiFlags
}

type Wire = JsonObject

export function openaiBody(request: ModelRequest, { ref, model, provider, flags }: OpenaiTarget): Wire {
  const most = request.maxTokens ?? provider.maxTokens
  const tools = toolsFor(request, flags)
  return {
    model,
    ...(flags.maxCompletionTokens ? { max_completion_tokens: most } : { max_tokens: most }),
    ...(provider.temperature === undefined ? {} : { temperature: provider.temperature }),
    ...(flags.stopWords && request.stop !== undefined && request.stop.length > 0
      ? { stop: request.stop }
      : {}),
    ...(flags.reasoningEffort === null ? {} : { reasoning_effort: flags.reasoningEffort }),
    ...(flags.enableThinking === null
      ? {}
      : { chat_template_kwargs: { enable_thinking: flags.enableThinking } }),
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(tools.length === 0 || flags.parallelToolCalls === null
      ? {}
      : { parallel_tool_calls: flags.parallelToolCalls }),
    messages: wireMessages(request, { ref, flags }),
    stream: flags.stream,
    ...(flags.stream && flags.streamUsage ? { stream_options: { include_usage: true } } : {}),
  }
}

/** Some servers want the tools that a conversation speaks of described, also if none may be called any more. */
function toolsFor({ tools, messages }: ModelRequest, { toolsAlways }: OpenaiFlags): readonly ToolSpec[] {
  if (tools.length > 0 || !toolsAlways) return tools
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message) : []))
  const names = [...new Set(calls.map(({ name }) => name))]
  return names.map((name) => ({
    name,
    description: 'No longer there',
    schema: { type: 'object', properties: {} },
  }))
}

function wireTool({ name, description, schema }: ToolSpec): Wire {
  const parameters = { ...schema, type: 'object' }
  return { type: 'function', function: { name, description: wellFormed(description), parameters } }
}

interface Way {
  readonly ref: string
  readonly flags: OpenaiFlags
}

function wireMessages(request: ModelRequest, way: Way): readonly Wire[] {
  const system = request.system.filter((text) => text.trim() !== '').join('\n\n')
  const turns = turnsOf(request.messages)
  const lastAsked = turns.findLastIndex((turn) => turn.role === 'user' && turn.results.length === 0)
  const all: Wire[] = system === '' ? [] : [{ role: 'system', content: contentOf(system, way) }]
  turns.forEach((turn, index) => {
    if (turn.role === 'user') all.push(...userMessages(turn, way))
    else all.push(assistantMessage(turn, { ...way, inLoop: index > lastAsked }))
  })
  return all
}

function userMessages({ results, texts, images }: UserTurn, way: Way): readonly Wire[] {
  const { toolName, assistantAfterTool } = way.flags
  const tools = results.map(({ call, name, text, isError }) => ({
    role: 'tool',
    tool_call_id: wireId(call, MOST_ID),
    ...(toolName ? { name: wireName(name) } : {}),
    content: contentOf(isError ? `Error: ${text}` : text, way),
  }))
  if (texts.length + images.length === 0) return tools
  const between =
    tools.length > 0 && assistantAfterTool ? [{ role: 'assistant', content: 'I have read the results.' }] : []
  const text = texts.map((part) => part.text).join('\n\n')
  if (images.length === 0) return [...tools, ...between, { role: 'user', content: contentOf(text, way) }]
  const seen = images.map(({ type, data }) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${data}` },
  }))
  const said = text === '' ? [] : [{ type: 'text', text: wellFormed(text) }]
  return [...tools, ...between, { role: 'user', content: [...said, ...seen] }]
}

function assistantMessage({ messages }: AssistantTurn, way: Way & { readonly inLoop: boolean }): Wire {
  const text = messages.map(textOfMessage).join('')
  const calls = messages.flatMap(callsOf)
  const none = way.flags.nullContent && calls.length > 0 ? null : ''
  return {
    role: 'assistant',
    content: text === '' ? none : contentOf(text, way),
    ...(way.flags.sendReasoning && way.inLoop ? reasoningOf(messages, way.ref) : {}),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id: wireId(id, MOST_ID),
            type: 'function',
            function: { name: wireName(name), arguments: JSON.stringify(input) },
          })),
        }),
  }
}

function reasoningOf(messages: readonly AssistantMessage[], ref: string): Wire {
  for (const message of messages) {
    const told = belongs(message, { api: OPENAI, ref }) ? objectOf(message.raw?.content) : null
    const field = textOf(told?.['field'])
    if (field !== '') return { [field]: textOf(told?.['reasoning']) }
  }
  return {}
}

function contentOf(text: string, { flags }: Way): string | readonly JsonObject[] {
  const whole = wellFormed(text)
  return flags.contentString ? whole : [{ type: 'text', text: whole }]
}
