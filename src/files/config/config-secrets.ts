/**
 * The secrets that the configuration holds once `${NAME}` is filled in: keys of providers, tokens of channels, headers.
 */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { callPlain, learnSecret } from '../../domain/secrets/known-secrets.ts'

const SECRET_KEY = /(?:^|_|[a-z])(?:key|token|secret|password|passphrase|credential|authorization)s?$/i
/** `Authorization: Bearer x`: the scheme is no part of the secret. */
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
