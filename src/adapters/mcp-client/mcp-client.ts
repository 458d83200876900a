/**
 * The port McpClients: connections to servers of tools, by the official client of the protocol. Invariant 1: nothing
 * that a server does or leaves undone throws here or waits beyond its limit. Invariant 2: a server that died is started
 * once more at its next call, and no more than once for one call.
 */

import { counted } from '../../domain/text/counted.ts'
import { cut, oneLine } from '../../domain/text/one-line.ts'
import { isMap } from '../../domain/text/is-map.ts'
import type { JsonObject } from '../../domain/agent/model-message.ts'
import { installHint } from '../../domain/text/install-hint.ts'
import type { McpClients, McpConnection, McpServer, McpTool, SkippedTool } from '../../ports/mcp-port.ts'
import { readListedTools } from './listed-tools.ts'
import { type Library, loadLibrary, type Reached, reach } from './transport.ts'

/** Both fields are of the protocol, and may be missing in what a server really sends. */
function textOf({ content, structuredContent }: { content?: unknown; structuredContent?: unknown }): string {
  const blocks = Array.isArray(content) ? content.map(blockText).filter((text) => text !== '') : []
  if (blocks.length > 0) return blocks.join('\n')
  return structuredContent === undefined ? '' : JSON.stringify(structuredContent, null, 2)
}

function blockText(block: unknown): string {
  if (!isMap(block)) return ''
  switch (block['type']) {
    case 'text':
      return String(block['text'] ?? '')
    case 'resource':
      return resourceText(block['resource'])
    case 'resource_link':
      return `[${String(block['name'] ?? 'resource')}: ${String(block['uri'] ?? '')}]`
    case 'image':
    case 'audio':
      return `[${block['type']}, ${String(block['mimeType'] ?? 'of no type')}, ${counted(bytesOf(block['data']), 'byte')}]`
    default:
      return ''
  }
}

function resourceText(resource: unknown): string {
  if (!isMap(resource)) return ''
  if (typeof resource['text'] === 'string') return resource['text']
  return `[${String(resource['uri'] ?? 'resource')}, ${String(resource['mimeType'] ?? 'of no type')}, ${counted(bytesOf(resource['blob']), 'byte')}]`
}

/** Of base64. */
function bytesOf(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.replace(/=+$/, '').length * 3) / 4) : 0
}

type Client = InstanceType<Library['Client']>

interface Live {
  readonly client: Client
  readonly reached: Reached
  isDead: boolean
}

interface Limits {
  readonly ms: number
  readonly signal: AbortSignal
}

type CallLimits = Parameters<McpConnection['call']>[1]

const LIBRARY = '@modelcontextprotocol/client'
const MISSING = `the library ${LIBRARY} is not installed: ${installHint(import.meta.url, [LIBRARY])}`
const IDENTITY = { name: 'neo-rooms', version: '1' }
/** A server with more is not read to its end. */
const MOST_TOOLS = 200
const MOST_OF_DESCRIPTION = 2000

/** Opens the port. Nothing is loaded or started before a server is opened. */
export function openMcpClients(options: { readonly load?: () => Promise<Library> } = {}): McpClients {
  const { load = loadLibrary } = options
  return {
    async open(servers, limits) {
      const library = servers.length === 0 ? null : await load().catch(() => null)
      const opened = await Promise.all(
        servers.map(async (server) => {
          const connection = library === null ? { wrong: MISSING } : await connect(library, server, limits)
          return [server.name, connection] as const
        }),
      )
      return new Map(opened)
    },
  }
}

async function connect(
  library: Library,
  server: McpServer,
  limits: Limits,
): Promise<McpConnection | { readonly wrong: string }> {
  const connection = new ServerConnection(library, server, limits.ms)
  const wrong = await connection.start(limits)
  return wrong === null ? connection : { wrong }
}

class ServerConnection implements McpConnection {
  #live: Live | null = null
  #starting: Promise<string | null> | null = null
  #isClosed = false
  /** Who wants to know what the server says beside its answers. */
  readonly #listeners = new Set<(line: string) => void>()
  tools: readonly McpTool[] = []
  leftOut: readonly SkippedTool[] = []

  constructor(
    private readonly library: Library,
    private readonly server: McpServer,
    private readonly startMs: number,
  ) {}

