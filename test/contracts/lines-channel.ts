/** A second channel, for the service of `lines-service.ts`: all that a channel has to say for itself. */

import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Channel } from '../../src/channels/channel.ts'
import { type ChatService, openChatService, type ServiceAt } from '../../src/channels/chat-service.ts'
import { buttonsOf, withRequest } from '../../src/channels/commands/approval-buttons.ts'
import { networkKind, sendParts, sentAs } from '../../src/channels/delivery/send-parts.ts'
import type { HeardText } from '../../src/channels/inbox/heard-message.ts'
import { splitText } from '../../src/domain/text/telegram-html.ts'
import { pause } from '../../src/engine/bell.ts'
import type { LinesService, Row } from './lines-service.ts'

export const NAME = 'lines'
const AGAIN = '(Possible duplicate)'
const OFF_MS = 50

interface Settings {
  readonly token: string
  readonly port: number
}

export class Line {
  readonly ended: Promise<void>
  #made = 0
  readonly #waits = new Map<number, (row: Row) => void>()
  #onUpdate: (row: Row) => void = () => {}

  constructor(readonly socket: Socket) {
    createInterface({ input: socket }).on('line', (text) => {
      const row = JSON.parse(text) as Row
      if (typeof row['id'] === 'number') this.#waits.get(row['id'])?.(row)
      else this.#onUpdate(row)
    })
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        for (const wait of this.#waits.values()) wait({ error: 'closed' })
        resolve()
      })
    })
  }

  ask(row: Row): Promise<Row> {
    const id = ++this.#made
    if (this.socket.destroyed) return Promise.resolve({ error: 'closed' })
    return new Promise((resolve) => {
      this.#waits.set(id, (answer) => {
        this.#waits.delete(id)
        resolve(answer)
      })
      this.tell({ id, ...row })
    })
  }

  tell(row: Row): void {
    this.socket.write(`${JSON.stringify(row)}\n`)
  }

  listen(onUpdate: (row: Row) => void): void {
    this.#onUpdate = onUpdate
    this.tell({ do: 'listen' })
  }
}

async function connected({ token, port }: Settings): Promise<Line> {
  const socket = connect({ host: '127.0.0.1', port })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  const line = new Line(socket)
  const { error } = await line.ask({ do: 'hello', token })
  if (error !== undefined) throw new Error(String(error))
  return line
}

/** The kinds of failures that all channels share, by the words of the service. */
const KINDS: Readonly<Record<string, string>> = { busy: 'flood', closed: 'unsure' }

export function linesChannel({
  connection,
  findAsk,
}: Pick<ServiceAt<Line>, 'connection' | 'findAsk'>): Channel {
  return {
    name: NAME,
    send(message, progress, signal) {
      const parts = splitText(withRequest(findAsk, message), 4_000)
      return sendParts({ progress, signal }, parts.length, async (n, isUnsure) => {
        const open = await connection.open()
        if (open === null) return sentAs({ kind: 'network', why: 'not connected' })
        const ask = message.ask === undefined ? null : findAsk(message.ask)
        const buttons = ask === null ? [] : buttonsOf(ask, message.chatId)
        const text = `${parts[n]}${isUnsure ? `\n\n${AGAIN}` : ''}`
        const { error } = await open.ask({ do: 'send', chat: message.chatId, text, buttons })
        if (error === undefined) return { kind: 'sent' }
        return sentAs({ kind: KINDS[String(error)] ?? 'gone', why: String(error), afterMs: 0 })
      })
    },
    busy({ chatId }) {
      const shown = connection.open().then((open) => open?.tell({ do: 'typing', chat: chatId }))
      // Without a connection nothing can be shown.
      shown.catch(() => {})
      return () => {}
    },
  }
}

async function listen(
  { context, queues, connection, signal, trouble, chats }: ServiceAt<Line>,
  { hear, press, guests }: Parameters<ChatService<Settings, Line>['listen']>[1],
): Promise<void> {
  const take = async (line: Line, row: Row): Promise<void> => {
    const [chatId, from] = [String(row['chat']), String(row['from'])]
    const isPrivate = chatId === from
    const text = String(row['text'])
    const heard: HeardText = {
      ...{ updateId: Number(row['update']), chatId, isPrivate, thread: null, from, messageId: 'm1', text },
      ...{ at: '2026-03-01T09:00:00Z', repliesTo: null, toBot: true, forwarded: false },
    }
    if (row['joined'] !== undefined) await guests.changed(chatId)
    else if (typeof row['press'] === 'string') press({ ...heard, data: row['press'] })
    else hear(heard)
    await queues.kept()
    line.tell({ do: 'taken', update: row['update'] })
  }
  let heard: Line | null = null
  let last = guests.ready()
  while (!signal.aborted) {
    const line = await connection.open()
    if (line !== null && line !== heard) {
      chats.setName('lines_bot')
      trouble(null)
      line.listen((row) => {
        last = last.then(() => take(line, row))
      })
      heard = line
    }
    await Promise.race([line?.ended, pause(context.world.clock, OFF_MS, { signal })].filter(Boolean))
  }
  await last
}

export const lines: ChatService<Settings, Line> = {
  name: NAME,
  readSettings: ({ token, port }) =>
    typeof token === 'string' ? { token, port: Number(port) } : 'channels.lines has no token',
  connect: connected,
  whyNot: (error) => ({ why: `${networkKind(error)}: ${(error as Error).message}` }),
  lasting: { isOver: ({ socket }) => socket.destroyed, end: ({ socket }) => void socket.destroy() },
  channel: linesChannel,
  listen,
  roster: (line) => ({
    isInside: async (chat, account) => (await line.ask({ do: 'inside', chat, account }))['is'] === true,
    count: async (chat) => Number((await line.ask({ do: 'count', chat }))['count']),
  }),
  mark: async (line, { metadata }, outcome) =>
    (await line.ask({ do: 'mark', message: metadata['message'], outcome }))['is'] === true,
}

export const openLines: (options: Parameters<typeof openChatService>[1]) => () => Promise<void> = (options) =>
  openChatService(lines, options)

export function lineTo(service: LinesService): Promise<Line> {
  return connected({ token: 'lines-token', port: service.port })
}
