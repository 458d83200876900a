/**
 * Masks what looks like a secret, before a text reaches a transcript, a log, a file or a model. It is better to mask
 * a harmless value than to keep a secret. Invariant 1: masking twice gives the same as masking once. Invariant 2:
 * every pattern is linear in the text: no part of it can match in two ways. Invariant 3: in a stream, a secret that
 * is cut into pieces is masked as a whole: known values and tokens of known form are held back until they are
 * complete.
 */

import type { Json } from '../agent/model-message.ts'
import { maskKnown, maskKnownStream } from './known-secrets.ts'
import { MASK } from './mask-literals.ts'

/** A cheap check first: most texts contain none of these. */
const HINT =
  /sk-|pk-|rk_|sk_|gh[a-z]_|github_pat_|glpat-|xox|xapp-|A[KS]IA|AIza|_pat_|_live_|_test_|_key_|npm_|hf_|ya29\.|eyJ|PRIVATE KEY|:\/\/|\d:AA|bearer|authorization|passw|passphrase|pwd|secret|token|api[-_ ]?key|access[-_]?key|credential|SG\./i

const BLOCK = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

/** Tokens of known form. */
const SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_](?:[a-z]{2,12}[-_]){0,3}[A-Za-z0-9_-]{16,}/g,
  /\bgh[a-z]_[A-Za-z0-9]{20,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\bxapp-[A-Za-z0-9-]{10,}/g,
  /\bA[KS]IA[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\b[a-z]{2,10}_(?:pat|live|test|key|token|secret)_[A-Za-z0-9_]{12,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  /\b\d{6,12}:AA[A-Za-z0-9_-]{30,}/g,
]

/** `Authorization: Bearer x`. */
const HEADER =
  /\b(authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|digest|token|key)\s{1,3})?)(?!(?:bearer|basic|digest|token|key)\s|\*\*\*)[^\s"',]{6,}/gi
/** `Bearer x`, where x has a digit: prose about bearers stays. */
const BEARER = /\b(bearer\s{1,3})(?=[A-Za-z._~+/=-]{0,400}\d)[A-Za-z0-9._~+/=-]{8,}/gi
/** `--password x`. */
const FLAG = /(--(?:password|passwd|passphrase|token|secret|api-key)\s{1,3})(?!-|\$|["']|\*\*\*)\S{4,}/gi
/** `https://user:password@host`. */
const URL_PASSWORD = /(:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}@/g
/** `password=x`, `"api_key": "x"`, `DB_PASSWORD: x`; not `password: ${X}`, not a bare word of prose. */
const NAMED =
  /((?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|credentials?)["']?\s?(?:=>|[=:])\s?)("[^"\n]{1,400}"|'[^'\n]{1,400}'|[^\s"',;&)}\]]{4,400})/gi
/** References and empty values, which don't contain the secret. */
const REFERENCE =
  /^["']?(?:\$|\*\*\*|<|process\.env|os\.environ|null\b|undefined\b|none\b|true\b|false\b|string\b)/i

export function redact(whole: string): string {
  const text = maskKnown(whole)
  if (!HINT.test(text)) return text
  const shaped = SHAPES.reduce(
    (masked, shape) => masked.replaceAll(shape, MASK),
    text.replaceAll(BLOCK, MASK),
  )
  return shaped
    .replaceAll(HEADER, `$1${MASK}`)
    .replaceAll(BEARER, `$1${MASK}`)
    .replaceAll(FLAG, `$1${MASK}`)
    .replaceAll(URL_PASSWORD, `$1${MASK}@`)
    .replaceAll(NAMED, (whole, name: string, value: string) =>
      REFERENCE.test(value) ? whole : name + quotedMask(value),
    )
}

/** The mask in the quotes of the value. */
function quotedMask(value: string): string {
  const quote = /^["']/.exec(value)?.[0] ?? ''
  return quote + MASK + quote
}

/** A longer word is not held back: no token of known form is longer. */
const LONGEST_WORD = 4096

interface RedactedStream {
  push(delta: string): void
  /** Shows the rest. */
  end(): void
}

export function redactStream(show: (text: string) => void): RedactedStream {
  const known = maskKnownStream()
  let word = ''
  const tell = (text: string) => {
    if (text !== '') show(redact(text))
  }
  const take = (text: string) => {
    const all = word + text
    const cut = all.length > LONGEST_WORD ? all.length : all.search(/\S*$/)
    word = all.slice(cut)
    tell(all.slice(0, cut))
  }
  return {
    push: (delta) => take(known.push(delta)),
    end() {
      take(known.end())
      tell(word)
      word = ''
    },
  }
}

/** The same value with every text in it masked. */
export function maskJson(value: Json): Json {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(maskJson)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskJson(one)]))
}