  /** Null, or in one line why it did not start. Calls that come beside each other start it once. */
  async start(limits: Limits): Promise<string | null> {
    this.#starting ??= this.#start(limits).finally(() => {
      this.#starting = null
    })
    return await this.#starting
  }

  async call(
    { tool, args }: { readonly tool: string; readonly args: JsonObject },
    { ms, signal, said }: CallLimits,
  ): ReturnType<McpConnection['call']> {
    const wrong = this.#live?.isDead === false ? null : await this.start({ ms: this.startMs, signal })
    const live = this.#live
    if (wrong !== null || live === null) return { text: wrong ?? 'it is closed', isError: true }
    // Only with a listener, the library asks for progress.
    const listens = said === undefined ? {} : { onprogress: () => {} }
    const options = { timeout: ms, maxTotalTimeout: ms, signal, ...listens }
    if (said !== undefined) this.#listeners.add(said)
    const answer = live.client.callTool({ name: tool, arguments: { ...args } }, options)
    try {
      const result = await within(answer, { ms, signal })
      return { text: textOf(result), isError: result.isError === true }
    } catch (error) {
      return { text: `${lineOf(error)}${live.isDead ? saidBy(live.reached) : ''}`, isError: true }
    } finally {
      if (said !== undefined) this.#listeners.delete(said)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    const live = this.#live
    this.#live = null
    await live?.reached.end()
  }

  async #start(limits: Limits): Promise<string | null> {
    await this.#end()
    if (this.#isClosed) return 'it is closed'
    try {
      this.leftOut = []
      const live = this.#open()
      this.#live = live
      await within(live.client.connect(live.reached.transport, { timeout: limits.ms }), limits)
      const { tools } = await within(live.client.listTools(undefined, { timeout: limits.ms }), limits)
      this.tools = tools.slice(0, MOST_TOOLS).map(toolOf)
      return null
    } catch (error) {
      const said = this.#live === null ? '' : saidBy(this.#live.reached)
      await this.#end()
      return `it did not start: ${lineOf(error)}${said}`
    }
  }

  #open(): Live {
    const { Client } = this.library
    // Over HTTP a server may know the newer handshake only; a process is started once, with the handshake that all know.
    const mode = this.server.kind === 'http' ? 'auto' : 'legacy'
    const client = new Client(IDENTITY, { versionNegotiation: { mode } })
    const live: Live = { client, reached: reach(this.library, this.server), isDead: false }
    client.onclose = () => {
      live.isDead = true
    }
    client.onerror = () => {}
    // The library refuses a whole list because of one tool, so the list is mended before it is read; and it loses what a
    // server says right before its answer, so that is heard here.
    live.reached.transport.onmessage = (message) => {
      this.#mendList(message)
      this.#hear(message)
    }
    return live
  }

  #hear(message: object): void {
    const { method, params } = message as { readonly method?: unknown; readonly params?: Params | null }
    const line = saidIn(method, params ?? {})
    if (line !== null) for (const listener of this.#listeners) listener(line)
  }

  #mendList(message: object): void {
    const { result } = message as { readonly result?: { tools?: unknown } | null }
    if (!Array.isArray(result?.tools)) return
    const { tools, leftOut } = readListedTools(result.tools)
    result.tools = tools
    this.leftOut = [...this.leftOut, ...leftOut]
  }
}

type Params = Readonly<Record<string, unknown>>

/** One line for people of what a server says beside its answers; null for anything else. */
function saidIn(method: unknown, params: Params): string | null {
  if (method === 'notifications/message') {
    const { level, data } = params
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
    return shortLine(/^(?:debug|info|notice)$/.test(String(level)) ? text : `${String(level)}: ${text}`)
  }
  if (method !== 'notifications/progress') return null
  const { progress, total, message } = params
  const of = typeof total === 'number' ? ` of ${total}` : ''
  return shortLine(`${String(progress)}${of} ${typeof message === 'string' ? message : ''}`)
}

interface Listed {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: unknown
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined
}

function toolOf({ name, description = '', inputSchema, annotations }: Listed): McpTool {
  return {
    name,
    description: description.slice(0, MOST_OF_DESCRIPTION),
    schema: inputSchema as JsonObject,
    readOnly: annotations?.readOnlyHint === true,
  }
}

/** The library holds its own limits; these are for what it does not see, such as a process that reads nothing. */
async function within<T>(promise: Promise<T>, { ms, signal }: Limits): Promise<T> {
  let stop = () => {}
  const limit = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${Math.ceil(ms / 1000)} s`)), ms)
    const aborted = () => reject(new Error('stopped'))
    if (signal.aborted) aborted()
    signal.addEventListener('abort', aborted)
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
    }
  })
  promise.catch(() => {})
  try {
    return await Promise.race([promise, limit])
  } finally {
    stop()
  }
}

function saidBy({ said }: Reached): string {
  const line = said()
  return line === '' ? '' : ` (it said: ${line})`
}

function lineOf(error: unknown): string {
  return shortLine(error instanceof Error ? error.message : String(error))
}

const shortLine = (text: string) => cut(oneLine(text), 500)
