/**
 * A daemon of HTTP for tests of what calls it: it answers as it is told, and remembers what it was asked.
 * Invariant 1: it is real HTTP on a free port of this machine; nothing of the client is replaced.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

export interface Asked {
  readonly method: string
  readonly params: unknown
}

/** What it does with a call: JSON or text, a status, or an end in the middle of its answer. */
export type Answering = { readonly status?: number; readonly body: unknown } | 'cuts' | 'waits'

const servers: http.Server[] = []
afterAll(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

export async function httpDaemon(answer: (asked: Asked, path: string) => Answering, health = 200) {
  const asked: Asked[] = []
  let healthAsked = 0
  const server = http.createServer((request, response) => {
    if (request.url === '/healthz') {
      healthAsked++
      response.writeHead(health).end('{}')
      return
    }
    let text = ''
    request.on('data', (piece) => (text += piece))
    request.on('end', () => {
      const said = JSON.parse(text) as Asked
      asked.push(said)
      send(response, answer(said, request.url ?? ''))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, token: 'a-token-of-tests', asked, healthAsked: () => healthAsked }
}

function send(response: http.ServerResponse, answering: Answering): void {
  if (answering === 'waits') return
  if (answering === 'cuts') {
    response.writeHead(200, { 'Content-Length': 1000 })
    response.write('{"jsonrpc"', () => response.destroy())
    return
  }
  const { status = 200, body } = answering
  response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
}

export function resultOf(result: unknown): Answering {
  return { body: { jsonrpc: '2.0', id: 1, result } }
}

export function errorOf(code: number, data?: unknown): Answering {
  return { body: { jsonrpc: '2.0', id: 1, error: { code, message: `Cannot do it (${code})`, data } } }
}
