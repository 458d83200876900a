/**
 * Secrets in the configuration after `${NAME}` is filled in, and in `.env` and other files of settings of a session; and the
 * configuration without them, for people. Invariant 1: values under telling names, and passwords in URLs, are `***`.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { callPlain, learnSecret, learnSecrets } from '../../domain/secrets/known-secrets.ts'
import { isSecretName } from '../../domain/secrets/secret-values.ts'
import { isMap } from '../../domain/text/is-map.ts'
import { parseEnvFile } from './config-env.ts'

/** `Authorization: Bearer x`: the scheme isn't part of the secret. */
const SCHEME = /^(?:bearer|basic|token|key)\s+/i

export function learnConfig(config: HomeConfig): void {
  const { redact } = config.rest as { readonly redact?: { readonly plain?: readonly string[] } }
  callPlain(redact?.plain ?? [])
  learnIn(config.providers, false)
  learnIn(config.rest, false)
}

function learnIn(value: unknown, isSecret: boolean): void {
  if (typeof value === 'string') {
    if (isSecret || masked(value) !== value) learnSecret(value.replace(SCHEME, ''))
  } else if (Array.isArray(value)) {
    for (const item of value) learnIn(item, isSecret)
  } else if (isMap(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (SECRET_MAP.test(key) && isMap(item)) learnSecrets(withoutSchemes(item))
      learnIn(item, isSecretKey(key))
    }
  }
}

function withoutSchemes(map: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts = Object.entries(map).filter((entry) => typeof entry[1] === 'string') as [string, string][]
  return Object.fromEntries(texts.map(([name, text]) => [name, text.replace(SCHEME, '')]))
}

/** A quoted value on several lines. */
const MULTILINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"\n]*\n[^"]*)"|'([^'\n]*\n[^']*)')/gm
const KEY_BLOCK = /-----BEGIN [A-Z ]{1,40}-----([^-]+)-----END/g
/** `"name": "value"`, `name: value`. */
const PAIR = /^[ \t,{]*["']?([A-Za-z_][\w.-]*)["']?\s*:\s+["']?([^"'\n]{4,4096}?)["']?,?\s*\}?$/gm

export function learnEnvText(text: string): void {
  learnSecrets(parseEnvFile(text))
  for (const [, name = '', double, single] of text.matchAll(MULTILINE))
    learnSecrets({ [name]: double ?? single ?? '' })
  for (const [, block = ''] of text.matchAll(KEY_BLOCK)) learnSecret(block)
}

export function learnSettingsText(text: string): void {
  learnEnvText(text)
  for (const [, name = '', value = ''] of text.matchAll(PAIR)) learnSecrets({ [name]: value })
}

/** Maps in which each value can be a secret. */
const SECRET_MAP = /^(?:headers|env|secrets)$/i
/** Names that only look like those of secrets. */
const PLAIN_KEY = /^(?:max_tokens|tokens|public_key|tokens_per_\w+)$/i
const MASK = '***'

/** The one rule for keys of neo.yaml: what is masked for people is also learned, so that it is masked everywhere. */
export function isSecretKey(key: string): boolean {
  return isSecretName(key) && !PLAIN_KEY.test(key)
}

/** The effective configuration with secrets masked; durations are `…_ms`. */
export function showConfig(config: HomeConfig): Record<string, unknown> {
  const { rest, daemon, ...top } = config
  const { settleMs, rescanMs, diskLimitBytes, ...more } = daemon
  const section = rest['daemon']
  return masked({
    ...top,
    daemon: {
      ...more,
      settle: settleMs === null ? null : `${settleMs}ms`,
      rescan: `${rescanMs}ms`,
      disk_limit: `${diskLimitBytes}B`,
      ...(isMap(section) ? section : {}),
    },
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== 'daemon')),
  }) as Record<string, unknown>
}

/** Keys as in the file, secrets masked. */
export function maskedConfig(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return masked(data) as Record<string, unknown>
}

/** The masked value at a path such as `http.port`; undefined if it isn't set. */
export function getConfigValue(config: HomeConfig, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      showConfig(config),
    )
}

/** Masks secrets anywhere in a tree of plain values. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${MASK}@`)
  if (Array.isArray(value)) return value.map(masked)
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedUnder(key, item)]))
}

function maskedUnder(key: string, item: unknown): unknown {
  if (item === null || item === undefined) return item
  if (SECRET_MAP.test(key) && isMap(item))
    return Object.fromEntries(Object.keys(item).map((name) => [name, MASK]))
  return isSecretKey(key) && !isMap(item) ? MASK : masked(item)
}
