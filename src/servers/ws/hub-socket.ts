/**
 * `GET /hub`: the hub over WebSocket, one message of JSON-RPC a text frame, both ways. The upgrade is done here and not
 * by hono's helper, which leaves sockets open that ask for other protocols. Invariant 1: an upgrade goes through the
 * same entry as every route, and is answered or closed. Invariant 2: a client that sends faster than it is answered is
 * read from no further. Invariant 3: who does not answer pings, or reads nothing, is let go; so is whose credential is
 * no longer good, at the latest when something would be taken from them or told to them.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Hub } from '../../hub/hub.ts'
import { type Backlog, backlogOf } from '../shared/client-stream.ts'
import { type Credential, hubWhileHeld } from '../shared/credentials.ts'
import { type Entry, MOST_BODY, principalOf, type Refusal, requestHead } from '../shared/entry.ts'
import { HEADERS, refusalReply } from '../shared/http-reply.ts'
import { asksToStop } from '../shared/json-rpc.ts'
import { type Conversation, converse } from '../shared/rpc-connection.ts'

export const HUB_PATH = '/hub'

/** Reasons of a close, as RFC 6455 numbers them. */
const CLOSE = { away: 1001, text: 1003, policy: 1008, fault: 1011, later: 1013 } as const
/** What is longer than a message may be is answered as such; beyond this the line is closed. */
const MOST_FRAME = 2 * MOST_BODY
/** A close that is not answered is cut after this. */
const CUT_MS = 1_000

export interface HubSockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Pings; lets go who did not answer the last one. */
  tick(): void
  close(): void
}

export interface SocketLimits {
  readonly sockets: number
  /** Messages of one client that wait to be carried out. */
  readonly waiting: number
  readonly stalledMs: number
}

export const SOCKET_LIMITS: SocketLimits = { sockets: 1_500, waiting: 32, stalledMs: 30_000 }

interface Client {
  readonly ws: WebSocket
  readonly credential: Credential
  readonly backlog: Backlog
  readonly conversation: Conversation
  alive: boolean
  waiting: number
}

export function openHubSockets(parts: {
  readonly hub: Hub
  readonly entry: Entry
  readonly limits: SocketLimits
}): HubSockets {
  const { hub, entry, limits } = parts
  const clients = new Set<Client>()
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_FRAME, perMessageDeflate: false })

  function welcome(ws: WebSocket, socket: Duplex, { credential, caller }: Admitted): void {
    const backlog = backlogOf(socket, limits.stalledMs)
    const outlet = { room: () => backlog.room(), write: (text: string) => ws.send(text, () => {}) }
    const lost = (): void => leave(client, CLOSE.policy, 'signed out')
    const conversation = converse(hubWhileHeld(hub, { entry, credential, lost }), caller, outlet)
    const client: Client = { ws, credential, backlog, conversation, alive: true, waiting: 0 }
    clients.add(client)
    ws.on('pong', () => {
      client.alive = true
    })
    ws.on('error', () => ws.terminate())
    ws.on('close', () => {
      clients.delete(client)
      backlog.close()
      conversation.close()
    })
    listenTo(client, limits)
  }

  return {
    upgrade(request, socket, head) {
      const entered = admitted(request, entry, clients.size < limits.sockets)
      if ('status' in entered) return refuse(socket, entered)
      try {
        server.handleUpgrade(request, socket, head, (ws) => welcome(ws, socket, entered))
      } catch {
        socket.destroy()
      }
    },
    tick() {
      for (const client of clients) {
        if (!entry.holds(client.credential)) leave(client, CLOSE.policy, 'signed out')
        else if (client.backlog.stalled())
          leave(client, CLOSE.later, 'the client reads too slowly: connect again for a new snapshot')
        else if (!client.alive) client.ws.terminate()
        else {
          client.alive = false
          client.ws.ping()
        }
      }
    },
    close() {
      for (const client of clients) leave(client, CLOSE.away, 'the daemon is stopping')
      server.close()
    },
  }
}

/** One after the other, stops at once; reading stops while too many wait. */
function listenTo(client: Client, { waiting }: SocketLimits): void {
  let last: Promise<void> = Promise.resolve()
  const { ws, conversation } = client
  const done = (): void => {
    client.waiting--
    if (ws.isPaused && client.waiting < waiting) ws.resume()
  }
  const lost = (): void => leave(client, CLOSE.fault, 'an answer could not be sent')
  ws.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary) return leave(client, CLOSE.text, 'binary messages are not supported')
    const text = data.toString()
    client.waiting++
    if (client.waiting >= waiting) ws.pause()
    const before = last
    const going = asksToStop(text)
      ? conversation.meanwhile(text)
      : before.then(() => conversation.receive(text))
    last = Promise.all([before, going.then(done, lost)]).then(() => {})
  })
}

function leave({ ws, conversation }: Client, code: number, reason: string): void {
  conversation.close()
  ws.close(code, reason)
  setTimeout(() => ws.terminate(), CUT_MS).unref()
}

interface Admitted {
  readonly credential: Credential
  readonly caller: Principal
}

function admitted(request: IncomingMessage, entry: Entry, isRoom: boolean): Admitted | Refusal {
  const head = requestHead(request)
  const entered = entry.enter(head)
  if (entered.kind === 'refused') return entered.refusal
  if (entered.kind === 'unknown') return { status: 401, says: 'authentication required' }
  if (head.path !== HUB_PATH) return { status: 404, says: 'not found: the WebSocket is at /hub' }
  if (head.verb !== 'GET') return { status: 405, says: 'method not allowed: use GET' }
  if (head.header('upgrade')?.toLowerCase() !== 'websocket')
    return { status: 426, says: 'upgrade required: this is a WebSocket' }
  const caller = principalOf(head, entered.credential.who)
  if ('status' in caller) return caller
  return isRoom ? { credential: entered.credential, caller } : { status: 429, says: 'too many connections' }
}

/** As the routes refuse, on the bare socket. */
function refuse(socket: Duplex, refusal: Refusal): void {
  const { text, headers } = refusalReply(refusal)
  const all = { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const { status } = refusal
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', text].join('\r\n'))
  setTimeout(() => socket.destroy(), CUT_MS).unref()
}
