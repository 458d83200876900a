/**
 * A server of models on loopback whose answers are scripted one by one: whole streams, statuses, and faults of the wire.
 * Takes scripts in the order of the requests; gives its address and what was asked. A request without a script is a 418.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../../src/domain/agent/model-message.ts'

export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: JsonObject
  readonly text: string
}

export type Script = (response: ServerResponse, asked: Asked) => void

export interface ModelServer {
  readonly url: string
  readonly asked: Asked[]
  readonly next: (...scripts: Script[]) => void
  /** Answers that are under way: neither ended nor was their socket closed. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

export async function startModelServer(): Promise<ModelServer> {
  const asked: Asked[] = []
  const scripts: Script[] = []
  let open = 0
  const server = createServer((request, response) => {
    open++
    response.on('close', () => open--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(text) as JsonObject,
        text,
      }
      asked.push(one)
      const script = scripts.shift() ?? says(418, 'no script for this request')
      script(response, one)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    next: (...more) => scripts.push(...more),
    open: () => open,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** A status with a body: JSON, or text as it is. */
export function says(status: number, body: unknown, headers: Record<string, string> = {}): Script {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  return (response) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }
}

/** A stream of events, and how it ends: closed, left open without a word, or with its socket destroyed. */
export function streams(
  events: readonly string[],
  ending: 'closed' | 'silent' | 'cut' = 'closed',
  headers: Record<string, string> = {},
): Script {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
    response.write(events.join(''), () => {
      if (ending === 'closed') response.end()
      // A moment, so that what was written leaves before the socket goes.
      if (ending === 'cut') setTimeout(() => response.destroy(), 20)
    })
  }
}

/** Says nothing at all, not even a status. */
export const silence: Script = () => {}
