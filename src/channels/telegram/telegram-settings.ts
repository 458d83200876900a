/** Settings of Telegram in neo.yaml. Invariant 1: the token leaves here only for the API. */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { accountsIn, wrongAllowFrom } from '../../domain/policy/known-people.ts'

export interface Settings {
  readonly token: string
  /** Numbers of the accounts of the person whose home this is. */
  readonly allowFrom: readonly string[]
  /** Without a slash at its end; null: Telegram's own. */
  readonly apiRoot: string | null
  /** `http://host:port`, with a login if it needs one; `null`: direct. */
  readonly proxy: string | null
}

export type Read =
  | { readonly kind: 'on'; readonly settings: Settings }
  | { readonly kind: 'off' }
  | { readonly kind: 'wrong'; readonly why: string }

/** @param env for HTTPS_PROXY and NO_PROXY, which count where neo.yaml names no proxy */
export function readSettings(
  { rest }: Pick<HomeConfig, 'rest'>,
  env: Readonly<Record<string, string | undefined>>,
): Read {
  const { telegram } = (rest['channels'] ?? {}) as { readonly telegram?: Readonly<Record<string, unknown>> }
  if (telegram?.['enabled'] !== true) return { kind: 'off' }
  const token = telegram['token']
  const listed = telegram['allow_from']
  const apiRoot = telegram['api_root']
  const allowFrom = accountsIn(listed, 'telegram')
  const [name] = wrongAllowFrom(allowFrom, 'telegram')
  if (name !== undefined)
    return {
      kind: 'wrong',
      why: `channels.telegram.allow_from contains "${name}": use numeric account ids; names can change hands`,
    }
  if (typeof token !== 'string' || token === '')
    return { kind: 'wrong', why: 'channels.telegram is enabled but has no token: set TELEGRAM_BOT_TOKEN' }
  if (!/^\d{1,20}:[\w-]{5,100}$/.test(token))
    return {
      kind: 'wrong',
      why: 'channels.telegram.token is invalid: copy <number>:<letters> from @BotFather',
    }
  const root = typeof apiRoot === 'string' && apiRoot !== '' ? apiRoot.replace(/\/+$/, '') : null
  const named = telegram['proxy']
  const proxy = typeof named === 'string' && named !== '' ? named : proxyIn(env, root ?? TELEGRAM)
  if (proxy !== null && !isProxy(proxy))
    return {
      kind: 'wrong',
      why: 'invalid proxy for Telegram (channels.telegram.proxy or HTTPS_PROXY): use http://HOST:PORT or https://HOST:PORT',
    }
  return { kind: 'on', settings: { token, allowFrom, apiRoot: root, proxy } }
}

export const TELEGRAM = 'https://api.telegram.org'

function isProxy(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function proxyIn(env: Readonly<Record<string, string | undefined>>, root: string): string | null {
  if (!URL.canParse(root)) return null
  const url = new URL(root)
  if (url.protocol !== 'https:') return null
  const spared = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').map((name) => name.trim())
  const isSpared = spared.some(
    (name) => name === '*' || (name !== '' && `.${url.hostname}`.endsWith(`.${name.replace(/^\./, '')}`)),
  )
  return isSpared ? null : env['HTTPS_PROXY'] || env['https_proxy'] || null
}
