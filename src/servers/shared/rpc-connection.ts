/**
 * A client on a line that both sides write to: its calls are answered in their order, and it may subscribe. Used by
 * WebSocket, stdio and in process. Invariant 1: the answer to `subscribe` goes out before the first event of that
 * channel. Invariant 2: what ends a wait (`context.stop` and its like) is not held up by what waits before it. Invariant
 * 3: an event is written when the outlet has room for it, so that a client that does not read holds up nobody and is
 * told to resync by the hub.
 */
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import { z } from 'zod'
import { checkParameters } from '../../hub/check-parameters.ts'
import { answerTo } from './rpc-answer.ts'
import { eventText } from './event-text.ts'

export interface Outlet {
  write(text: string): void
  /** Resolves when there is room for one more; rejects when the client is gone. */
  room(): Promise<void>
}

export interface Conversation {
  /** Carries the message out and answers it; rejects where its answer cannot be written. One after the other. */
  receive(text: string): Promise<void>
  /** The same for a message that ends what others wait for: beside the others. */
  meanwhile(text: string): Promise<void>
  /** Ends all subscriptions. */
  close(): void
}

/** Subscriptions that one client may hold. */
export const MOST_SUBSCRIPTIONS = 200

export function converse(hub: Hub, principal: Principal, outlet: Outlet): Conversation {
  let closed = false
  let answered: Promise<void> = Promise.resolve()
  const held = holdSubscriptions({
    hub,
    principal,
    outlet,
    told: () => answered,
    isClosed: () => closed,
  })

  async function carry(method: string, params: unknown): Promise<unknown> {
    if (method === 'subscribe') return await held.subscribe(params)
    if (method === 'unsubscribe') return held.unsubscribe(params)
    return await hub.call(principal, method, params)
  }

  async function answer(text: string): Promise<void> {
    const { text: said } = await answerTo(text, carry)
    const isThere = said !== null && !closed && (await hasRoom(outlet))
    if (isThere) outlet.write(said)
  }

  return {
    async receive(text) {
      let said = (): void => {}
      answered = new Promise<void>((resolve) => {
        said = resolve
      })
      await answer(text).finally(said)
    },
    meanwhile: answer,
    close() {
      closed = true
      held.end()
    },
  }
}

/** False: the client is gone. */
async function hasRoom(outlet: Outlet): Promise<boolean> {
  return await outlet.room().then(
    () => true,
    () => false,
  )
}

interface Holding {
  readonly hub: Hub
  readonly principal: Principal
  readonly outlet: Outlet
  /** Resolves when the answer under way was given: events come after it. */
  readonly told: () => Promise<void>
  readonly isClosed: () => boolean
}

/** One client's subscriptions, one a channel. */
function holdSubscriptions({ hub, principal, outlet, told, isClosed }: Holding): {
  subscribe(params: unknown): Promise<unknown>
  unsubscribe(params: unknown): unknown
  end(): void
} {
  const held = new Map<string, () => void>()
  return {
    async subscribe(params) {
      const of = subscriptionOf(params)
      const { channel } = of
      if (held.size >= MOST_SUBSCRIPTIONS && !held.has(channel))
        throw new HubError(
          HUB_CODES.busy,
          `Cannot subscribe: a connection can have at most ${MOST_SUBSCRIPTIONS} channels`,
        )
      const before = told()
      const end = await hub.subscribe(principal, of, async (event) => {
        await before
        await outlet.room()
        outlet.write(eventText(event))
      })
      held.get(channel)?.()
      held.set(channel, end)
      if (isClosed()) end()
      return { channel }
    },
    unsubscribe(params) {
      const { channel } = subscriptionOf(params)
      const end = held.get(channel)
      end?.()
      return { channel, ended: held.delete(channel) }
    },
    end() {
      for (const end of held.values()) end()
      held.clear()
    },
  }
}

const SUBSCRIPTION = z.strictObject({ channel: z.string(), since: z.int().optional() })

/** Throws HubError `params`. */
function subscriptionOf(params: unknown): { readonly channel: string; readonly since?: number } {
  const { channel, since } = checkParameters('subscribe and unsubscribe', SUBSCRIPTION, params ?? {})
  return { channel, ...(since === undefined ? {} : { since }) }
}
