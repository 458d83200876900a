/** A chat service in this process and its channel, with ids that are no numbers: the least that a channel is. */
import type { Channel, Sent } from '../../src/channels/channel.ts'
import type { Inbound } from '../../src/channels/channel-message.ts'
import { asksIn } from '../../src/channels/commands/approval-buttons.ts'
import { carryOut } from '../../src/channels/commands/message-commands.ts'
import type { OpenChannel } from '../../src/channels/open-channels.ts'
import { scopeName } from '../../src/domain/policy/known-people.ts'
import { LOBBY } from '../../src/domain/policy/policy.ts'
import { splitText } from '../../src/domain/text/telegram-html.ts'
import { openPairing } from '../../src/engine/people/member-files.ts'

export const NAME = 'memory'
export const AGAIN = '(Possible duplicate)'

export class MemoryService {
  readonly texts: { readonly chat: string; readonly text: string }[] = []
  /** What it answers next, instead of taking a message. */
  readonly refusals: Sent[] = []
  typing = 0
  #made = 0
  #updates: { readonly id: number; readonly chat: string; readonly text: string }[] = []
  #heard: (update: MemoryService['updates'][number]) => void = () => {}

  get updates() {
    return this.#updates
  }

  /** Somebody writes; gives what delivers the same message again. */
  say(chat: string, text: string): () => void {
    const update = { id: ++this.#made, chat, text }
    this.#updates.push(update)
    this.#heard(update)
    return () => this.#heard(update)
  }

  /** Tells what was not confirmed, and then whatever comes. */
  listen(heard: (update: MemoryService['updates'][number]) => void): void {
    this.#heard = (update) => {
      heard(update)
      this.#updates = this.#updates.filter(({ id }) => id !== update.id)
    }
    for (const update of [...this.#updates]) this.#heard(update)
  }

  unlisten(): void {
    this.#heard = () => {}
  }
}

export function memoryChannel(service: MemoryService): Channel {
  return {
    name: NAME,
    async send({ chatId, content }, progress, signal) {
      const parts = splitText(content)
      for (let n = progress.sent; n < parts.length; n++) {
        if (signal.aborted) return { kind: 'later', why: 'closing' }
        const isAgain = progress.unsure && n === progress.sent
        progress.begin(n)
        const refused = service.refusals.shift()
        if (refused !== undefined) {
          progress.undone(n)
          return refused
        }
        service.texts.push({ chat: chatId, text: `${parts[n]}${isAgain ? `\n\n${AGAIN}` : ''}` })
        progress.did(n)
      }
      return { kind: 'sent' }
    },
    busy() {
      service.typing += 1
      return () => {}
    },
  }
}

export function openMemory(service: MemoryService): OpenChannel {
  return ({ context, hub, bus }) => {
    const { files, clock } = context.world
    const pairing = openPairing(files, clock, context.dir)
    const rooms = new Map<string, string>()
    const commands = {
      ...{ context, hub, bus, pairing, asks: asksIn(() => bus.seen()) },
      chats: { talkIn: (key: string, room: string) => void rooms.set(key, room), now: (id: string) => id },
      isKnown: () => true,
      mark: async () => false,
    }
    const detach = bus.attach(memoryChannel(service), (message) => carryOut(commands, message))
    service.listen(({ id, chat, text }) => {
      const key = `${NAME}:${chat}`
      const message: Inbound = {
        ...{ key: `${key}:${id}`, channel: NAME, chatId: chat, senderId: chat, sessionKey: key },
        ...{ speaker: 'human', scope: scopeName(key), target: 'human', room: rooms.get(key) ?? LOBBY },
        ...{ content: text, at: '2026-03-01T09:00:00Z', kind: 'command', media: [], metadata: {} },
      }
      bus.accept(message)
    })
    return async () => {
      service.unlisten()
      await detach()
    }
  }
}
