/**
 * Keeps the agent's server open beside a daemon, as neo.yaml says. Invariant 1: without `agent.id` nothing listens, and
 * without a key one is made first. Invariant 2: if it can't be opened, `neo status` says why, and it is tried again.
 */
import { whyOf } from '../domain/home/error.ts'
import type { AgentConfig } from '../domain/peer/peer.ts'
import type { Context } from '../engine/context.ts'
import { peerIn, peersIn } from '../engine/people/peer-files.ts'
import { openAgentTokens } from '../hub/rights/agent-tokens.ts'
import type { PeerAnswer, PeerIncoming, PeerListening, PeerWire } from '../ports/peer-port.ts'
import { FOLLOW_LIMITS } from './a2a/follow-task.ts'
import { openA2a } from './a2a/open-a2a.ts'
import type { AgentCore } from './agent-core.ts'
import { answerAoi, type RpcDeps } from './aoi-rpc.ts'
import type { KeyFile } from './wire/agent-key.ts'
import { isLoopbackHost, openAgentServer } from './wire/agent-server.ts'
import { Verifier } from './wire/verify-request.ts'

interface State {
  readonly at: string | null
  readonly trouble: string | null
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

export class Listener {
  private now: State = { at: null, trouble: null }
  private opened: PeerListening | null = null
  private asked = ''
  private busy: Promise<void> = Promise.resolve()
  private stopRetry = () => {}
  private isClosed = false

  constructor(private readonly options: Options) {}

  state(): State {
    return this.now
  }

  /** neo.yaml may have changed. */
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

  private tell(now: State): void {
    this.now = now
    const { troubles, troubled, world } = this.options.context
    if (now.trouble === null) troubles.delete(PART)
    else troubles.set(PART, { why: now.trouble, since: new Date(world.clock.now()).toISOString() })
    for (const call of troubled) call()
    this.options.changed()
  }
}

function urlOf({ host, tls }: AgentConfig, port: number): string {
  return `${tls === 'off' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The address that the caller used. Without TLS it is loopback, or that of a proxy with TLS. */
function calledUrl({ tls }: AgentConfig, { headers }: PeerIncoming): string {
  const host = headers['host'] ?? 'localhost'
  return `${tls === 'off' && isLoopbackHost(host.replace(/:\d+$/, '')) ? 'http' : 'https'}://${host}`
}

async function open(options: Options, config: AgentConfig): Promise<PeerListening> {
  const { context, wire, core, key, rpc, seen } = options
  const { world, home, look } = context
  key.make()
  const a2a = openA2a(core, {
    limits: FOLLOW_LIMITS,
    now: () => world.clock.now(),
    baseUrl: (incoming) => look.config().agent?.endpoint ?? calledUrl(config, incoming),
    rate: (id) => rpc.rate(id),
  })
  const verifier = new Verifier({
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
        return await a2a.answer(peer.id, incoming)
      },
      card: (peer, incoming) => JSON.stringify(a2a.card(peer?.id ?? null, incoming)),
    },
  })
}

function replied(text: string | null): PeerAnswer {
  return text === null ? { status: 202, body: '' } : { status: 200, headers: JSON_HEADERS, body: text }
}
