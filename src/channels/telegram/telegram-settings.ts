/** Settings of Telegram in neo.yaml. Invariant 1: the token leaves here only for the API. */
import type { Env } from '../connection.ts'

export interface Settings {
  readonly token: string
  /** Without a slash at its end; null: Telegram's own. */
  readonly apiRoot: string | null
  /** `http://host:port`, with a login if it needs one; `null`: direct. */
  readonly proxy: string | null
}

/** @param env for HTTPS_PROXY and NO_PROXY, which count where neo.yaml names no proxy */
export function telegramSettings(own: Readonly<Record<string, unknown>>, env: Env): Settings | string {
  const { token, api_root: apiRoot, proxy: named } = own
  if (typeof token !== 'string' || token === '')
    return 'channels.telegram is enabled but has no token: set TELEGRAM_BOT_TOKEN'
  if (!/^\d{1,20}:[\w-]{5,100}$/.test(token))
    return 'channels.telegram.token is invalid: copy <number>:<letters> from @BotFather'
  const root = typeof apiRoot === 'string' && apiRoot !== '' ? apiRoot.replace(/\/+$/, '') : null
  const proxy = typeof named === 'string' && named !== '' ? named : proxyIn(env, root ?? TELEGRAM)
  if (proxy !== null && !isProxy(proxy))
    return 'invalid proxy for Telegram (channels.telegram.proxy or HTTPS_PROXY): use http://HOST:PORT or https://HOST:PORT'
  return { token, apiRoot: root, proxy }
}

export const TELEGRAM = 'https://api.telegram.org'

function isProxy(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function proxyIn(env: Env, root: string): string | null {
  if (!URL.canParse(root)) return null
  const url = new URL(root)
  if (url.protocol !== 'https:') return null
  const spared = (env['NO_PROXY'] ?? env['no_proxy'] ?? '').split(',').map((name) => name.trim())
  const isSpared = spared.some(
    (name) => name === '*' || (name !== '' && `.${url.hostname}`.endsWith(`.${name.replace(/^\./, '')}`)),
  )
  return isSpared ? null : env['HTTPS_PROXY'] || env['https_proxy'] || null
}
