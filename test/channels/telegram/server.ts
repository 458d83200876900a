/**
 * A Bot API on loopback with faults by script: holds long polls, confirms by offset, keeps what is sent.
 * `fault` may refuse the n-th call of a method, let it hang, or cut it before or after it was carried out.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const TOKEN = '123456:scripted-token'
export const BOT = { id: 99, is_bot: true, first_name: 'Neo', username: 'neo_test_bot' }

export interface SentMessage {
  readonly chat: string
  readonly text: string
  readonly id: number
  readonly payload: Readonly<Record<string, unknown>>
}

export type Fault =
  | { readonly code: number; readonly description: string; readonly parameters?: object }
  | { readonly html: number }
  | 'stall'
  /** The connection ends without an answer; nothing was done. */
  | 'cut'
  /** The same after it was done. */
  | 'lost'

export interface Script {
  fault?(method: string, nth: number, payload: Readonly<Record<string, unknown>>): Fault | null
  members?: Readonly<Record<string, readonly number[]>>
  /** Accounts that have left their group while they were restricted in it. */
  readonly restricted?: readonly number[]
  file?: Buffer
  /** Files are asked for, and nothing comes yet. */
  fileWaits?(): boolean
}

export interface TelegramServer {
  readonly url: string
  readonly sent: SentMessage[]
  readonly edits: Readonly<Record<string, unknown>>[]
  readonly calls: { readonly method: string; readonly payload: Readonly<Record<string, unknown>> }[]
  count(method: string): number
  /** Puts an update; gives its id. */
  put(update: Readonly<Record<string, unknown>>): number
  /** A text in a chat, from the account of the same number where it is private. */
  text(chat: number, text: string, more?: Readonly<Record<string, unknown>>): number
  press(chat: number, from: number, data: string, message?: number): number
  /** Serves the last `count` updates again, whatever was confirmed. */
  double(count: number): void
}

