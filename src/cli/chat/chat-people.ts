/**
 * Beside the daemon of `neo watch`: the bus with its channels, over the hub of the daemon's own mind. Invariant 1: what
 * does not open is said in `neo status`, and tried again; the daemon goes on.
 */
import { type Bus, openBus } from '../../channels/open-channels.ts'
import type { Context } from '../../engine/context.ts'
import { openEnabledChannels } from '../../channels/channel-table.ts'
import type { Health } from '../../engine/health.ts'
import type { Orchestrator } from '../../engine/agents/orchestrator.ts'
import type { Hub } from '../../hub/hub.ts'

export interface PeopleOptions {
  readonly context: Context
  readonly wake: () => void
  readonly hub: Hub
}

export interface People {
  /** The same mind, whose rounds the bus hears of. */
  listening(mind: Orchestrator): Orchestrator
  /** Gives what closes them. Never throws. */
  open(health: Pick<Health, 'trouble' | 'well'>): () => Promise<void>
}

export function peopleOver({ context, hub, wake }: PeopleOptions): People {
  let bus: Bus | null = null
  return {
    listening: (mind) => ({
      turn: (room, triggers, signal) => mind.turn(room, bus?.pictured(triggers) ?? triggers, signal),
      closed: () => mind.closed(),
      ...(mind.scopes === undefined ? {} : { scopes: mind.scopes }),
      async afterRound(snapshot, hints) {
        bus?.saw(snapshot)
        return mind.afterRound(snapshot, hints)
      },
      close: () => mind.close(),
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

/** A full disk, or a file that another program holds. */
const RETRY_MS = 5_000

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
