/**
 * A Bot API with messages that wait, and a model that names the messages it was shown, on one port of loopback.
 * Takes how many messages of how many chats; gives when all were answered. Throws away nothing: a message that is answered
 * twice ends the measurement.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const TOKEN = '123456:bench-token'

export interface Bots {
  readonly url: string
  /** From the first request for updates to the last answer, in ms; null: not all are answered. Throws for a double. */
  took(): number | null
  answers(): number
  close(): void
}

interface State {
  readonly messages: number
  readonly chats: number
  readonly answered: Set<number>
  answers: number
  begun: number
  ended: number
  doubled: number | null
}

const numbersIn = (text: string): number[] => [...text.matchAll(/number (\d+)/g)].map(([, n]) => Number(n))

export async function startBots(messages: number, chats: number): Promise<Bots> {
  const state: State = {
    ...{ messages, chats, answered: new Set<number>() },
    ...{ answers: 0, begun: Number.NaN, ended: Number.NaN, doubled: null },
  }
  const server = createServer((request, response) => void serve(state, request, response))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    took() {
      if (state.doubled !== null) throw new Error(`Message ${state.doubled} was answered twice`)
      return Number.isNaN(state.ended) ? null : state.ended - state.begun
    },
    answers: () => state.answers,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Readonly<Record<string, unknown>>
  if (request.url === '/v1/chat/completions') return modelSays(response, body)
  const method = /\/(\w+)$/.exec(request.url ?? '')?.[1] ?? ''
  const result = await resultOf(state, method, body)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ok: true, result }))
}

async function resultOf(
  state: State,
  method: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (method === 'getMe') return { id: 99, is_bot: true, first_name: 'Neo', username: 'bench_bot' }
  if (method === 'getUpdates') return updates(state, Number(body['offset'] ?? 0))
  if (method !== 'sendMessage') return true
  sent(state, String(body['text']))
  return { message_id: state.answers, date: 0, chat: { id: Number(body['chat_id']), type: 'private' } }
}

async function updates(state: State, offset: number): Promise<readonly unknown[]> {
  if (Number.isNaN(state.begun)) state.begun = performance.now()
  const from = Math.max(1, offset)
  const ids = Array.from({ length: 100 }, (_, n) => from + n).filter((id) => id <= state.messages)
  if (ids.length === 0) await new Promise((done) => setTimeout(done, 1_000))
  return ids.map((id) => {
    const chat = 1 + (id % state.chats)
    const from = { id: chat, is_bot: false, first_name: 'P' }
    const message = {
      message_id: id,
      date: 0,
      from,
      chat: { id: chat, type: 'private' },
      text: `number ${id}`,
    }
    return { update_id: id, message }
  })
}

function sent(state: State, text: string): void {
  state.answers += 1
  for (const number of numbersIn(text)) {
    if (state.answered.has(number)) state.doubled = number
    state.answered.add(number)
  }
  if (state.answered.size === state.messages) state.ended = performance.now()
}

/** What came last is what is to be answered. */
function modelSays(response: ServerResponse, { messages }: Readonly<Record<string, unknown>>): void {
  const last = JSON.stringify((messages as readonly unknown[]).at(-1))
  const asked = numbersIn(last.slice(Math.max(0, last.lastIndexOf('<message'))))
  const content = `Of ${asked.map((n) => `number ${n}`).join(', ')}.`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunks = [
    { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } },
  ]
  response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`)
}
