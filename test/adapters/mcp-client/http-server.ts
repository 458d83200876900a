/** A real server of tools over streamable HTTP on loopback, for tests: one tool, `hello`. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import * as z from 'zod'

export interface HttpServer {
  readonly url: string
  /** Of each request so far. */
  readonly authorizations: readonly string[]
}

export async function serveHttp(): Promise<HttpServer> {
  const authorizations: string[] = []
  const handler = createMcpHandler(build)
  const server = createServer(async (request, response) => {
    authorizations.push(request.headers.authorization ?? '')
    const answer = await handler.fetch(await requestOf(request))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, authorizations }
}

function build(): McpServer {
  const server = new McpServer({ name: 'web', version: '1.0.0' }, { capabilities: { tools: {} } })
  const inputSchema = z.object({ name: z.string() })
  server.registerTool(
    'hello',
    { description: 'Greets.', inputSchema, annotations: { readOnlyHint: true } },
    async ({ name }) => ({ content: [{ type: 'text', text: `hello ${name}` }] }),
  )
  return server
}

async function requestOf(request: IncomingMessage): Promise<Request> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string') headers.set(name, value)
  const { method = 'GET' } = request
  const body = pieces.length === 0 ? {} : { body: Buffer.concat(pieces) }
  return new Request(`http://127.0.0.1${request.url ?? '/'}`, { method, headers, ...body })
}
