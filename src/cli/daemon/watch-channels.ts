/**
 * The message channels of `neo watch`, beside the daemon. Invariant 1: a channel that does not open is shown in `neo
 * status` and retried; the daemon continues.
 */

import { openEnabledChannels } from '../../channels/channel-table.ts'
import { type Bus, openBus } from '../../channels/open-channels.ts'
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
  let bus: Bus | null = null
  return {
    withChannels: (orchestrator) => ({
      turn: (room, triggers, signal) => orchestrator.turn(room, bus?.pictured(triggers) ?? triggers, signal),
      closed: () => orchestrator.closed(),
      ...(orchestrator.scopes === undefined ? {} : { scopes: orchestrator.scopes }),
      async afterRound(snapshot) {
        bus?.saw(snapshot)
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
          const opened = openBus({ context, hub, wake, trouble })
          bus = opened
          shut = openEnabledChannels({
            context,
            hub,
            bus: opened,
            trouble: (name, why) => trouble(`${name} polling`, why),
          })
          trouble('bus', null)
        } catch (error) {
          trouble('bus', textOf(error))
          forget = context.world.clock.after(RETRY_MS, begin)
        }
      }
      begin()
      return async () => {
        forget()
        await shut()
        const opened = bus
        bus = null
        await opened?.close()
      }
    },
  }
}

/** Retry after a full disk or a locked file. */
const RETRY_MS = 5_000

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
