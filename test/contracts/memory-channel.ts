/** A chat service in this process and its channel, with ids that are no numbers: the least that a channel is. */

import { join } from 'node:path'
import type { Channel, OpenChannel, Sent } from '../../src/channels/channel.ts'
import { asksIn } from '../../src/channels/commands/approval-buttons.ts'
import { carryOut } from '../../src/channels/commands/message-commands.ts'
import { sendParts } from '../../src/channels/delivery/send-parts.ts'
import { openChats } from '../../src/channels/inbox/chats.ts'
import { messageOf } from '../../src/channels/inbox/heard-message.ts'
import { splitText } from '../../src/domain/text/telegram-html.ts'
import { openPairing } from '../../src/engine/people/member-files.ts'

export const NAME = 'memory'
/** The private chat of the owner, whose account has a number: other ids are accounts of no known channel. */
export const OWNERS_CHAT = 'D0Ana-b.c'
const OWNER = '7'
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
    send({ chatId, content }, progress, signal) {
      const parts = splitText(content)
      return sendParts({ progress, signal }, parts.length, async (n, isUnsure) => {
        const refused = service.refusals.shift()
        if (refused !== undefined) return refused
        service.texts.push({ chat: chatId, text: `${parts[n]}${isUnsure ? `\n\n${AGAIN}` : ''}` })
        return { kind: 'sent' }
      })
    },
    busy() {
      service.typing += 1
      return () => {}
    },
  }
}

export function openMemory(service: MemoryService): OpenChannel {
  return ({ context, hub, queues }) => {
    const { files, clock } = context.world
    const pairing = openPairing(files, clock, context.dir)
    const chats = openChats(files, join(context.dir, 'queues', `${NAME}.json`))
    const listening = {
      ...{ channel: NAME, context, queues, chats, silenced: () => false },
      groups: { channel: NAME, files, folders: [], now: chats.now },
      allowFrom: () => [OWNER],
    }
    const commands = {
      ...{ context, hub, queues, pairing, chats, findAsk: asksIn(() => queues.seen()) },
      isKnown: () => true,
      mark: async () => false,
    }
    const detach = queues.attach(memoryChannel(service), (message) => carryOut(commands, message))
    service.listen(({ id, chat, text }) => {
      const message = messageOf(listening, {
        ...{ updateId: id, chatId: chat, isPrivate: true, thread: null, from: OWNER, messageId: `m${id}` },
        ...{ text, at: '2026-03-01T09:00:00Z', repliesTo: null, toBot: true, forwarded: false },
      })
      if (message !== null) queues.accept(message)
    })
    return async () => {
      service.unlisten()
      await detach()
    }
  }
}
