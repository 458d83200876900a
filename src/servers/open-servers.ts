/**
 * Opens the servers of a running daemon: the HTTP server with its routes, event streams and WebSockets. Invariant 1: all
 * servers share one entry and one set of credentials.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hub } from '../hub/hub.ts'
import type { Files } from '../ports/files-port.ts'
import { chatFileRoutes } from './http/message-files.ts'
import { type About, adminRoutes } from './http/admin.ts'
import { makeApp, type Route, readJsonBody } from './http/app.ts'
import { LISTEN_LIMITS, type ListenLimits, listen } from './http/listen.ts'
import { missingPage, pageRoutes, type WebFile } from './http/page.ts'
import { type Reads, readsRoute, rpcRoute } from './http/rpc-route.ts'
import { type McpHttp, openMcpHttp } from './mcp/http.ts'
import { Credentials, type KeptSignIns } from './shared/credentials.ts'
import { type Entry, NO_EDITOR, openEntry, RATES, type Rates } from './shared/entry.ts'
import { refusalReply } from './shared/http-reply.ts'
import { type EventStreams, openEventStreams, STREAM_LIMITS, type StreamLimits } from './sse/events.ts'
import { HUB_PATH, openHubSockets, SOCKET_LIMITS, type SocketLimits } from './ws/hub-socket.ts'

export interface ServersLimits {
  readonly listen: ListenLimits
  readonly streams: StreamLimits
  readonly sockets: SocketLimits
  readonly rates: Rates
  /** Between pings. */
  readonly tickMs: number
}

export const SERVERS_LIMITS: ServersLimits = {
  listen: LISTEN_LIMITS,
  streams: STREAM_LIMITS,
  sockets: SOCKET_LIMITS,
  rates: RATES,
  tickMs: 15_000,
}

export interface ServersOptions {
  readonly hub: Hub
  readonly about: About
  readonly files: Files
  /** The home's folder. */
  readonly home: string
  readonly now: () => number
  readonly host: string
  readonly port: number
  /** `any`: if the port is taken, use another one. */
  readonly otherwise: 'any' | 'fail'
  /** The configured token as it is now; null: one is made. */
  readonly token: () => string | null
  /** The member whose token has this SHA-256; absent: members have none. */
  readonly memberOf?: (hash: string) => string | null
  readonly limits?: Partial<ServersLimits>
  /** What reading commands show; absent: they read the files. */
  readonly reads?: Reads
}

export interface RunningServers {
  /** Without a slash at its end. */
  readonly url: string
  /** The token in force. */
  token(): string
  /** The page's link, with a code for one sign-in in its fragment. */
  link(): string
  close(): Promise<void>
}

/** Rejects with node's error if it can't listen. */
export async function openServers(options: ServersOptions): Promise<RunningServers> {
  const limits = { ...SERVERS_LIMITS, ...options.limits }
  let parts: ServerParts | null = null
  const listening = await listen({
    host: options.host,
    port: options.port,
    otherwise: options.otherwise,
    limits: limits.listen,
    app: () => inside(parts).app,
    upgrade: (...upgrade) => inside(parts).sockets.upgrade(...upgrade),
  })
  const { port } = listening
  const opened = openParts(options, { port, limits })
  parts = opened
  const tick = setInterval(() => {
    opened.streams.tick()
    opened.mcp.tick()
    opened.sockets.tick()
  }, limits.tickMs).unref()
  const url = `http://${hostIn(options.host)}:${port}`
  return {
    url,
    token: () => opened.credentials.token(),
    link: () => `${url}/#code=${opened.credentials.code()}`,
    async close() {
      clearInterval(tick)
      opened.streams.close()
      await opened.mcp.close()
      opened.sockets.close()
      await listening.close()
    },
  }
}

type ServerParts = ReturnType<typeof openParts>

