/**
 * What neo.yaml says of Telegram. Takes the configuration as it is now; gives settings, or why the channel stays shut.
 * Leaves to formats/config.ts: checking the file. Invariant 1: the token leaves here only for the API.
 */
import type { HomeConfig } from '../../core/model/config.ts'
import { wrongAllowFrom } from '../../core/rules/people.ts'

export interface Settings {
  readonly token: string
  /** Numbers of the accounts of the person whose home this is. */
  readonly allowFrom: readonly string[]
  /** Without a slash at its end; null: Telegram's own. */
  readonly apiRoot: string | null
}

export type Read =
  | { readonly kind: 'on'; readonly settings: Settings }
  | { readonly kind: 'off' }
  | { readonly kind: 'wrong'; readonly why: string }

export function readSettings({ rest }: Pick<HomeConfig, 'rest'>): Read {
  const { telegram } = (rest['channels'] ?? {}) as { readonly telegram?: Readonly<Record<string, unknown>> }
  if (telegram?.['enabled'] !== true) return { kind: 'off' }
  const token = telegram['token']
  const listed = telegram['allow_from']
  const apiRoot = telegram['api_root']
  const allowFrom = Array.isArray(listed) ? listed.map(String) : []
  const [name] = wrongAllowFrom(allowFrom)
  if (name !== undefined)
    return {
      kind: 'wrong',
      why: `channels.telegram.allow_from lists "${name}": want numbers of accounts, names can be taken by others`,
    }
  if (typeof token !== 'string' || token === '')
    return { kind: 'wrong', why: 'channels.telegram is enabled and has no token: set TELEGRAM_BOT_TOKEN' }
  if (!/^\d{1,20}:[\w-]{5,100}$/.test(token))
    return {
      kind: 'wrong',
      why: 'channels.telegram.token is none: want <number>:<letters>, as @BotFather gives it',
    }
  const root = typeof apiRoot === 'string' && apiRoot !== '' ? apiRoot.replace(/\/+$/, '') : null
  return { kind: 'on', settings: { token, allowFrom, apiRoot: root } }
}