export async function startTelegram(
  script: Script = {},
  tls: { readonly key: string; readonly cert: string } | null = null,
): Promise<TelegramServer> {
  const state = new State(script)
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    void state.serve(request, response).catch(() => {})
  const server = tls === null ? createServer(serve) : createTlsServer(tls, serve)
  // A connection that is closed just as it is used again looks as if an answer were lost.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return state.as(`http${tls === null ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

type Payload = Readonly<Record<string, unknown>>

class State {
  readonly sent: SentMessage[] = []
  readonly edits: Payload[] = []
  readonly calls: { readonly method: string; readonly payload: Payload }[] = []
  private readonly updates: (Payload & { readonly update_id: number })[] = []
  private confirmed = 0
  private made = 1000
  private message = 500
  private wake: (() => void)[] = []

  constructor(private readonly script: Script) {}

  as(url: string): TelegramServer {
    return {
      url,
      sent: this.sent,
      edits: this.edits,
      calls: this.calls,
      count: (method) => this.calls.filter((call) => call.method === method).length,
      put: (update) => this.put(update),
      text: (chat, text, more = {}) =>
        this.put({ message: { ...this.base(chat), from: person(chat), text, ...more } }),
      press: (chat, from, data, message = 1) =>
        this.put({
          callback_query: {
            id: `c${this.made}`,
            from: person(from),
            data,
            chat_instance: 'x',
            message: { ...this.base(chat), message_id: message, text: 'May it?' },
          },
        }),
      double: (count) => {
        this.confirmed = Math.min(this.confirmed, (this.updates.at(-count)?.update_id ?? 1) - 1)
        this.ring()
      },
    }
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    if (path.startsWith('/file/')) {
      while (this.script.fileWaits?.() === true && !response.closed)
        await new Promise((resolve) => setTimeout(resolve, 20))
      response.end(this.script.file ?? Buffer.from('bytes'))
      return
    }
    const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(path) ?? []
    const payload = await bodyOf(request)
    this.calls.push({ method, payload })
    if (token !== TOKEN)
      return answer(response, 401, { ok: false, error_code: 401, description: 'Unauthorized' })
    const nth = this.calls.filter((call) => call.method === method).length
    const fault = this.script.fault?.(method, nth, payload) ?? null
    if (fault === 'stall') return
    if (fault === 'cut') return void request.socket.destroy()
    if (fault !== null && fault !== 'lost') return refuse(response, fault)
    const result = await this.carryOut(method, payload, response)
    if (fault === 'lost') return void request.socket.destroy()
    answer(response, 200, { ok: true, result })
  }

  private async carryOut(method: string, payload: Payload, response: ServerResponse): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return BOT
      case 'getUpdates':
        return this.poll(payload, response)
      case 'sendMessage':
        return this.send(payload)
      case 'editMessageText':
        this.edits.push(payload)
        return {
          message_id: payload['message_id'],
          date: 1,
          chat: { id: payload['chat_id'], type: 'private' },
        }
      case 'getFile':
        return { file_id: payload['file_id'], file_unique_id: 'u', file_path: 'photos/one.jpg' }
      case 'getChatMember': {
        const inside = this.script.members?.[String(payload['chat_id'])] ?? []
        if (this.script.restricted?.includes(Number(payload['user_id'])) === true)
          return { status: 'restricted', is_member: false }
        return { status: inside.includes(Number(payload['user_id'])) ? 'member' : 'left', user: person(1) }
      }
      case 'getChatMemberCount':
        return (this.script.members?.[String(payload['chat_id'])] ?? []).length + 1
      default:
        return true
    }
  }

  private async poll(payload: Payload, response: ServerResponse): Promise<unknown> {
    const offset = Number(payload['offset'] ?? 0)
    if (offset > 0) this.confirmed = Math.max(this.confirmed, offset - 1)
    const end = Date.now() + Number(payload['timeout'] ?? 0) * 1_000
    for (;;) {
      const found = this.updates.filter(({ update_id: id }) => id > this.confirmed).slice(0, 100)
      if (found.length > 0 || Date.now() >= end || response.closed) return found
      await new Promise<void>((resolve) => {
        this.wake.push(resolve)
        setTimeout(resolve, 200)
      })
    }
  }

  private send(payload: Payload): unknown {
    const id = ++this.message
    const chat = String(payload['chat_id'])
    this.sent.push({ chat, text: String(payload['text']), id, payload })
    return { message_id: id, date: 1, chat: { id: Number(chat), type: 'private' }, text: payload['text'] }
  }

  private put(update: Payload): number {
    const id = ++this.made
    this.updates.push({ update_id: id, ...update })
    this.ring()
    return id
  }

  private ring(): void {
    for (const wake of this.wake.splice(0)) wake()
  }

  private base(chat: number): Payload {
    const type = chat < 0 ? 'supergroup' : 'private'
    return { message_id: ++this.message, date: 1_772_355_600, chat: { id: chat, type } }
  }
}

function person(id: number): Payload {
  return { id: Math.abs(id), is_bot: false, first_name: `Person ${id}` }
}

async function bodyOf(request: IncomingMessage): Promise<Payload> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString('utf8')
  if (request.headers['content-type']?.startsWith('multipart/') === true) return formOf(text)
  return text === '' ? {} : (JSON.parse(text) as Payload)
}

/** Fields and files of a form, as texts; a file is `<name>: <text>`. */
function formOf(text: string): Payload {
  const fields = [
    ...text.matchAll(
      /name="?([^"\r\n;]+)"?(?:; ?filename="?([^"\r\n;]+)"?)?[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/gi,
    ),
  ]
  return Object.fromEntries(
    fields.map(([, name = '', file, value]) => [
      file === undefined ? name : 'file',
      file === undefined ? value : `${file}: ${value}`,
    ]),
  )
}

function refuse(response: ServerResponse, fault: Exclude<Fault, string>): void {
  if ('html' in fault) {
    response.writeHead(fault.html, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>')
    return
  }
  const { code, ...said } = fault
  answer(response, code, { ok: false, error_code: code, ...said })
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
