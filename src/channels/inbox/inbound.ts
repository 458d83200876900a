/**
 * Incoming messages: saved, handled once and answered once. Invariant 1: an accepted message survives a kill, is handled
 * once and answered once. Invariant 2: within a scope messages run one at a time, in order (many waiting ones
 * are joined); `daemon.chats` scopes run beside each other, and a message that must wait blocks no other scope. Invariant 3: commands wait for nothing. Invariant 4: secrets are masked before anything is on disk.
 */

import { whyOf } from '../../domain/home/error.ts'
import type { Trigger } from '../../domain/plan/decision.ts'
import { saysNothing } from '../../domain/policy/known-people.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { Context } from '../../engine/context.ts'
import { isOfScope, type OfScope } from '../../engine/people/scope-board.ts'
import { noteKey, scopeStore } from '../../engine/people/scope-store.ts'
import type { Queue } from '../../store/durable-queue.ts'
import { type Commands, showTyping } from '../channel.ts'
import {
  conversationKey,
  type Inbound,
  type Place,
  placeText,
  replied,
  withoutSecrets,
} from '../channel-message.ts'
import { isInRoom } from '../channel-scopes.ts'
import type { Sending } from '../delivery/outbound.ts'
import { byInbox, type MessageHandler, type Outcome, pictured } from './by-inbox.ts'
import { byScope } from './by-scope.ts'
import { KeyedExecutor } from './keyed-executor.ts'

export interface InboundOptions {
  readonly context: Context
  readonly queue: Queue<Inbound>
  readonly sending: Pick<Sending, 'put'>
  /** Makes the daemon look at once. */
  readonly wake: () => void
  /** Why the speaker has no access there; `null` if they have. The decision is recorded. */
  readonly permit: (message: Inbound) => Promise<string | null>
  /** How many chats are answered at once. */
  readonly chats: () => number
  /** Why a room can't answer now; `null` if it can. */
  readonly blockedReason: (room: string) => string | null
  /** Where the home's own messages to a room are answered. */
  readonly places: (room: string) => readonly Place[]
  /** Something was said and answered in a scope. */
  readonly answered: (scope: string) => Promise<void>
}

/** Who carries out the commands of a channel, and shows that one of its messages is being answered. */
interface Attached {
  readonly commands: Commands
  readonly busy?: (place: Place) => () => void
}

/** How long a file of a scope may be older than what is done. */
const LOOK_MS = 1_000

export class Receiving {
  readonly #options: InboundOptions
  readonly #attached = new Map<string, Attached>()
  readonly #abort = new AbortController()
  readonly #executor: KeyedExecutor
  readonly #handlers: { readonly inbox: MessageHandler; readonly scope: MessageHandler }
  /** The last command of each chat: within one they are carried out in order. */
  readonly #commands = new Map<string, Promise<void>>()
  /** Commands that are being carried out or are next. */
  readonly #taken = new Set<string>()
  /** Which scopes talk in their room's conversation, as their files said a moment ago: thousands of messages may wait. */
  readonly #inRooms = new Map<string, { readonly until: number; readonly is: boolean }>()

