/** A model that answers by a script, and the parts of its answers. An unexpected question fails the test. */
import type {
  CallPart,
  JsonObject,
  Message,
  Reply,
  StopReason,
} from '../../src/domain/agent/model-message.ts'
import type { Model, ModelRequest, Models } from '../../src/ports/model-port.ts'

/** One answer: what is said, what is called, an error that is thrown, or a function of the request. */
export type Line = Reply | Error | ((request: ModelRequest) => Reply | Promise<Reply>)

export class ScriptedModel implements Model, Models {
  readonly ref = 'local/script'
  readonly requests: ModelRequest[] = []
  window: number | null = null
  #lines: Line[]

  constructor(lines: readonly Line[]) {
    this.#lines = [...lines]
  }

  open(): Model {
    return this
  }

  probe(): Promise<string | null> {
    return Promise.resolve(null)
  }

  async call(request: ModelRequest): Promise<Reply> {
    this.requests.push(request)
    const line = this.#lines.shift()
    if (line === undefined)
      throw new Error(`Unexpected question:\n${JSON.stringify(request.messages, null, 1)}`)
    if (line instanceof Error) throw line
    return typeof line === 'function' ? line(request) : line
  }

  get left(): number {
    return this.#lines.length
  }

  /** All text of the n-th request, standing text included. */
  asked(n: number): string {
    const request = this.requests.at(n)
    return request === undefined ? '' : [...request.system, ...request.messages.map(textIn)].join('\n')
  }
}

export function textIn({ parts }: Message): string {
  return parts
    .map((part) =>
      part.kind === 'call' ? JSON.stringify(part.input) : part.kind === 'image' ? part.path : part.text,
    )
    .join('\n')
}

let calls = 0

export function call(name: string, input: JsonObject = {}): CallPart {
  calls += 1
  return { kind: 'call', id: `id-${calls}`, name, input }
}

export function does(...parts: readonly CallPart[]): Reply {
  return reply(parts, 'calls')
}

export function says(text: string, stop: StopReason = 'end'): Reply {
  return reply([{ kind: 'text', text }], stop)
}

export function reply(parts: Reply['message']['parts'], stop: StopReason, note = ''): Reply {
  const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, source: 'told' } as const
  return { message: { role: 'assistant', parts }, stop, note, usage }
}
