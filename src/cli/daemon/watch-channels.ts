/**
 * The message channels of `neo watch`, beside the daemon. Invariant 1: a channel that does not open is shown in `neo
 * status` and retried; the daemon continues.
 */

import { whyOf } from '../../domain/home/error.ts'
import type { MessageQueues } from '../../channels/channel.ts'
import { openEnabledChannels, openMessageQueues } from '../../channels/open-channels.ts'
import type { Orchestrator } from '../../engine/agents/orchestrator.ts'
import type { Context } from '../../engine/context.ts'
import type { Health } from '../../engine/health.ts'
import type { Hub } from '../../hub/hub.ts'

export interface ChannelOptions {
  readonly context: Context
  readonly wake: () => void
  readonly hub: Hub
}

export interface WatchChannels {
  /** The same orchestrator; the channels learn of its rounds. */
  withChannels(orchestrator: Orchestrator): Orchestrator
  /** Returns a function that closes them. Never throws. */
  open(health: Pick<Health, 'trouble' | 'well'>): () => Promise<void>
}

export function watchChannels({ context, hub, wake }: ChannelOptions): WatchChannels {
  let queues: MessageQueues | null = null
  return {
    withChannels: (orchestrator) => ({
      turn: (room, triggers, signal) =>
        orchestrator.turn(room, queues?.pictured(triggers) ?? triggers, signal),
      closed: () => orchestrator.closed(),
      ...(orchestrator.scopes === undefined ? {} : { scopes: orchestrator.scopes }),
      saw: (snapshot) => orchestrator.saw(snapshot),
      async afterRound(snapshot) {
        queues?.saw(snapshot)
        return orchestrator.afterRound(snapshot)
      },
      close: () => orchestrator.close(),
    }),
    open(health) {
      const trouble = (channel: string, why: string | null): void => {
        if (why === null) health.well(`channel ${channel}`)
        else health.trouble(`channel ${channel}`, why)
      }
      let shut = async (): Promise<void> => {}
      let forget = (): void => {}
      const begin = (): void => {
        try {
          const opened = openMessageQueues({ context, hub, wake, trouble })
          queues = opened
          shut = openEnabledChannels({
            context,
            hub,
            queues: opened,
            trouble: (name, why) => trouble(`${name} polling`, why),
          })
          trouble('queues', null)
        } catch (error) {
          trouble('queues', whyOf(error))
          forget = context.world.clock.after(RETRY_MS, begin)
        }
      }
      begin()
      return async () => {
        forget()
        await shut()
        const opened = queues
        queues = null
        await opened?.close()
      }
    },
  }
}

/** Retry after a full disk or a locked file. */
const RETRY_MS = 5_000
