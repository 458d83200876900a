/**
 * Secrets in the configuration after `${NAME}` is filled in, and in `.env` and other files of settings of a session.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { callPlain, learnSecret, learnSecrets } from '../../domain/secrets/known-secrets.ts'
import { parseEnvFile } from './config-env.ts'

const SECRET_KEY = /(?:^|_|[a-z])(?:key|token|secret|password|passphrase|credential|authorization)s?$/i
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
    if (isSecret) learnSecret(value.replace(SCHEME, ''))
  } else if (Array.isArray(value)) {
    for (const item of value) learnIn(item, isSecret)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      learnIn(item, key === 'headers' || (SECRET_KEY.test(key) && !/tokens$/i.test(key)))
  }
}

/** A quoted value on several lines. */
const MULTILINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*\n[^"]*)"|'([^']*\n[^']*)')/gm
const KEY_BLOCK = /-----BEGIN [A-Z ]{1,40}-----([^-]+)-----END/g
/** `"name": "value"`, `name: value`. */
const PAIR = /^[\s,{]*["']?([A-Za-z_][\w.-]*)["']?\s*:\s+["']?([^"'\n]{4,4096}?)["']?,?\s*\}?$/gm

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
