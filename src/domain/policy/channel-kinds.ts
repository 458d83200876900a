/**
 * The channels that Neo knows, a row each. The settings of each are in `files/config/config-shape.ts`, what opens it
 * in `channels/channel-table.ts`: the compiler asks for both.
 */
export interface ChannelKind {
  /** The stable id of an account. A name is none: somebody else can take it. */
  readonly account: RegExp
  /** What a member opens to pair their account, if the channel has such links; `bot` is the bot's own name there. */
  readonly pairLink: ((bot: string, code: string) => string) | null
}

const NUMBER = /^[1-9]\d{0,15}$/

export const CHANNEL_KINDS = {
  telegram: { account: NUMBER, pairLink: (bot, code) => `https://t.me/${bot}?start=${code}` },
} as const satisfies Readonly<Record<string, ChannelKind>>

export type ChannelName = keyof typeof CHANNEL_KINDS

export const CHANNEL_NAMES = Object.keys(CHANNEL_KINDS) as [ChannelName, ...ChannelName[]]

/** Whether a text is the stable id of an account there. */
export function isAccountId(channel: string, id: string): boolean {
  const kinds: Readonly<Record<string, ChannelKind>> = CHANNEL_KINDS
  return (Object.hasOwn(kinds, channel) ? (kinds[channel]?.account ?? NUMBER) : NUMBER).test(id)
}
