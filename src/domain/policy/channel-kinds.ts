/**
 * The channels, one row each. Their settings are in `files/config/config-shape.ts`, and `channels/open-channels.ts`
 * opens them; the compiler asks for both.
 */
export interface ChannelKind {
  /** The stable id of an account, not a name: somebody else can take a name. */
  readonly account: RegExp
  /** Link that pairs a member's account, if the channel has such links; `bot` is the name of the bot. */
  readonly pairLink: ((bot: string, code: string) => string) | null
  /** What a member sends to the bot instead. */
  readonly pairText: (code: string) => string
}

const NUMBER = /^[1-9]\d{0,15}$/

export const CHANNEL_KINDS = {
  telegram: {
    account: NUMBER,
    pairLink: (bot, code) => `https://t.me/${bot}?start=${code}`,
    pairText: (code) => `/start ${code}`,
  },
} as const satisfies Readonly<Record<string, ChannelKind>>

export type ChannelName = keyof typeof CHANNEL_KINDS

export const CHANNEL_NAMES = Object.keys(CHANNEL_KINDS) as [ChannelName, ...ChannelName[]]

/** True if a text is the stable id of an account of the channel. */
export function isAccountId(channel: string, id: string): boolean {
  const kinds: Readonly<Record<string, ChannelKind>> = CHANNEL_KINDS
  return (Object.hasOwn(kinds, channel) ? (kinds[channel]?.account ?? NUMBER) : NUMBER).test(id)
}
