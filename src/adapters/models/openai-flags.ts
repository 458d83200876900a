/** What a provider's flags mean on the OpenAI wire. The defaults are what the most servers take. */
import type { Provider } from '../../ports/model-port.ts'

export interface OpenaiFlags {
  readonly maxCompletionTokens: boolean
  /** null: not sent. */
  readonly parallelToolCalls: boolean | null
  readonly sendReasoning: boolean
  readonly toolName: boolean
  readonly contentString: boolean
  readonly nullContent: boolean
  readonly streamUsage: boolean
  readonly stream: boolean
  readonly stopWords: boolean
  readonly assistantAfterTool: boolean
  readonly toolsAlways: boolean
  readonly thinkOpen: boolean
  readonly enableThinking: boolean | null
  readonly reasoningEffort: string | null
}

export function openaiFlags({ flags, baseUrl }: Provider): OpenaiFlags {
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
