/**
 * The server to which agents of other homes connect. Invariants: 1. connections, headers and bodies have limits of number,
 * size and time; 2. a client that is slow or silent costs others nothing; 3. `close` ends everything within a second.
 */
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PeerListen, PeerListening } from '../../ports/peer-port.ts'
import { OpenConnections } from './open-connections.ts'
import { answerRequest } from './peer-answer.ts'

export interface ListenLimits {
  readonly connections: number
  /** From the connection, or the end of the last request, to the end of the headers. */
  readonly headersMs: number
  /** To the end of the body. */
  readonly requestMs: number
}

export const LISTEN_LIMITS: ListenLimits = { connections: 512, headersMs: 10_000, requestMs: 30_000 }

/** An idle connection is kept so long; our client ends it earlier. */
const IDLE_MS = 65_000
const MOST_HEADER_BYTES = 16 * 1024
/** What answers are in progress may still end when the server closes. */
const GRACE_MS = 500

export async function listenForPeers(
  options: PeerListen,
  limits: ListenLimits = LISTEN_LIMITS,
): Promise<PeerListening> {
  const connections = new OpenConnections(limits.connections)
  const held = { bytes: 0 }
  const server = serverOf(options, limits)
  server.on('connection', (socket: Socket) => connections.add(socket))
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    const began = () => connections.busy(request.socket)
    answerRequest(request, response, { ...options, held, began }).catch(() => response.destroy())
  })
  server.on('clientError', refuse)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // Such as too many open files: the connection is lost, the server stays.
  server.on('error', () => {})
  return { port: (server.address() as AddressInfo).port, close: () => close(server, connections) }
}

function serverOf({ tls }: PeerListen, limits: ListenLimits): http.Server | https.Server {
  const times = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    maxHeaderSize: MOST_HEADER_BYTES,
  }
  if (tls === null) return http.createServer(times)
  return https.createServer({ ...times, ...tls, handshakeTimeout: limits.headersMs })
}

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What node could not read as a request, or a TLS handshake that failed. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  const { code = '' } = error
  const { bytesWritten = 0 } = socket as Partial<Socket>
  const isOfHttp = /^(?:HPE_|ERR_HTTP_)/.test(code)
  if (!isOfHttp || !socket.writable || bytesWritten > 0) {
    socket.destroy()
    return
  }
  const status = STATUS[code] ?? '400 Bad Request'
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}

async function close(server: http.Server | https.Server, connections: OpenConnections): Promise<void> {
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()))
  connections.endIdle()
  const timer = setTimeout(() => connections.endAll(), GRACE_MS)
  await isClosed
  clearTimeout(timer)
}
