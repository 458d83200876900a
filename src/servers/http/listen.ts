/**
 * The listening socket, with its limits. Invariant 1: connections are counted, and none may be slow for ever before it
 * has said what it wants. Invariant 2: a socket that asks for an upgrade is answered or closed, never left.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import type { App } from './app.ts'

export interface ListenLimits {
  readonly connections: number
  readonly headersMs: number
  readonly requestMs: number
  readonly keepAliveMs: number
  /** How often slow ones are looked for. */
  readonly checkMs: number
}

export const LISTEN_LIMITS: ListenLimits = {
  connections: 2_048,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 10_000,
  checkMs: 5_000,
}

export interface ListenOptions {
  readonly app: () => App
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly host: string
  readonly port: number
  /** `any`: if the port is taken, use another one. */
  readonly otherwise: 'any' | 'fail'
  readonly limits: ListenLimits
}

export interface Listening {
  readonly port: number
  /** Ends all connections. */
  close(): Promise<void>
}

/** Rejects with node's error if it can't listen. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = makeServer(options)
  try {
    await bind(server, options.host, options.port)
  } catch (error) {
    if (options.otherwise === 'fail' || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    await bind(server, options.host, 0)
  }
  server.on('error', () => {})
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A client that uses a connection at the last moment must not find it closed: it is kept longer than is said. */
const KEPT_MS = 5_000

function makeServer({ app, upgrade, limits }: ListenOptions): Server {
  const server = createAdaptorServer({
    fetch: (request, env) => app().fetch(request, env as never),
    // The rest of the daemon keeps the Request and Response of node.
    overrideGlobalObjects: false,
    serverOptions: {
      maxHeaderSize: 16 * 1024,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs + KEPT_MS,
      connectionsCheckingInterval: limits.checkMs,
    },
  }) as Server
  const kept = `timeout=${Math.floor(limits.keepAliveMs / 1_000)}`
  server.prependListener('request', (_, response: ServerResponse) => response.setHeader('Keep-Alive', kept))
  server.maxConnections = limits.connections
  server.maxHeadersCount = 100
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    upgrade(request, socket, head)
  })
  server.on('connection', (socket: Socket) => socket.on('error', () => {}))
  return server
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
