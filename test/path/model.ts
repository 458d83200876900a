/**
 * A model behind a real server of the Anthropic protocol on loopback: what it answers is decided by a script, turn by
 * turn, over the conversation that reached it.
 */
import { LLMock } from '@copilotkit/aimock'
import { onTestFinished } from 'vitest'

export interface Asked {
  /** All text of the request, system included. */
  readonly text: string
  /** What came after the model's last answer. */
  readonly last: string
  /** Answers of the model so far in this conversation. */
  readonly turn: number
  readonly tools: readonly string[]
}

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Text, or tools to call; with `text` both. */
export type Answer = string | { readonly calls: readonly Call[]; readonly text?: string }

export interface ModelServer {
  readonly url: string
  readonly asked: readonly Asked[]
  /** Lines of neo.yaml that make it the home's model. */
  readonly config: string
}

export async function startModel(script: (asked: Asked) => Answer): Promise<ModelServer> {
  const asked: Asked[] = []
  const mock = new LLMock({ port: 0, logLevel: 'silent' })
  let made = 0
  mock.addFixture({
    match: {},
    response: (request) => {
      const messages = request.messages
      const texts = messages.map((message) => textOf(message))
      const one: Asked = {
        text: texts.join('\n'),
        last: texts.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1).join('\n'),
        turn: messages.filter(({ role }) => role === 'assistant').length,
        tools: (request.tools ?? []).map((tool) => tool.function.name),
      }
      asked.push(one)
      const answer = script(one)
      const usage = { prompt_tokens: 100, completion_tokens: 10 }
      if (typeof answer === 'string') return { content: answer, usage }
      const toolCalls = answer.calls.map(({ name, input }) => ({
        name,
        arguments: JSON.stringify(input),
        id: `toolu_${made++}`,
      }))
      return answer.text === undefined ? { toolCalls, usage } : { content: answer.text, toolCalls, usage }
    },
  })
  await mock.start()
  onTestFinished(() => mock.stop())
  const config = [
    'model: fake/claude-sonnet-5-5',
    'providers:',
    `  fake: { api: anthropic, api_key: test, base_url: "${mock.url}" }`,
    'prices: { date: 2026-11-01, fake/claude-sonnet-5-5: { input: 2, output: 10 } }',
    'daemon: { settle: 0s, rescan: 1s }',
    '',
  ].join('\n')
  return { url: mock.url, asked, config }
}

function textOf(message: { readonly content?: unknown; readonly tool_calls?: unknown }): string {
  const { content } = message
  const own = typeof content === 'string' ? content : JSON.stringify(content ?? '')
  return message.tool_calls === undefined ? own : `${own}\n${JSON.stringify(message.tool_calls)}`
}
