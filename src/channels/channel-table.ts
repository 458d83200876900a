/**
 * The channels, a row each: what opens one that neo.yaml enables. A row loads its folder at the first use. What cannot
 * be opened is shown in `neo status` and tried again; the daemon and the other channels go on.
 */
import { CHANNEL_NAMES, type ChannelName } from '../domain/policy/channel-kinds.ts'
import type { ChannelOptions, OpenChannel } from './open-channels.ts'

const CHANNELS: Readonly<Record<ChannelName, () => Promise<OpenChannel>>> = {
  telegram: async () => (await import('./telegram/open-telegram.ts')).openTelegram,
}

export interface ChannelsOptions extends Omit<ChannelOptions, 'trouble'> {
  readonly trouble: (channel: ChannelName, why: string | null) => void
}

const LOOK_MS = 2_000
/** A full disk, or a file that another program holds. */
const RETRY_MS = 5_000

/** Opens each channel once neo.yaml enables it. Returns what closes them. Never throws. */
export function openEnabledChannels(options: ChannelsOptions): () => Promise<void> {
  const closing = CHANNEL_NAMES.map((name) => openWhenEnabled(options, name))
  return async () => void (await Promise.all(closing.map((close) => close())))
}

function openWhenEnabled({ trouble, ...of }: ChannelsOptions, name: ChannelName): () => Promise<void> {
  const { look, world } = of.context
  let cancel = (): void => {}
  let closed = false
  let opening: Promise<(() => Promise<void>) | null> = Promise.resolve(null)
  const open = async () => {
    const openChannel = await CHANNELS[name]()
    return closed ? null : openChannel({ ...of, trouble: (why) => trouble(name, why) })
  }
  const tick = (): void => {
    const channels = (look.config().rest['channels'] ?? {}) as Partial<Record<ChannelName, unknown>>
    const { enabled } = (channels[name] ?? {}) as { readonly enabled?: unknown }
    if (enabled !== true) cancel = world.clock.after(LOOK_MS, tick)
    else
      opening = open().catch((error: unknown) => {
        trouble(name, error instanceof Error ? error.message : String(error))
        cancel = world.clock.after(RETRY_MS, tick)
        return null
      })
  }
  tick()
  return async () => {
    closed = true
    cancel()
    await (await opening)?.()
  }
}
