/**
 * The server over HTTP: `POST /mcp`, one message a request, each on a server of its own; changes come as an event
 * stream. Invariant 1: nothing is kept between requests: an id of a session that a client sends means nothing. Invariant
 * 2: a stream is written when the client has read so far; it ends with its credential, or when nothing is read.
 * Invariant 3: the library loads at the first request; if it is missing, that is said, and nothing else is touched.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { NeoError } from '../../domain/home/error.ts'
import { HUB_CODES } from '../../hub/hub.ts'
import { type Backlog, backlogOf } from '../shared/client-stream.ts'
import type { Credential } from '../shared/credentials.ts'
import { HEADERS, jsonReply, jsonTextReply, type Reply } from '../shared/http-reply.ts'
import { errorText, isTooDeep, RPC_LIMITS } from '../shared/json-rpc.ts'
import type { McpHome } from './mcp-tool.ts'
import { type Library, type Listener, loadLibrary, makeServer, tooMany } from './server.ts'
import { type Watch, watchHome } from './watch-tool.ts'

type Bus = InstanceType<Library['InMemoryServerEventBus']>

interface CountedBus {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly listener: Listener
  /** Looks already, for a stream that is about to listen; returns what says that it listens, or will not. */
  before(): Promise<() => void>
}

function countedBus(library: Library, home: McpHome): CountedBus {
  const bus = new library.InMemoryServerEventBus()
  let watch: Promise<Watch | null> | null = null
  /** Streams that are about to listen. */
  let coming = 0
  const told = {
    updated: (uri: string) => bus.publish({ kind: 'resource_updated', uri }),
    listChanged: () => bus.publish({ kind: 'resources_list_changed' }),
  }
  const begin = async (): Promise<void> => {
    watch ??= watchHome(home, told).catch(() => null)
    await watch
  }
  const end = (): void => {
    if (bus.listenerCount > 0 || coming > 0) return
    void watch?.then((open) => open?.end())
    watch = null
  }
  return {
    bus: {
      publish: (event) => bus.publish(event),
      subscribe(on) {
        const stop = bus.subscribe(on)
        void begin()
        return () => {
          stop()
          end()
        }
      },
    },
    // A request ends with its answer: only streams follow anything.
    listener: {
      wanted: async () => {},
      follow: async () => {
        throw tooMany()
      },
      unfollow: () => {},
    },
    async before() {
      coming++
      await begin()
      return () => {
        coming--
        end()
      }
    },
  }
}

export interface McpRequest {
  readonly text: string
  readonly headers: IncomingHttpHeaders
  readonly credential: Credential
  readonly outgoing: ServerResponse
}

export interface McpHttp {
  /** `taken`: it is a stream. Never throws for what a client sends. */
  answer(request: McpRequest): Promise<Reply | 'taken'>
  /** Ends the streams of those who would not be let in any more, and of those who do not read. */
  tick(): void
  close(): Promise<void>
}

export interface McpHttpOptions {
  readonly home: McpHome
  readonly holds: (credential: Credential) => boolean
  readonly stalledMs: number
  readonly load?: () => Promise<Library>
}

const MOST_STREAMS = 200
const KEEP_ALIVE_MS = 15_000
/** What of a request the library looks at. */
const PASSED = /^(?:accept|content-type|mcp-.*)$/

interface Stream {
  readonly credential: Credential
  readonly backlog: Backlog
  readonly outgoing: ServerResponse
}

interface Handler {
  fetch(request: Request): Promise<Response>
  readonly before: CountedBus['before']
  close(): Promise<void>
}

