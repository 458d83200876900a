/**
 * The channels, one row each: neo.yaml, commands, pairing, the hub and the page take them from here.
 * `channels/open-channels.ts` opens them; the compiler asks for that.
 */
export interface ChannelKind {
  /** As people call it. */
  readonly title: string
  /** Its own keys in neo.yaml, beside `enabled` and `allow_from`, each a text: what they are for. */
  readonly settings: Readonly<Record<string, string>>
  /** The stable id of an account, not a name: somebody else can take a name. */
  readonly account: RegExp
  /** What such ids are called. */
  readonly accounts: string
  /** What a command begins with in its chats: `/`, as in `/help`. All texts that name one take it from here. */
  readonly commandPrefix: string
  /** Link that pairs a member's account, if the channel has such links; `bot` is the name of the bot. */
  readonly pairLink: ((bot: string, code: string) => string) | null
  /** What a member does with such a link, as a sentence that ends before it. */
  readonly pairHow: string
}

const NUMBER = /^[1-9]\d{0,15}$/

export const CHANNEL_KINDS = {
  telegram: {
    title: 'Telegram',
    settings: {
      token: 'Bot token from @BotFather. Keep it in `.env`.',
      proxy: 'URL of a proxy for requests to Telegram.',
      api_root: 'URL of your own Bot API server. Default: `https://api.telegram.org`.',
    },
    account: NUMBER,
    accounts: 'numeric account ids',
    commandPrefix: '/',
    pairLink: (bot, code) => `https://t.me/${bot}?start=${code}`,
    pairHow: 'They open this link on their phone and press Start:',
  },
} as const satisfies Readonly<Record<string, ChannelKind>>

export type ChannelName = keyof typeof CHANNEL_KINDS

export const CHANNEL_NAMES = Object.keys(CHANNEL_KINDS) as [ChannelName, ...ChannelName[]]

/** `null` for a channel that nobody knows. */
function kindOf(channel: string): ChannelKind | null {
  const kinds: Readonly<Record<string, ChannelKind>> = CHANNEL_KINDS
  return (Object.hasOwn(kinds, channel) ? kinds[channel] : undefined) ?? null
}

/** As people call it. */
export function titleOf(channel: string): string {
  return kindOf(channel)?.title ?? channel
}

/** What `allow_from` wants. */
export function accountsWanted(channel: string): string {
  return kindOf(channel)?.accounts ?? 'account ids'
}

function prefixOf(channel: string): string {
  return kindOf(channel)?.commandPrefix ?? '/'
}

/** A command as people type it there: `help`, or `room NAME`. */
export function spelled(channel: string, command: string): string {
  return `${prefixOf(channel)}${command}`
}

/** The command that a text is there: its name in small letters without a bot's, and the rest; `null` for none, as a path. */
export function commandIn(
  channel: string,
  text: string,
): { readonly name: string; readonly rest: string } | null {
  const prefix = prefixOf(channel)
  if (!text.startsWith(prefix)) return null
  const found = /^([\w-]*)(?:@\w+)?(?:\s([\s\S]*))?$/.exec(text.slice(prefix.length))
  const [, name = '', rest = ''] = found ?? []
  return found === null ? null : { name: name.toLowerCase(), rest: rest.trim() }
}

/** What a member sends to the bot to be paired, in a private chat. */
export function pairText(channel: string, code: string): string {
  return spelled(channel, `start ${code}`)
}

/** True if a text is the stable id of an account of the channel. */
export function isAccountId(channel: string, id: string): boolean {
  return (kindOf(channel)?.account ?? NUMBER).test(id)
}
