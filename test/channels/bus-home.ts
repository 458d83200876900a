/** A home with a scripted model, its daemon in this process, and a channel of the test's own. */

import type { Channel, MessageQueues, Sent } from '../../src/channels/channel.ts'
import type { Inbound, Outbound } from '../../src/channels/channel-message.ts'
import { openMessageQueues } from '../../src/channels/open-channels.ts'
import { watchChannels } from '../../src/cli/daemon/watch-channels.ts'
import { composeWorld } from '../../src/compose.ts'
import { openMind } from '../../src/compose-orchestrator.ts'
import type { Context } from '../../src/engine/context.ts'
import type { DaemonOptions } from '../../src/engine/daemon.ts'
import type { Hub } from '../../src/hub/hub.ts'
import type { World } from '../../src/ports/world.ts'
import type { Home, Watching } from '../path/home.ts'

export interface Wired extends Watching {
  readonly queues: () => MessageQueues
  readonly context: () => Context
  readonly hub: () => Hub
  /** Called before the queues close. */
  readonly closing: (() => Promise<void>)[]
}

const HOUR_MS = 3_600_000

/** A world of which guards may take as long as a test holds them up. */
export async function patient(home: Home): Promise<World> {
  const world = await composeWorld(home.dir)
  const { processes } = world
  const step: typeof processes.step = ({ deadline, ...request }, signal) =>
    processes.step({ ...request, deadline: deadline + HOUR_MS, limitMs: HOUR_MS }, signal)
  return { ...world, processes: { ...processes, step } }
}

/** The daemon with queues that the test holds; `troubles` takes what channels say. */
export function wire(home: Home, troubles: string[] = [], more: Partial<DaemonOptions> = {}): Wired {
  let queues: MessageQueues | null = null
  let context: Context | null = null
  let hub: Hub | null = null
  const closing: (() => Promise<void>)[] = []
  const watching = home.watch({
    ...more,
    openOrchestrator(opened, wake) {
      context = opened
      const mind = openMind(opened, wake)
      hub = mind.hub
      const trouble = (name: string, why: string | null) => void troubles.push(`${name}: ${why}`)
      queues = openMessageQueues({ context: opened, hub: mind.hub, wake, trouble })
      return {
        turn: (room, triggers, signal) => mind.turn(room, queues?.pictured(triggers) ?? triggers, signal),
        closed: mind.closed,
        ...(mind.scopes === undefined ? {} : { scopes: mind.scopes }),
        close: mind.close,
        saw: mind.saw,
        async afterRound(snapshot) {
          queues?.saw(snapshot)
          return mind.afterRound(snapshot)
        },
      }
    },
    serve: () => async () => {
      for (const close of closing) await close()
      await queues?.close()
    },
  })
  const there = <T>(what: T | null): T => {
    if (what === null) throw new Error('The daemon is not there yet')
    return what
  }
  return {
    ...watching,
    queues: () => there(queues),
    context: () => there(context),
    hub: () => there(hub),
    closing,
  }
}

/** The same as `neo watch` opens it. */
export function people(home: Home): Watching {
  let over: ReturnType<typeof watchChannels> | null = null
  return home.watch({
    openOrchestrator(context, wake) {
      const mind = openMind(context, wake)
      over = watchChannels({ context, wake, hub: mind.hub })
      return over.withChannels(mind)
    },
    serve: (_context, health) => over?.open(health) ?? (async () => {}),
  })
}

export function said(n: number, more: Partial<Inbound> = {}): Inbound {
  const chatId = more.chatId ?? '7'
  return {
    key: `test:${chatId}:${n}`,
    channel: 'test',
    chatId,
    senderId: chatId,
    isPrivate: (more.senderId ?? chatId) === chatId,
    sessionKey: `test:${chatId}`,
    speaker: 'human',
    scope: `test-${chatId}`,
    target: 'human',
    room: 'shop',
    content: `message ${n}`,
    at: `2026-03-01T09:00:${String(n % 60).padStart(2, '0')}Z`,
    kind: 'message',
    media: [],
    metadata: {},
    replyTo: String(n),
    ...more,
  }
}

export interface Taker extends Channel {
  readonly sent: Outbound[]
}

/** A channel that keeps what it is given; `answer` may refuse a try. */
export function taker(answer: (message: Outbound, tries: number) => Sent | null = () => null): Taker {
  const sent: Outbound[] = []
  const tries = new Map<string, number>()
  return {
    name: 'test',
    sent,
    async send(message, progress) {
      const now = (tries.get(message.key) ?? 0) + 1
      tries.set(message.key, now)
      const refused = answer(message, now)
      if (refused !== null) return refused
      progress.begin(0)
      sent.push(message)
      progress.did(0)
      return { kind: 'sent' }
    },
    busy: () => () => {},
  }
}
