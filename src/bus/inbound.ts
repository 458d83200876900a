/**
 * What comes in: kept on disk, put before the Neo of its room once, and answered once where it was said.
 * Takes inbound messages; gives replies to outbound.ts. Leaves to flow/: Neo's turn; to the channel: commands.
 * Invariant 1: what was accepted survives a kill, is handled once and is answered once.
 * Invariant 2: a room hears one message at a time, so that each reply belongs to one message (many that have waited are
 * one: catch-up.ts); the scopes that wait for a room take turns, and within a scope the order is kept.
 * Invariant 3: commands wait for nothing.
 */
import { join } from 'node:path'
import { saysNothing } from '../core/rules/people.ts'
import { redact } from '../core/rules/redact.ts'
import type { Context } from '../flow/context.ts'
import { deskOf, noteKey } from '../flow/scopes.ts'
import { joined, togetherWith } from './catch-up.ts'
import { type Answer, answerAt, letterPath, letterText } from './letter.ts'
import { type Inbound, type Place, placeText } from './message.ts'
import { pauseFor, type Sending } from './outbound.ts'
import type { Queue } from './queue.ts'

export interface InboundOptions {
  readonly context: Context
  readonly queue: Queue<Inbound>
  readonly sending: Pick<Sending, 'put'>
  /** Makes the daemon look at once. */
  readonly wake: () => void
  /** Why the speaker may not talk in that room; null where they may. The decision is recorded. */
  readonly permit: (message: Inbound) => Promise<string | null>
  /** How many chats are waited for at once. */
  readonly chats: () => number
  /** Why a room hears nothing now; null where it does. */
  readonly hindrance: (room: string) => string | null
  /** Where the home's own messages to a room are answered. */
  readonly places: (room: string) => readonly Place[]
}

/** Carries a command out and puts its answer; called again with the same message after a kill. */
export type Commands = (message: Inbound) => Promise<void>

export interface Receiving {
  /** Kept on disk when it returns. */
  accept(message: Inbound): 'new' | 'known'
  has(key: string): boolean
  /** Who carries out the commands of a channel, and shows that one of its messages is being answered. */
  attach(
    channel: string,
    of: { readonly commands: Commands; readonly busy?: (place: Place) => () => void },
  ): void
  detach(channel: string): void
  /** Messages that wait for a turn or are having it. */
  waiting(): number
  close(): Promise<void>
}

const LOOK_MS = 25
const LONGEST_LOOK_MS = 500
/** A message that has been in neither place for so long comes no more. */
export const GONE_MS = 10_000

export function openInbound(options: InboundOptions): Receiving {
  return new Incoming(options)
}

class Incoming implements Receiving {
  readonly #options: InboundOptions
  readonly #attached = new Map<string, Parameters<Receiving['attach']>[1]>()
  readonly #abort = new AbortController()
  /** Rooms that are waited for. */
  readonly #rooms = new Map<string, Promise<void>>()
  /** The last command of each chat: within one they are carried out in order. */
  readonly #commands = new Map<string, Promise<void>>()
  /** Commands that are being carried out or are next. */
  readonly #taken = new Set<string>()
  /** The scope that each room heard last. */
  readonly #heard = new Map<string, string>()

  constructor(options: InboundOptions) {
    this.#options = options
    this.#go()
  }

