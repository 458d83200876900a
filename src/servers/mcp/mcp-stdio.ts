/**
 * The server on two streams, one message a line: for an editor that starts us as its own process. Invariant 1: nothing
 * but messages goes to the output; a line that is no message is answered with an error, and read past. Invariant 2: at
 * most MOST_OPEN requests are at work; nothing more is read in the meantime, nor while the client reads nothing. Invariant 3:
 * what was asked before the input ended is answered, within LAST_MS.
 */
import type { Readable, Writable } from 'node:stream'
import { HUB_CODES } from '../../hub/hub.ts'
import { type Backlog, backlogOf, linesOf } from '../shared/client-stream.ts'
import { errorText, isTooDeep, RPC_LIMITS } from '../shared/json-rpc.ts'
import type { McpHome } from './mcp-tool.ts'
import { WAIT } from './mcp-tools-table.ts'
import {
  type Library,
  type Listener,
  loadLibrary,
  MOST_FOLLOWED,
  makeServer,
  type Server,
  tooMany,
} from './server.ts'
import { type Watch, watchHome } from './watch-tool.ts'

interface Following {
  readonly listener: Listener
  /** The server that speaks for this line from now on. */
  tells(server: Server, era: 'legacy' | 'modern'): void
  end(): void
}

function followChanges(home: McpHome): Following {
  const followed = new Set<string>()
  let speaker: { readonly server: Server; readonly era: 'legacy' | 'modern' } | null = null
  let watch: Promise<Watch | null> | null = null
  /** A server that has not shaken hands, or is gone, tells nobody. */
  const tell = (say: (server: Server) => Promise<void>): void => {
    if (speaker !== null) say(speaker.server).catch(() => {})
  }
  const told = {
    updated(uri: string): void {
      if (speaker?.era === 'modern' || followed.has(uri))
        tell((server) => server.sendResourceUpdated({ uri }))
    },
    listChanged: () => tell((server) => server.sendResourceListChanged()),
  }
  const wanted = async (): Promise<void> => {
    watch ??= watchHome(home, told).catch(() => {
      watch = null
      return null
    })
    await watch
  }
  return {
    listener: {
      wanted,
      async follow(uri) {
        if (followed.size >= MOST_FOLLOWED && !followed.has(uri)) throw tooMany()
        followed.add(uri)
        await wanted()
      },
      unfollow: (uri) => void followed.delete(uri),
    },
    tells(server, era) {
      speaker = { server, era }
    },
    end() {
      speaker = null
      void watch?.then((open) => open?.end())
    },
  }
}

export interface McpStdio {
  readonly home: McpHome
  readonly input: Readable
  readonly output: Writable
  /** For what goes wrong beside the protocol, one line each. */
  readonly log: (line: string) => void
}

/** Bytes of one message: a description has at most half of it. */
const MOST_MESSAGE = 2 * 1024 * 1024
const MOST_OPEN = 64
const LAST_MS = 10_000

type Transport = NonNullable<Parameters<InstanceType<Library['Server']>['connect']>[0]>
type Message = Parameters<NonNullable<Transport['onmessage']>>[0]
/** What is done before a message is handed on. */
type Before = (message: Message) => Promise<void>
const LISTEN = 'subscriptions/listen'

/** Resolves when the input has ended and what was asked is answered, or the output is gone. Throws NeoError. */
export async function serveMcp({ home, input, output, log }: McpStdio): Promise<void> {
  const library = await loadLibrary()
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const line = new Line(library, output)
  const following = followChanges(home)
  const gone = (): void => {
    line.gone()
    input.destroy()
  }
  output.once('error', gone)
  output.once('close', gone)
  const handle = serveStdio(
    ({ era }) => {
      const server = makeServer(library, home, following.listener)
      following.tells(server, era)
      return server
    },
    { transport: line, onerror: (error) => log(error.message), maxSubscriptions: 100 },
  )
  try {
    await line.read(input, async (message) => {
      if (methodOf(message) === LISTEN) await following.listener.wanted()
    })
    await line.settled(LAST_MS)
  } finally {
    output.off('close', gone)
    following.end()
    await handle.close()
  }
}

