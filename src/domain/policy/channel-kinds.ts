/**
 * The channels, one row each. Their settings are in `files/config/config-shape.ts`, and `channels/open-channels.ts`
 * opens them; the compiler asks for both.
 */
export interface ChannelKind {
  /** The stable id of an account, not a name: somebody else can take a name. */
  readonly account: RegExp
  /** What a command begins with in its chats: `/`, as in `/help`. All texts that name one take it from here. */
  readonly commandPrefix: string
  /** Link that pairs a member's account, if the channel has such links; `bot` is the name of the bot. */
  readonly pairLink: ((bot: string, code: string) => string) | null
}

const NUMBER = /^[1-9]\d{0,15}$/

export const CHANNEL_KINDS = {
  telegram: {
    account: NUMBER,
    commandPrefix: '/',
    pairLink: (bot, code) => `https://t.me/${bot}?start=${code}`,
  },
} as const satisfies Readonly<Record<string, ChannelKind>>

export type ChannelName = keyof typeof CHANNEL_KINDS

export const CHANNEL_NAMES = Object.keys(CHANNEL_KINDS) as [ChannelName, ...ChannelName[]]

/** `null` for a channel that nobody knows. */
function kindOf(channel: string): ChannelKind | null {
  const kinds: Readonly<Record<string, ChannelKind>> = CHANNEL_KINDS
  return (Object.hasOwn(kinds, channel) ? kinds[channel] : undefined) ?? null
}

function prefixOf(channel: string): string {
  return kindOf(channel)?.commandPrefix ?? '/'
}

/** A command as people type it there: `help`, or `room NAME`. */
export function spelled(channel: string, command: string): string {
  return `${prefixOf(channel)}${command}`
}

/** The command that a text is there: its name in small letters without a bot's, and the rest; `null` for none. */
export function commandIn(
  channel: string,
  text: string,
): { readonly name: string; readonly rest: string } | null {
  const prefix = prefixOf(channel)
  if (!text.startsWith(prefix)) return null
  const [, name = '', rest = ''] = /^([\w-]*)(?:@\w+)?\s*([\s\S]*)$/.exec(text.slice(prefix.length)) ?? []
  return { name: name.toLowerCase(), rest: rest.trim() }
}

/** What a member sends to the bot to be paired, in a private chat. */
export function pairText(channel: string, code: string): string {
  return spelled(channel, `start ${code}`)
}

/** True if a text is the stable id of an account of the channel. */
export function isAccountId(channel: string, id: string): boolean {
  return (kindOf(channel)?.account ?? NUMBER).test(id)
}
