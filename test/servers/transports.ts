/**
 * The four ways to the hub as one kind of line: texts go out, answers and events come back.
 * Takes a hub; gives a line. What has no answer is told by the answer to a question that is asked after it.
 */
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Hub, HubEvent } from '../../src/hub/hub.ts'
import { converse, serveStdio } from '../../src/servers/shared/rpc-connection.ts'
import { until } from '../path/home.ts'
import { makeDoor, type OpenedDoor } from './door.ts'

export interface Line {
  /** The answer's text; null where nothing is answered. */
  ask(text: string): Promise<string | null>
  /** Events from now on, until `end`. Throws `{code}` where the channel is refused. */
  listen(channel: string, since?: number): Promise<Listening>
}

export interface Listening {
  readonly events: HubEvent[]
  end(): Promise<void>
}

export const TRANSPORTS: Readonly<Record<string, (hub: Hub) => Promise<Line>>> = {
  'in process': inProcess,
  stdio: stdio,
  WebSocket: webSocket,
  'HTTP and server-sent events': overHttp,
}

interface Duplex {
  write(text: string): void
  /** Called with each text that comes. */
  on(come: (text: string) => void): void
}

/** A line on which both sides write: answers are found by a marker that is asked after each text. */
function lineOf(duplex: Duplex): Line {
  let asked = 0
  let arrived: string[] = []
  const events: HubEvent[] = []
  duplex.on((text) => {
    const message = JSON.parse(text) as { readonly method?: string; readonly params?: HubEvent }
    if (message.method === 'event' && message.params !== undefined) events.push(message.params)
    else arrived.push(text)
  })
  async function ask(text: string): Promise<string | null> {
    const marker = `marker-${++asked}`
    arrived = []
    duplex.write(text)
    duplex.write(JSON.stringify({ jsonrpc: '2.0', id: marker, method: 'no.such', params: {} }))
    await until(() => arrived.some((answer) => answer.includes(marker)))
    return arrived.find((answer) => !answer.includes(marker)) ?? null
  }
  async function call(method: string, params: object): Promise<void> {
    const answer = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { error } = JSON.parse(answer ?? '{}') as { readonly error?: object }
    if (error !== undefined) throw Object.assign(new Error('refused'), error)
  }
  return {
    ask,
    async listen(channel, since) {
      const from = events.length
      await call('subscribe', { channel, ...(since === undefined ? {} : { since }) })
      return {
        get events() {
          return events.slice(from).filter((event) => event.channel === channel)
        },
        end: () => call('unsubscribe', { channel }),
      }
    },
  }
}

async function inProcess(hub: Hub): Promise<Line> {
  let come = (_: string): void => {}
  const outlet = { room: async () => {}, write: (text: string) => come(text) }
  const conversation = converse(hub, { kind: 'human' }, outlet)
  onTestFinished(() => conversation.close())
  let last: Promise<void> = Promise.resolve()
  return lineOf({
    write: (text) => {
      last = last.then(() => conversation.receive(text))
    },
    on: (call) => {
      come = call
    },
  })
}

async function stdio(hub: Hub): Promise<Line> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = serveStdio({ hub, principal: { kind: 'human' }, input, output })
  onTestFinished(async () => {
    input.end()
    await served
  })
  return lineOf({
    write: (text) => input.write(`${text}\n`),
    on: (call) => {
      let rest = ''
      output.on('data', (chunk) => {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) call(line)
      })
    },
  })
}

async function webSocket(hub: Hub): Promise<Line> {
  const ws = await connect(await makeDoor(hub))
  return lineOf({
    write: (text) => ws.send(text),
    on: (call) => void ws.on('message', (data) => call(data.toString())),
  })
}

export async function connect(door: OpenedDoor): Promise<WebSocket> {
  const ws = new WebSocket(`${door.url.replace('http', 'ws')}/hub`, {
    headers: { authorization: `Bearer ${door.token()}` },
  })
  onTestFinished(() => ws.terminate())
  await new Promise((resolve, reject) => ws.once('open', resolve).once('error', reject))
  return ws
}

async function overHttp(hub: Hub): Promise<Line> {
  const door = await makeDoor(hub)
  return {
    async ask(body) {
      const headers = { 'content-type': 'application/json' }
      const { text } = await door.ask('/rpc', { verb: 'POST', headers, body })
      return text === '' ? null : text
    },
    async listen(channel, since) {
      const query = new URLSearchParams({ channel, ...(since === undefined ? {} : { since: String(since) }) })
      return await streamOf(door, `/events?${query}`)
    },
  }
}

/** Server-sent events as a browser reads them. */
export async function streamOf(
  door: OpenedDoor,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Listening & { readonly ids: string[]; readonly ended: Promise<void> }> {
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${door.token()}`, ...more }
  const answer = await fetch(`${door.url}${path}`, { headers, signal: abort.signal })
  if (!answer.ok) {
    const { error } = (await answer.json()) as { readonly error: object }
    throw Object.assign(new Error('refused'), error, { status: answer.status })
  }
  const events: HubEvent[] = []
  const ids: string[] = []
  const ended = (async () => {
    let rest = ''
    try {
      for await (const chunk of answer.body ?? []) {
        const blocks = (rest + Buffer.from(chunk).toString('utf8')).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) take(block)
      }
    } catch {
      // Ended by us or by the other side.
    }
  })()
  function take(block: string): void {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined) return
    events.push(JSON.parse(data) as HubEvent)
    ids.push(/^id: (.*)$/m.exec(block)?.[1] ?? '')
  }
  const end = async (): Promise<void> => {
    abort.abort()
    await ended
  }
  onTestFinished(end)
  return { events, ids, end, ended }
}