/** The line as the library wants it. */
class Line implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  private readonly library: Library
  private readonly output: Writable
  private readonly backlog: Backlog
  /** Requests at work by their ids. */
  private readonly open = new Set<string | number>()
  /** Those of them that may last, which nobody waits for at the end. */
  private readonly lasting = new Set<string | number>()
  private free: () => void = () => {}
  private isClosed = false

  constructor(library: Library, output: Writable) {
    this.library = library
    this.output = output
    this.backlog = backlogOf(output, Number.POSITIVE_INFINITY)
  }

  async start(): Promise<void> {}

  async send(message: Message): Promise<void> {
    const id = answered(message)
    try {
      await this.write(JSON.stringify(message))
    } finally {
      if (id !== null) this.done(id)
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.backlog.close()
    this.free()
    this.onclose?.()
  }

  gone(): void {
    this.open.clear()
    void this.close()
  }

  /** Until the input ends. */
  async read(input: Readable, before: Before): Promise<void> {
    try {
      for await (const text of linesOf(input, MOST_MESSAGE)) {
        if (this.isClosed) return
        if (text.trim() !== '') await this.take(text, before)
        while (this.open.size >= MOST_OPEN && !this.isClosed) await this.oneEnds()
      }
    } catch (error) {
      if (!input.destroyed) throw error
    }
  }

  /** Waits for the answers that are still to come, no longer than `ms`. */
  async settled(ms: number): Promise<void> {
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.free()
    }, ms)
    const isWanted = () => [...this.open].some((id) => !this.lasting.has(id))
    while (isWanted() && !late && !this.isClosed) await this.oneEnds()
    clearTimeout(timer)
  }

  private async take(text: string, before: Before): Promise<void> {
    const message = this.messageOf(text)
    if ('wrong' in message) return await this.write(message.wrong).catch(() => {})
    await before(message)
    if ('method' in message && 'id' in message) {
      this.open.add(message.id)
      if (isWaiting(message)) this.lasting.add(message.id)
    }
    if (methodOf(message) === 'notifications/cancelled') this.done(cancelled(message))
    this.onmessage?.(message)
    // A listening request is answered when it ends, which may be never.
    if (methodOf(message) === LISTEN && 'id' in message) this.done(message.id ?? null)
  }

  private messageOf(text: string): Message | { readonly wrong: string } {
    if (text.length > MOST_MESSAGE)
      return wrong(HUB_CODES.request, `The message is too long: at most ${MOST_MESSAGE} bytes`)
    try {
      const value: unknown = JSON.parse(text)
      if (isTooDeep(value))
        return wrong(HUB_CODES.request, `The message is nested too deep: at most ${RPC_LIMITS.depth} levels`)
      return this.library.parseJSONRPCMessage(value)
    } catch (error) {
      return error instanceof SyntaxError
        ? wrong(HUB_CODES.parse, 'Parse error')
        : wrong(HUB_CODES.request, 'Invalid Request')
    }
  }

  private async write(text: string): Promise<void> {
    await this.backlog.room()
    this.output.write(`${text}\n`)
  }

  private oneEnds(): Promise<void> {
    return new Promise((resolve) => {
      this.free = resolve
    })
  }

  private done(id: string | number | null): void {
    if (id !== null) {
      this.open.delete(id)
      this.lasting.delete(id)
    }
    this.free()
  }
}

function wrong(code: number, message: string): { readonly wrong: string } {
  return { wrong: errorText(null, { code, message }) }
}

function methodOf(message: Message): string {
  return 'method' in message ? message.method : ''
}

function isWaiting(message: Message): boolean {
  return methodOf(message) === 'tools/call' && 'params' in message && message.params?.['name'] === WAIT.name
}

function answered(message: Message): string | number | null {
  return !('method' in message) && 'id' in message ? (message.id ?? null) : null
}

function cancelled(message: Message): string | number | null {
  const id: unknown = 'params' in message ? message.params?.['requestId'] : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
