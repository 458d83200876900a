/**
 * A client on a line that both sides write to: its calls are answered in their order, and it may subscribe. Used by
 * WebSocket, stdio and in process. Invariant 1: the answer to `subscribe` goes out before the first event of that
 * channel. Invariant 2: what ends a wait (`context.stop` and its like) is not held up by what waits before it. Invariant
 * 3: an event is written when the outlet has room for it: a client that does not read delays no other, and the hub tells it
 * to resync. Invariant 4, for streams: a line that is too long is answered with an error, and the next one is read as usual;
 * lines are carried out one after the other, and nothing is read ahead of them beyond what the pipe holds.
 */

import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { checkParameters } from '../../hub/check-parameters.ts'
import { HUB_CODES, type Hub, HubError } from '../../hub/hub.ts'
import { backlogOf, linesOf } from './client-stream.ts'
import { answerTo, eventText, RPC_LIMITS } from './json-rpc.ts'

interface Outlet {
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
const MOST_SUBSCRIPTIONS = 200

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

interface StdioOptions {
  readonly hub: Hub
  readonly principal: Principal
  readonly input: Readable
  readonly output: Writable
}

/** Resolves when the input has ended and all of it is answered, or the output is gone. */
export async function serveStdio({ hub, principal, input, output }: StdioOptions): Promise<void> {
  const backlog = backlogOf(output, Number.POSITIVE_INFINITY)
  const outlet = { room: () => backlog.room(), write: (text: string) => void output.write(`${text}\n`) }
  const conversation = converse(hub, principal, outlet)
  const gone = (): void => {
    backlog.close()
    input.destroy()
  }
  output.once('error', gone)
  output.once('close', gone)
  try {
    for await (const line of linesOf(input, RPC_LIMITS.length))
      if (line.trim() !== '') await conversation.receive(line)
  } catch (error) {
    if (!input.destroyed) throw error
  } finally {
    conversation.close()
    backlog.close()
    output.off('close', gone)
  }
}
