/**
 * Keeps the agent's server open beside a daemon, as neo.yaml says. Invariant 1: without `agent.id` nothing listens, and
 * without a key one is made first. Invariant 2: if it can't be opened, `neo status` says why, and it is tried again.
 */
import { whyOf } from '../domain/home/error.ts'
import type { AgentConfig } from '../domain/peer/peer.ts'
import type { Context } from '../engine/context.ts'
import { peerIn, peersIn } from '../engine/people/peer-files.ts'
import { openAgentTokens } from '../hub/rights/agent-tokens.ts'
import type { PeerAnswer, PeerListening, PeerWire } from '../ports/peer-port.ts'
import { FOLLOW_LIMITS } from './a2a/follow-task.ts'
import { openA2a } from './a2a/open-a2a.ts'
import type { AgentCore } from './agent-core.ts'
import { answerAoi, type RpcDeps } from './aoi-rpc.ts'
import type { KeyFile } from './wire/agent-key.ts'
import { openAgentServer } from './wire/agent-server.ts'
import { openVerifier } from './wire/verify-request.ts'

interface Listener {
  state(): { readonly at: string | null; readonly trouble: string | null }
  /** neo.yaml may have changed. */
  saw(): void
  close(): Promise<void>
}

interface Options {
  readonly context: Context
  readonly wire: PeerWire
  readonly core: AgentCore
  readonly key: KeyFile
  readonly rpc: RpcDeps
  /** Told of each request whose sender is known for sure. */
  seen(agentId: string): void
  /** Told when it listens, or can't. */
  changed(): void
}

const RETRY_MS = 30_000
const PART = 'agent protocol'
const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }

export function openListener(options: Options): Listener {
  return new HomeListener(options)
}

class HomeListener implements Listener {
  private readonly options: Options
  private now: ReturnType<Listener['state']> = { at: null, trouble: null }
  private opened: PeerListening | null = null
  private asked = ''
  private busy: Promise<void> = Promise.resolve()
  private stopRetry = () => {}
  private isClosed = false

  constructor(options: Options) {
    this.options = options
  }

  state(): ReturnType<Listener['state']> {
    return this.now
  }

  saw(): void {
    const { agent } = this.options.context.look.config()
    const { id, host, port, tls } = agent ?? {}
    const wanted = JSON.stringify([id, host, port, tls])
    if (wanted === this.asked || this.isClosed) return
    this.asked = wanted
    this.reopen(agent)
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.reopen(null)
    await this.busy
  }

  private reopen(config: AgentConfig | null): void {
    this.busy = this.busy.then(() => this.open(config))
  }

  private async open(config: AgentConfig | null): Promise<void> {
    this.stopRetry()
    await this.opened?.close()
    this.opened = null
    if (config === null || this.isClosed) return this.tell({ at: null, trouble: null })
    try {
      this.opened = await open(this.options, config)
      this.tell({ at: urlOf(config, this.opened.port), trouble: null })
    } catch (error) {
      this.tell({ at: null, trouble: `cannot listen on ${config.host}:${config.port}: ${whyOf(error)}` })
      this.stopRetry = this.options.context.world.clock.after(RETRY_MS, () => this.reopen(config))
    }
  }

  private tell(now: ReturnType<Listener['state']>): void {
    this.now = now
    const { troubles, troubled, world } = this.options.context
    if (now.trouble === null) troubles.delete(PART)
    else troubles.set(PART, { why: now.trouble, since: new Date(world.clock.now()).toISOString() })
    for (const call of troubled) call()
    this.options.changed()
  }
}

function urlOf({ host, tls }: AgentConfig, port: number): string {
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${tls === 'off' ? 'http' : 'https'}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

async function open(options: Options, config: AgentConfig): Promise<PeerListening> {
  const { context, wire, core, key, rpc, seen } = options
  const { world, home, look } = context
  key.make()
  const baseUrl = () => look.config().agent?.endpoint ?? urlOf(config, config.port)
  const a2a = openA2a(core, { limits: FOLLOW_LIMITS, now: () => world.clock.now(), baseUrl })
  const verifier = openVerifier({
    peers: () => peersIn(context),
    peer: (id) => peerIn(context, id),
    wire,
    self: () => config.id,
    now: () => world.clock.now(),
    tailscale: () => look.config().agent?.tailscale.enabled === true,
  })
  return await openAgentServer({
    ...{ wire, config, home, files: world.files },
    key: key.read(),
    certificate: config.tls === 'self' ? await key.certificate(config.id) : '',
    verify: (...of) => verifier.verify(...of),
    bearer: (token) => openAgentTokens(world.files, context.dir).of(token),
    routes: {
      async rpc(peer, body) {
        seen(peer.id)
        return replied(await answerAoi(rpc, peer.id, body))
      },
      async a2a(peer, incoming) {
        seen(peer.id)
        const waitMs = rpc.rate(peer.id)
        return waitMs === null ? await a2a.answer(peer.id, incoming) : tooMany(waitMs)
      },
      card: (peer) => JSON.stringify(a2a.card(peer?.id ?? null, baseUrl())),
    },
  })
}

function replied(text: string | null): PeerAnswer {
  return text === null ? { status: 202, body: '' } : { status: 200, headers: JSON_HEADERS, body: text }
}

function tooMany(waitMs: number): PeerAnswer {
  const seconds = Math.ceil(waitMs / 1_000)
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'RATE_LIMIT_EXCEEDED',
    domain: 'neo',
  }
  const error = { code: -32000, message: 'Too many requests; try again later', data: [info] }
  return {
    status: 429,
    headers: { ...JSON_HEADERS, 'Retry-After': String(seconds) },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  }
}
