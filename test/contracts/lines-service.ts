/** A chat service on loopback: one JSON object a line. It answers requests by their id, and tells updates until they are taken. */

import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export type Row = Readonly<Record<string, unknown>>
export const TOKEN = 'lines-token'

/** What it answers to the next send, instead of taking it; `lost`: it takes it, and the answer is lost. */
export type Refusal = 'busy' | 'gone' | 'lost'

export class LinesService {
  readonly texts: { readonly chat: string; readonly text: string; readonly buttons: unknown }[] = []
  readonly refusals: Refusal[] = []
  /** Accounts in each group, without the bot. */
  readonly groups = new Map<string, Set<string>>()
  readonly marks: Row[] = []
  typing = 0
  port = 0
  #made = 0
  #updates: Row[] = []
  readonly #sockets = new Set<Socket>()
  readonly #listening = new Set<Socket>()

  async start(): Promise<this> {
    const server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        this.#listening.delete(socket)
      })
      createInterface({ input: socket }).on('line', (line) => this.#heard(socket, JSON.parse(line) as Row))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.port = (server.address() as AddressInfo).port
    onTestFinished(() => {
      for (const socket of this.#sockets) socket.destroy()
      server.close()
    })
    return this
  }

  /** Gives what delivers the same again. */
  put(update: Row): () => void {
    const row = { ...update, update: ++this.#made }
    this.#updates.push(row)
    const tell = () => this.#tell(row)
    tell()
    return tell
  }

  #tell(row: Row): void {
    for (const socket of this.#listening) socket.write(`${JSON.stringify(row)}\n`)
  }

  #heard(socket: Socket, row: Row): void {
    const { id, do: what, chat, account } = row
    const answer = (more: Row) => socket.write(`${JSON.stringify({ id, ...more })}\n`)
    const inside = this.groups.get(String(chat)) ?? new Set<string>()
    if (what === 'hello') answer(row['token'] === TOKEN ? { name: 'lines_bot' } : { error: 'wrong token' })
    else if (what === 'listen') {
      this.#listening.add(socket)
      for (const update of this.#updates) this.#tell(update)
    } else if (what === 'taken')
      this.#updates = this.#updates.filter(({ update }) => update !== row['update'])
    else if (what === 'typing') this.typing += 1
    else if (what === 'inside') answer({ is: inside.has(String(account)) })
    else if (what === 'count') answer({ count: inside.size + 1 })
    else if (what === 'mark') answer({ is: this.marks.push(row) > 0 })
    else this.#send(socket, row)
  }

  #send(socket: Socket, { id, chat, text, buttons }: Row): void {
    const refusal = this.refusals.shift()
    if (refusal === undefined || refusal === 'lost')
      this.texts.push({ chat: String(chat), text: String(text), buttons })
    if (refusal === 'lost') socket.destroy()
    else socket.write(`${JSON.stringify(refusal === undefined ? { id } : { id, error: refusal })}\n`)
  }
}