export function openMcpHttp({ home, holds, stalledMs, load = loadLibrary }: McpHttpOptions): McpHttp {
  const streams = new Set<Stream>()
  let handler: Promise<Handler> | null = null

  function open(): Promise<Handler> {
    handler ??= load().then((library) => handlerOf(library, home))
    handler.catch(() => {
      handler = null
    })
    return handler
  }

  return {
    async answer({ text, headers, credential, outgoing }) {
      const read = readText(text)
      if ('code' in read) return jsonTextReply(errorText(null, read), 400)
      const opened = await open().catch((error: unknown) => whyNot(error))
      if ('refusal' in opened) return opened.refusal
      const gone = new AbortController()
      outgoing.once('close', () => gone.abort())
      const request = { method: 'POST', headers: passed(headers), body: text, signal: gone.signal }
      const heard = read.listens === 'yes' ? await opened.before() : () => {}
      const response = await opened.fetch(new Request('http://localhost/mcp', request)).finally(heard)
      if (!isStream(response)) return await replyOf(response)
      const stream = { credential, outgoing, backlog: backlogOf(outgoing, stalledMs) }
      streams.add(stream)
      void pipe(response, stream, holds).finally(() => streams.delete(stream))
      return 'taken'
    },
    tick() {
      for (const { credential, backlog, outgoing } of streams)
        if (!holds(credential) || backlog.stalled()) outgoing.destroy()
    },
    async close() {
      for (const { outgoing } of streams) outgoing.destroy()
      await handler?.then((opened) => opened.close()).catch(() => {})
    },
  }
}

function handlerOf(library: Library, home: McpHome): Handler {
  const { bus, listener, before } = countedBus(library, home)
  const { fetch, close } = library.createMcpHandler(
    // In the older era there is no connection for changes.
    ({ era }) => makeServer(library, home, era === 'modern' ? listener : null),
    { bus, keepAliveMs: KEEP_ALIVE_MS, maxSubscriptions: MOST_STREAMS },
  )
  return { fetch, close, before }
}

type ReadText = { readonly listens: 'yes' | 'no' } | { readonly code: number; readonly message: string }

/** As much as the library leaves to us. */
function readText(text: string): ReadText {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.length > RPC_LIMITS.batch)
      return { code: HUB_CODES.request, message: `Invalid Request: at most ${RPC_LIMITS.batch} messages` }
    if (isTooDeep(value))
      return { code: HUB_CODES.request, message: `Invalid Request: at most ${RPC_LIMITS.depth} levels deep` }
    const isListening = typeof value === 'object' && value !== null && 'method' in value
    return { listens: isListening && value.method === 'subscriptions/listen' ? 'yes' : 'no' }
  } catch {
    return { code: HUB_CODES.parse, message: 'Parse error' }
  }
}

function whyNot(error: unknown): { readonly refusal: Reply } {
  if (!(error instanceof NeoError)) throw error
  return { refusal: jsonReply({ error: { code: HUB_CODES.method, message: error.message } }, 501) }
}

function passed(headers: IncomingHttpHeaders): Headers {
  const own = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (PASSED.test(name) && value !== undefined) own.set(name, String(value))
  return own
}

function isStream({ headers, body }: Response): boolean {
  return body !== null && (headers.get('content-type') ?? '').startsWith('text/event-stream')
}

async function replyOf(response: Response): Promise<Reply> {
  const type = response.headers.get('content-type')
  const text = await response.text()
  return { status: response.status, text, ...(type === null ? {} : { headers: { 'Content-Type': type } }) }
}

/** Ends with the stream, or with the client. */
async function pipe(response: Response, stream: Stream, holds: McpHttpOptions['holds']): Promise<void> {
  const { outgoing, backlog, credential } = stream
  const reader = response.body?.getReader()
  const stop = (): void => {
    backlog.close()
    reader?.cancel().catch(() => {})
  }
  outgoing.once('close', stop)
  try {
    outgoing.writeHead(response.status, { ...HEADERS, 'Content-Type': 'text/event-stream' })
    outgoing.flushHeaders()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      await backlog.room()
      if (!holds(credential)) throw new Error('the credential is no longer valid')
      outgoing.write(next.value)
    }
    outgoing.end()
  } catch {
    outgoing.destroy()
  }
}