function openParts(options: ServersOptions, { port, limits }: { port: number; limits: ServersLimits }) {
  const { host, now, hub } = options
  const credentials = new Credentials({
    port,
    configured: options.token,
    memberOf: options.memberOf ?? (() => null),
    now,
    kept: keptSignIns(options),
  })
  const entry = openEntry({ place: { host, port }, credentials, now, rates: limits.rates })
  const streams = openEventStreams({ hub, entry, limits: limits.streams })
  const sockets = openHubSockets({ hub, entry, limits: limits.sockets })
  const mcp = openMcpHttp({
    home: { hub, principal: { kind: 'editor' }, version: options.about.version, text: textIn(options) },
    holds: (credential) => entry.holds(credential),
    stalledMs: limits.streams.stalledMs,
  })
  const routes = routesOf({ ...options, entry }, { credentials, streams, mcp })
  return {
    app: makeApp(routes, entry, () => missingPage(webFiles(options.files))),
    credentials,
    streams,
    sockets,
    mcp,
  }
}

interface Parts {
  readonly credentials: Credentials
  readonly streams: EventStreams
  readonly mcp: McpHttp
}

/** Every route that there is, the WebSocket's included. */
export function routesOf(
  options: Pick<ServersOptions, 'hub' | 'about' | 'files' | 'reads'> & { readonly entry: Entry },
  parts: Parts,
): readonly Route[] {
  const { hub, about, entry, reads } = options
  return [
    ...adminRoutes(hub, about),
    rpcRoute(hub, entry),
    ...(reads === undefined ? [] : [readsRoute(reads)]),
    eventsRoute(parts.streams),
    ...chatFileRoutes(hub),
    mcpRoute(parts.mcp),
    {
      verb: 'GET',
      path: HUB_PATH,
      who: 'known',
      answer: () => refusalReply({ status: 426, says: 'upgrade required: this is a WebSocket' }),
    },
    ...pageRoutes(webFiles(options.files), parts.credentials),
  ]
}

function eventsRoute(streams: EventStreams): Route {
  return {
    verb: 'GET',
    path: '/events',
    who: 'known',
    async answer({ head, credential, outgoing, queries }) {
      if (credential === null) return refusalReply({ status: 401, says: 'authentication required' })
      const since = head.header('last-event-id') ?? queries('since')[0] ?? null
      await streams.open({ channels: queries('channel'), since, credential, outgoing })
      return 'taken'
    },
  }
}

function mcpRoute(mcp: McpHttp): Route {
  return {
    verb: 'POST',
    path: '/mcp',
    who: 'known',
    async answer({ incoming, outgoing, credential }) {
      const body = await readJsonBody(incoming)
      if ('refusal' in body) return refusalReply(body.refusal)
      if (credential === null) return refusalReply({ status: 401, says: 'authentication required' })
      if (credential.who.kind !== 'human') return refusalReply(NO_EDITOR)
      return await mcp.answer({ text: body.text, headers: incoming.headers, credential, outgoing })
    },
  }
}

/** What resources show: files of the home, at paths that the hub has given. */
function textIn({ files, home }: Pick<ServersOptions, 'files' | 'home'>): (path: string) => string | null {
  return (path) => {
    const read = files.read(join(home, path), MOST_SHOWN)
    return read.kind === 'file' ? read.bytes.toString('utf8') : null
  }
}

const MOST_SHOWN = 1024 * 1024
const WEB = fileURLToPath(new URL('../../dist/page', import.meta.url))
const MOST_WEB = 1024 * 1024

/** Each file is read once, at its first use. Missing files are not cached: a client can ask for any number of names. */
function webFiles(files: Files): WebFile {
  const known = new Map<string, string>()
  return (name) => {
    const text = known.get(name)
    if (text !== undefined) return text
    const read = files.read(join(WEB, name), MOST_WEB)
    if (read.kind !== 'file') return ''
    const found = read.bytes.toString('utf8')
    known.set(name, found)
    return found
  }
}

/** `.neo/sign-ins.json`, which only this user can read. */
function keptSignIns({ files, home }: Pick<ServersOptions, 'files' | 'home'>): KeptSignIns {
  const path = join(home, '.neo', 'sign-ins.json')
  return {
    load: () => files.readJson(path),
    save: (value) => {
      try {
        files.writeJson(path, value)
      } catch {
        // The disk is full or read-only: browsers sign in again after a restart.
      }
    },
  }
}

function hostIn(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** The socket listens a moment before what is behind it is there; nothing is read in between. */
function inside(parts: ServerParts | null): ServerParts {
  if (parts === null) throw new Error('the parts are not open yet')
  return parts
}