  constructor(options: InboundOptions) {
    this.#options = options
    const { context, queue } = options
    const { signal } = this.#abort
    const tell = (message: Inbound, why: string) => this.#hindered(message, why)
    this.#handlers = { inbox: byInbox({ ...options, tell, signal }), scope: byScope(options) }
    this.#executor = new KeyedExecutor({
      clock: context.world.clock,
      waiting: () => queue.waiting(),
      keyOf: (message) => this.#executorKey(message),
      maxRunning: options.chats,
      work: (message, own) => this.#answer(message, own),
    })
    this.#executor.start()
  }

  /** It survives this process when it returns, and the machine when `kept` resolves. */
  accept(message: Inbound): 'new' | 'known' {
    const kept = withoutSecrets(message)
    const { queue } = this.#options
    const put = kept.kind === 'message' ? queue.putLater(kept.key, kept) : queue.put(kept.key, kept)
    if (put === 'known') return 'known'
    if (kept.channel !== 'system')
      noteKey(scopeStore(this.#options.context), kept.scope, conversationKey(kept))
    if (kept.kind === 'command') this.#command(kept)
    else this.#executor.start()
    return 'new'
  }

  kept(): Promise<void> {
    return this.#options.queue.kept()
  }

  has(key: string): boolean {
    return this.#options.queue.has(key)
  }

  /** Triggers of a room, with the images of their messages. */
  pictured(triggers: readonly Trigger[]): readonly Trigger[] {
    return pictured(this.#options.context.dir, triggers, this.#options.queue.waiting())
  }

  attach(channel: string, of: Attached): void {
    this.#attached.set(channel, of)
    for (const { item } of this.#options.queue.waiting())
      if (item.kind === 'command' && item.channel === channel) this.#command(item)
  }

  detach(channel: string): void {
    this.#attached.delete(channel)
  }

  /** Messages that wait for a turn or are having it; of one scope or of all. */
  waiting(scope?: string): number {
    const all = this.#options.queue.waiting()
    return scope === undefined ? all.length : all.filter(({ item }) => item.scope === scope).length
  }

  /** Ends what is being answered in a scope, and answers nothing there until it is released. */
  hold(scope: string): Promise<() => void> {
    return this.#executor.hold(`scope:${scope}`)
  }

  forget(of: OfScope): number {
    return this.#options.queue.forget((item) => isOfScope(item, of))
  }

  async close(): Promise<void> {
    this.#abort.abort('closed')
    await Promise.all([this.#executor.close(), ...this.#commands.values()])
  }

  #command(message: Inbound): void {
    const { key, channel, sessionKey } = message
    const handler = this.#attached.get(channel)
    if (handler === undefined || this.#taken.has(key) || this.#abort.signal.aborted) return
    this.#taken.add(key)
    const before = this.#commands.get(sessionKey) ?? Promise.resolve()
    const work = before
      .then(() => handler.commands(message))
      .catch((error: unknown) => this.#say(message, `That failed: ${whyOf(error)}`))
      .then(() => this.#options.queue.done(key))
      .catch((error: unknown) => this.#trouble(message, error))
      .finally(() => {
        this.#taken.delete(key)
        if (this.#commands.get(sessionKey) === work) this.#commands.delete(sessionKey)
      })
    this.#commands.set(sessionKey, work)
  }

  #trouble({ scope, room }: Inbound, error: unknown): void {
    this.#options.context.emit({ kind: 'trouble', text: `${scope}: ${whyOf(error)}`, room })
  }

  /** A room's own conversation is one lane, whatever scopes talk in it; every other scope is one. Commands have none. */
  #executorKey(message: Inbound): string | null {
    if (message.kind !== 'message') return null
    return this.#isInRoom(message) ? `room:${message.room}` : `scope:${message.scope}`
  }

  #isInRoom({ channel, scope }: Inbound): boolean {
    if (channel === 'system') return true
    const { context } = this.#options
    const now = context.world.clock.now()
    const known = this.#inRooms.get(scope)
    if (known !== undefined && known.until > now) return known.is
    const is = isInRoom(context, scope)
    if (this.#inRooms.size > 1_000) this.#inRooms.clear()
    this.#inRooms.set(scope, { until: now + LOOK_MS, is })
    return is
  }

  /** Returns after how many ms its key may run again. */
  async #answer(message: Inbound, own: AbortSignal): Promise<number> {
    let idle = (): void => {}
    try {
      idle = this.#typing(message)
      const signal = AbortSignal.any([own, this.#abort.signal])
      return await this.#take(message, signal)
    } catch (error) {
      this.#trouble(message, error)
      return 1_000
    } finally {
      idle()
    }
  }

  #typing(message: Inbound): () => void {
    const { context, blockedReason } = this.#options
    const busy = this.#attached.get(message.channel)?.busy
    if (busy === undefined || blockedReason(message.room) !== null) return () => {}
    const isWorked = () =>
      !this.#isInRoom(message) || context.turns.facts(true).turns.get(message.room)?.kind === 'busy'
    return showTyping({ clock: context.world.clock, isWorked, show: () => busy(message) })
  }

  async #take(message: Inbound, signal: AbortSignal): Promise<number> {
    const { context, queue, permit, answered } = this.#options
    if (message.channel !== 'system') noteKey(scopeStore(context), message.scope, conversationKey(message))
    const why = await permit(message)
    if (why !== null) {
      this.#refused(message, why)
      queue.done(message.key)
      return 0
    }
    const handler = this.#isInRoom(message) ? this.#handlers.inbox : this.#handlers.scope
    const outcome = await handler(message, signal)
    if (outcome.kind === 'rests') {
      if (outcome.why !== null) this.#hindered(message, outcome.why)
      return outcome.ms
    }
    this.#over(message, outcome)
    if (handler === this.#handlers.scope) await answered(message.scope)
    return 0
  }

  #over(message: Inbound, { text, with: others }: Outcome & { readonly kind: 'over' }): void {
    const { queue } = this.#options
    this.#reply(queue.get(others.at(-1) ?? '')?.item ?? message, text)
    queue.done(message.key, ...others)
  }

  /** In a private chat it is said; a group that does not hear somebody says nothing to them. */
  #refused(message: Inbound, why: string): void {
    const { scope, speaker, channel, isPrivate } = message
    this.#options.context.emit({ kind: 'refused', text: `${scope}: ${speaker}: ${why}` })
    if (channel !== 'system' && isPrivate) this.#say(message, why)
  }

  #hindered(message: Inbound, why: string): void {
    this.#tell(message, `wait:${message.key}`, `Message saved, not answered yet: ${why}.`)
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

  #tell(message: Inbound, key: string, text: string): void {
    if (message.channel !== 'system') this.#options.sending.put(replied(message, key, redact(text)))
  }
}
