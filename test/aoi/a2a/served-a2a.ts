/** The A2A server behind node's HTTP server on 127.0.0.1. Who calls is the header X-Peer: signatures are tested elsewhere. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { FOLLOW_LIMITS, type FollowLimits } from '../../../src/aoi/a2a/follow-task.ts'
import { type A2a, openA2a } from '../../../src/aoi/a2a/open-a2a.ts'
import type { PeerIncoming } from '../../../src/ports/peer-port.ts'
import { type MemoryCore, memoryCore } from '../../fakes/agent-core.ts'

export interface Served {
  readonly core: MemoryCore
  readonly url: string
  /** A request as it is on the wire. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  /** The JSON of its response. */
  rpc(method: string, params: unknown, peer?: string): Promise<Reply>
}

export interface Reply {
  readonly id: unknown
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly result?: any
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly error?: any
}

export async function serveA2a(
  limits: Partial<FollowLimits> = {},
  rate: () => number | null = () => null,
): Promise<Served> {
  const core = memoryCore()
  let time = Date.UTC(2026, 5, 1)
  const now = (): number => {
    time += 1_000
    return time
  }
  const baseUrl = ({ headers }: PeerIncoming) => `http://${headers['host']}`
  const a2a = openA2a(core, { limits: { ...FOLLOW_LIMITS, ...limits }, now, baseUrl, rate })
  const server = createServer((request, response) => void serve(a2a, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const post: Served['post'] = (body, headers = {}) =>
    fetch(`${url}/a2a/v1`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'A2A-Version': '1.0',
        'X-Peer': 'pm-tanaka',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    core,
    url,
    post,
    rpc: async (method, params, peer = 'pm-tanaka') => {
      const response = await post({ jsonrpc: '2.0', id: 1, method, params }, { 'X-Peer': peer })
      return (await response.json()) as Reply
    },
  }
}

async function serve(a2a: A2a, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/.well-known/agent-card.json') {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(a2a.card(null, await incomingOf(request, response))))
    return
  }
  const answer = await a2a.answer(`${request.headers['x-peer']}`, await incomingOf(request, response))
  response.writeHead(answer.status, answer.headers)
  if (typeof answer.body === 'string') return void response.end(answer.body)
  for await (const piece of answer.body) response.write(piece)
  response.end()
}

async function incomingOf(request: IncomingMessage, response: ServerResponse): Promise<PeerIncoming> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return {
    method: `${request.method}`,
    path: `${request.url}`,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, `${value}`])),
    body: Buffer.concat(pieces).toString(),
    remoteAddress: '127.0.0.1',
    signal: gone.signal,
  }
}

export const SCOPE = [{ type: 'repository', identifier: 'acme/webapp' }]

export function question(messageId: string, more: object = {}): object {
  return {
    message: {
      messageId,
      role: 'ROLE_USER',
      parts: [{ text: 'Is login done?' }],
      metadata: { context_scope: SCOPE },
      ...more,
    },
  }
}

export function order(
  messageId: string,
  data: object = { task_type: 'fix-bug', task_params: { n: 1 } },
): object {
  return question(messageId, { parts: [{ data }] })
}

/** The events of a stream, each parsed; comments are left out. */
export async function* events(response: Response): AsyncGenerator<Reply> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      if (event.startsWith('data: ')) yield JSON.parse(event.slice(6)) as Reply
    }
  }
}