  accept(message: Inbound): 'new' | 'known' {
    if (this.#options.queue.put(message.key, message) === 'known') return 'known'
    if (message.channel !== 'system')
      noteKey(deskOf(this.#options.context), message.scope, message.sessionKey)
    if (message.kind === 'command') this.#command(message)
    else this.#go()
    return 'new'
  }

  has(key: string): boolean {
    return this.#options.queue.has(key)
  }

  attach(channel: string, of: Parameters<Receiving['attach']>[1]): void {
    this.#attached.set(channel, of)
    for (const { item } of this.#options.queue.waiting())
      if (item.kind === 'command' && item.channel === channel) this.#command(item)
  }

  detach(channel: string): void {
    this.#attached.delete(channel)
  }

  waiting(): number {
    return this.#options.queue.waiting().length
  }

  async close(): Promise<void> {
    this.#abort.abort('closed')
    await Promise.all([...this.#rooms.values(), ...this.#commands.values()])
  }

  #command(message: Inbound): void {
    const { key, channel, sessionKey } = message
    const handler = this.#attached.get(channel)
    if (handler === undefined || this.#taken.has(key) || this.#abort.signal.aborted) return
    this.#taken.add(key)
    const before = this.#commands.get(sessionKey) ?? Promise.resolve()
    const work = before
      .then(() => handler.commands(message))
      .catch((error: unknown) => this.#say(message, `Cannot do that: ${textOf(error)}`))
      .then(() => this.#options.queue.done(key))
      .catch((error: unknown) => this.#trouble(message, error))
      .finally(() => {
        this.#taken.delete(key)
        if (this.#commands.get(sessionKey) === work) this.#commands.delete(sessionKey)
      })
    this.#commands.set(sessionKey, work)
  }

  #trouble({ scope, room }: Inbound, error: unknown): void {
    this.#options.context.emit({ kind: 'trouble', text: `${scope}: ${textOf(error)}`, room })
  }

  /** Starts what may start. */
  #go(): void {
    if (this.#abort.signal.aborted) return
    for (;;) {
      if (this.#rooms.size >= this.#options.chats()) return
      const next = this.#next()
      if (next === null) return
      this.#heard.set(next.room, next.scope)
      const work = this.#answer(next).finally(() => {
        this.#rooms.delete(next.room)
        this.#go()
      })
      this.#rooms.set(next.room, work)
    }
  }

  /** The oldest message of a room that is free; of two scopes the one that was not heard last. */
  #next(): Inbound | null {
    const firsts = new Map<string, Inbound[]>()
    const scopes = new Set<string>()
    for (const { item, note } of this.#options.queue.waiting()) {
      const { kind, room, scope } = item
      if (kind !== 'message' || this.#rooms.has(room)) continue
      // What a room has been given already comes first, also after a restart.
      if (note !== null) return item
      if (scopes.has(`${room}\n${scope}`)) continue
      scopes.add(`${room}\n${scope}`)
      firsts.set(room, [...(firsts.get(room) ?? []), item])
    }
    for (const [room, items] of firsts)
      return items.find(({ scope }) => scope !== this.#heard.get(room)) ?? items[0] ?? null
    return null
  }

  async #answer(message: Inbound): Promise<void> {
    const { queue } = this.#options
    const idle = this.#attached.get(message.channel)?.busy?.(message) ?? (() => {})
    try {
      const letter = letterIn(queue.get(message.key)?.note) ?? (await this.#letter(message))
      if (letter === null) return
      await this.#give(letter)
      const answer = await this.#awaited(letter)
      if (answer === null) return
      const last = queue.get(letter.with.at(-1) ?? '')?.item ?? message
      if (answer.kind === 'answered') this.#reply(last, answer.text)
      // The first holds the letter, so it goes last.
      for (const key of [...letter.with, message.key]) queue.done(key)
    } catch (error) {
      this.#trouble(message, error)
      await pauseFor(this.#options.context.world.clock, 1_000, this.#abort.signal)
    } finally {
      idle()
    }
  }

  /** What is put before Neo; null where the speaker may not talk there, which they are told. */
  async #letter(message: Inbound): Promise<Letter | null> {
    const { queue } = this.#options
    const why = await this.#options.permit(message)
    if (why !== null) {
      this.#say(message, why)
      queue.done(message.key)
      return null
    }
    const waiting = queue.waiting().flatMap(({ item, note }) => (note === null ? [item] : []))
    const together = togetherWith(message, waiting)
    const letter = {
      path: letterPath(message),
      text: letterText(joined([message, ...together])),
      with: together.map(({ key }) => key),
    }
    queue.note(message.key, letter)
    const hindrance = this.#options.hindrance(message.room)
    if (hindrance !== null)
      this.#tell(message, `wait:${message.key}`, `Kept, but not answered yet: ${hindrance}.`)
    return letter
  }

  /** One new file, between two rounds; it is there already where a kill came after it. */
  async #give({ path, text }: Letter): Promise<void> {
    const { context, wake } = this.#options
    const { files } = context.world
    await context.line(async () => {
      if (answerAt(files, context.home, { path, text }).kind !== 'gone') return
      files.save(join(context.home, path), Buffer.from(text), null)
      context.look.wrote(path, text)
    })
    wake()
  }

  /** Null where we are closed before it. */
  async #awaited(letter: Letter): Promise<Answer | null> {
    const { context } = this.#options
    const { files, clock } = context.world
    let gone = 0
    for (let wait = LOOK_MS; ; wait = Math.min(LONGEST_LOOK_MS, wait * 1.1)) {
      const answer = answerAt(files, context.home, letter)
      if (answer.kind === 'answered') return answer
      gone = answer.kind === 'gone' ? gone + wait : 0
      if (gone > GONE_MS) return answer
      if (this.#abort.signal.aborted) return null
      await pauseFor(clock, wait, this.#abort.signal)
    }
  }

  #reply(message: Inbound, text: string): void {
    const isOwn = message.channel === 'system'
    if (text === '' || (isOwn && saysNothing(text))) return
    if (!isOwn) this.#say(message, text)
    else
      for (const place of this.#options.places(message.room))
        this.#options.sending.put({
          key: `reply:${message.key}@${placeText(place)}`,
          ...place,
          content: redact(text),
        })
  }

  #say(message: Inbound, text: string): void {
    this.#tell(message, `reply:${message.key}`, text)
  }

  #tell({ channel, chatId, thread, replyTo }: Inbound, key: string, text: string): void {
    if (channel === 'system') return
    this.#options.sending.put({
      key,
      channel,
      chatId,
      content: redact(text),
      ...(thread === undefined ? {} : { thread }),
      ...(replyTo === undefined ? {} : { replyTo }),
    })
  }
}

/** What a room was given: noted before the file is written, so that a kill changes nothing of it. */
interface Letter {
  readonly path: string
  readonly text: string
  /** Keys of the messages that stand in it after the first, in order. */
  readonly with: readonly string[]
}

function letterIn(note: unknown): Letter | null {
  const { path, text, with: others } = (note ?? {}) as Partial<Letter>
  if (typeof path !== 'string' || typeof text !== 'string' || !Array.isArray(others)) return null
  return { path, text, with: others.map(String) }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
