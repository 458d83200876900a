/**
 * One request to a peer. Invariants: 1. it settles once, by the reply, an error, the time limit, the signal or the limit
 * of bytes, and then leaves no timer or listener; 2. redirects are replies like others; 3. only a kept connection that
 * the peer had closed meanwhile is tried again, once: requests are signed with a nonce, so the peer refuses a repeat.
 */
import http from 'node:http'
import type { PeerReply, PeerRequest } from '../../ports/peer-port.ts'
import { codeOf } from '../disk/fs.ts'
import { joined } from './joined-headers.ts'
import { PinnedAgent, type PinnedOptions, seenBy, Untrusted } from './pinned-agent.ts'

/** Of a reply's body. */
const MOST_BYTES = 4 * 1024 * 1024
/** Below the 65 s for which our server keeps an idle connection, so that the client closes first. */
const IDLE_MS = 55_000
const LONGEST_MS = 2 ** 31 - 1

type Failed = Exclude<PeerReply, { readonly kind: 'reply' }>

export interface Sender {
  send(request: PeerRequest, signal?: AbortSignal): Promise<PeerReply>
  /** Ends kept connections. */
  close(): void
}

/** `ca`: PEM of an authority beside the system's; set by tests. */
export function openSender(ca?: string): Sender {
  const kept = {
    keepAlive: true,
    maxSockets: 32,
    maxFreeSockets: 4,
    timeout: IDLE_MS,
    scheduling: 'lifo',
  } as const
  const more = ca === undefined ? {} : { ca }
  const agents = {
    plain: new http.Agent(kept),
    pinned: new PinnedAgent({ ...kept, ...more, maxCachedSessions: 0 }),
    once: new PinnedAgent({ keepAlive: false, maxCachedSessions: 0 }),
  }
  return {
    async send(request, signal) {
      const url = URL.canParse(request.url) ? new URL(request.url) : null
      const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ''
      if (!isUsable) return { kind: 'unreachable', why: 'the endpoint is not an http:// or https:// address' }
      const agent =
        url.protocol === 'http:' ? agents.plain : request.trust === null ? agents.once : agents.pinned
      const deadline = performance.now() + Math.min(Math.max(request.timeoutMs, 1), LONGEST_MS)
      const once = () => new Exchange({ url, request, agent, deadline, signal }).reply
      const first = await once()
      return first === 'try again' ? asFailed(await once()) : first
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function asFailed(reply: PeerReply | 'try again'): PeerReply {
  return reply === 'try again' ? { kind: 'unreachable', why: 'the connection was closed' } : reply
}

interface Sending {
  readonly url: URL
  readonly request: PeerRequest
  readonly agent: http.Agent
  /** On the monotonic clock. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

class Exchange {
  readonly reply: Promise<PeerReply | 'try again'>
  private settle: (reply: PeerReply | 'try again') => void = () => {}
  private sent: http.ClientRequest | null = null
  private hasReply = false
  private bytes = 0
  private readonly chunks: Buffer[] = []

  constructor(private readonly sending: Sending) {
    this.reply = new Promise((resolve) => {
      this.settle = resolve
    })
    const { deadline, request, signal } = sending
    const stop = () => this.fail({ kind: 'stopped', why: 'stopped' })
    const timer = setTimeout(
      () => this.fail({ kind: 'timeout', why: `no reply within ${request.timeoutMs / 1000} s` }),
      Math.max(1, deadline - performance.now()),
    )
    signal?.addEventListener('abort', stop, { once: true })
    void this.reply.then(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    })
    if (signal?.aborted) stop()
    else this.start()
  }

  private start(): void {
    const { url, request, agent, deadline } = this.sending
    const body = Buffer.from(request.body)
    const options: PinnedOptions = {
      method: request.method,
      agent,
      headers: { ...request.headers, 'content-length': String(body.length) },
      trust: request.trust,
      connectMs: Math.max(1, deadline - performance.now()),
    }
    try {
      const sent = http.request(url, { ...options, protocol: url.protocol } as http.RequestOptions)
      this.sent = sent
      sent.once('response', (reply) => this.read(reply))
      sent.on('error', (error) => this.lost(error))
      sent.once('close', () => this.lost(null))
      sent.end(body)
    } catch (error) {
      this.fail({ kind: 'unreachable', why: error instanceof Error ? error.message : String(error) })
    }
  }

  private read(reply: http.IncomingMessage): void {
    this.hasReply = true
    const seen = seenBy(reply.socket)
    reply.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      if (this.bytes > MOST_BYTES)
        this.fail({ kind: 'too-large', why: `the reply is over ${MOST_BYTES} bytes` })
      else this.chunks.push(chunk)
    })
    reply.on('error', (error) => this.lost(error))
    reply.once('end', () =>
      this.settle({
        kind: 'reply',
        status: reply.statusCode ?? 0,
        headers: joined(reply.rawHeaders),
        body: Buffer.concat(this.chunks).toString(),
        seen,
      }),
    )
  }

  private fail(reply: Failed): void {
    this.settle(reply)
    this.sent?.destroy()
  }

  /** Null: it closed without another error. Later calls change nothing (invariant 1). */
  private lost(error: Error | null): void {
    const isKept = this.sent?.reusedSocket === true && !this.hasReply
    const outcome = failureOf(error)
    if (isKept && outcome === 'closed') this.settle('try again')
    else this.fail(outcome === 'closed' ? { kind: 'unreachable', why: 'the connection was closed' } : outcome)
  }
}

function failureOf(error: Error | null): Failed | 'closed' {
  const code = codeOf(error)
  if (error instanceof Untrusted) return { kind: 'untrusted', why: error.message }
  if (error === null || code === 'ECONNRESET' || code === 'EPIPE') return 'closed'
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'too-large', why: 'its headers are too large' }
  return { kind: 'unreachable', why: REASONS[code] ?? error.message.split('\n')[0] ?? code }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host names cannot be looked up now',
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'no reply to connecting',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
}
