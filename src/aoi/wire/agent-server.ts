/**
 * The server where agents of other homes reach this one: AOI, A2A and what is public. It routes, and turns requests of
 * unknown senders away; what an agent may do is decided behind the routes. Invariants: 1. only the identity and the public
 * card are shown to unknown senders; 2. browsers are refused: a request with an `Origin` header gets 403; 3. plain HTTP only
 * on a loopback host; 4. Tailscale's headers are dropped unless the host is loopback: else others than a proxy can send them.
 */
import { resolve } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { AgentConfig, Peer } from '../../domain/peer/peer.ts'
import type { Files } from '../../ports/files-port.ts'
import type { PeerAnswer, PeerIncoming, PeerListen, PeerListening, PeerWire } from '../../ports/peer-port.ts'
import { isLoopback } from './failed-attempts.ts'
import type { Bearer, Verified, Verifier } from './verify-request.ts'

export interface AgentRoutes {
  /** JSON-RPC of AOI. */
  rpc(peer: Peer, body: string): Promise<PeerAnswer>
  a2a(peer: Peer, incoming: PeerIncoming): Promise<PeerAnswer>
  /** JSON; null: for everybody. */
  card(peer: Peer | null, incoming: PeerIncoming): string
}

export interface AgentServerOptions {
  readonly wire: Pick<PeerWire, 'listen' | 'publicKeyOf'>
  readonly config: Pick<AgentConfig, 'id' | 'host' | 'port' | 'tls'>
  /** PEM. */
  readonly key: string
  /** PEM, for `tls: self`. */
  readonly certificate: string
  readonly verify: Verifier['verify']
  readonly routes: AgentRoutes
  /** Tokens of A2A clients that can't sign. */
  readonly bearer?: Bearer
  /** For `tls` with files, relative to the home. */
  readonly files: Pick<Files, 'read'>
  readonly home: string
}

/** Of a request's body. */
const MOST_BYTES = 1024 * 1024
const MOST_PEM_BYTES = 1024 * 1024

/** Throws NeoError `config` if neo.yaml can't be carried out, and node's error if it can't listen. */
export async function openAgentServer(options: AgentServerOptions): Promise<PeerListening> {
  const { config, wire } = options
  return wire.listen({
    host: config.host,
    port: config.port,
    tls: tlsOf(options),
    mostBytes: MOST_BYTES,
    answer: answerer(options),
  })
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopback(host.replace(/^\[|\]$/g, ''))
}

function tlsOf({
  config: { tls, host },
  key,
  certificate,
  files,
  home,
}: AgentServerOptions): PeerListen['tls'] {
  if (tls === 'self') return { key, cert: certificate }
  if (tls === 'off') {
    if (isLoopbackHost(host)) return null
    throw new NeoError(
      'config',
      `Cannot listen on ${host} without TLS: "agent.tls: off" needs a loopback host`,
      {
        next: 'set agent.host to 127.0.0.1, or agent.tls to self',
      },
    )
  }
  const pem = (path: string) => {
    const read = files.read(resolve(home, path), MOST_PEM_BYTES)
    if (read.kind === 'file') return read.bytes.toString()
    const why = read.kind === 'missing' ? 'the file is missing' : read.why
    throw new NeoError('config', `Cannot read "${path}" of agent.tls: ${why}`)
  }
  return { key: pem(tls.key), cert: pem(tls.cert) }
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly answer: (incoming: PeerIncoming) => Promise<PeerAnswer> | PeerAnswer
}

function answerer(options: AgentServerOptions): PeerListen['answer'] {
  const routes = routesOf(options)
  const mayHaveProxy = isLoopbackHost(options.config.host)
  return async (incoming) => {
    const route = routes.get(incoming.path.split('?', 1)[0] ?? '')
    if (incoming.headers['origin'] !== undefined) return failure(403, 'Browsers cannot use this server')
    if (route === undefined) return failure(404, 'Not found')
    if (route.method !== incoming.method) {
      return failure(405, 'Method not allowed', { allow: route.method })
    }
    const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(incoming.headers['content-type'] ?? '')
    if (route.method === 'POST' && !isJson) return failure(415, 'The body must be application/json')
    return route.answer(mayHaveProxy ? incoming : withoutProxy(incoming))
  }
}

/** Invariant 4. */
function withoutProxy(incoming: PeerIncoming): PeerIncoming {
  const headers = Object.entries(incoming.headers).filter(([name]) => !name.startsWith('tailscale-'))
  return { ...incoming, headers: Object.fromEntries(headers) }
}

function routesOf(options: AgentServerOptions): ReadonlyMap<string, Route> {
  const { config, key, wire, verify, routes, bearer } = options
  const identity = JSON.stringify({ id: config.id, publicKey: wire.publicKeyOf(key) })
  const known =
    (answer: (peer: Peer, incoming: PeerIncoming) => ReturnType<Route['answer']>, tokens?: Bearer) =>
    (incoming: PeerIncoming) => {
      const verified = verify(incoming, tokens)
      return verified.kind === 'ok' ? answer(verified.peer, incoming) : refusal(verified)
    }
  const card = (peer: Peer | null, incoming: PeerIncoming): PeerAnswer => ({
    status: 200,
    body: routes.card(peer, incoming),
  })
  const knownCard = known(card, bearer)
  return new Map<string, Route>([
    ['/aoi/v1/identity', { method: 'GET', answer: () => ({ status: 200, body: identity }) }],
    ['/aoi/v1/rpc', { method: 'POST', answer: known((peer, { body }) => routes.rpc(peer, body)) }],
    ['/a2a/v1', { method: 'POST', answer: known(routes.a2a, bearer) }],
    [
      '/.well-known/agent-card.json',
      {
        method: 'GET',
        answer: (incoming) => (isAnonymous(incoming) ? card(null, incoming) : knownCard(incoming)),
      },
    ],
  ])
}

function isAnonymous({ headers }: PeerIncoming): boolean {
  return ['authorization', 'signature', 'signature-input'].every((name) => headers[name] === undefined)
}

/** As JSON-RPC has it, so that clients of both protocols can read it. */
function refusal({
  status,
  headers,
  code,
  message,
}: Extract<Verified, { readonly kind: 'refused' }>): PeerAnswer {
  return { status, headers, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }) }
}

function failure(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): PeerAnswer {
  return { status, headers, body: JSON.stringify({ error: message }) }
}
