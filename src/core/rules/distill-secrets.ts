/**
 * What people say and what is never kept: values of passwords, PINs, codes, cards, tokens, in several languages.
 * Takes a text; gives it with `***` in place of each value, and which keys they had. Leaves to redact.ts: what looks like
 * a secret by its shape.
 * Invariant 1: masking twice gives the same as once. Better one harmless value masked than one secret kept.
 */
import { redact } from './redact.ts'

const NAMES = [
  ...[
    'password',
    'passwort',
    'kennwort',
    'passphrase',
    'passcode',
    'pin',
    'pin code',
    'pin number',
    'secret',
    'token',
    'api key',
  ],
  ...[
    'code',
    'codes',
    'card',
    'card number',
    'credit card',
    'cvv',
    'cvc',
    'iban',
    'private key',
    'access key',
    'login',
  ],
  ...[
    'mot de passe',
    'code secret',
    'contraseña',
    'clave',
    'senha',
    'parola d’ordine',
    'geheimzahl',
    'hasło',
    'пароль',
  ],
]
const WIDE_NAMES = [
  'パスワード',
  '暗証番号',
  '暗証コード',
  '合言葉',
  'カード番号',
  '秘密鍵',
  '密码',
  '密碼',
  '口令',
  '비밀번호',
]

/** `my door code is 1234`, `the password: x`, `PIN = 1`: the value runs to the end of what is one word or number. */
const NAMED = new RegExp(
  `((?<![\\p{L}\\p{N}])(?:${NAMES.join('|')})(?:\\s+(?:for|of|to)\\s+[\\p{L}\\p{N} '’-]{1,40}?)?\\s{0,3}(?:\\bis\\b|\\bare\\b|\\bist\\b|\\best\\b|\\bes\\b|\\bè\\b|=|:)\\s{0,3}(?:now\\s+|set to\\s+)?)(?!\\*\\*\\*|(?:not|in|on|at|a|the|required|needed|too|stored|kept|reset|wrong|correct|being|used)\\b)("[^"\\n]{1,200}"|'[^'\\n]{1,200}'|[^\\s,;]{2,200}(?:[ -]\\d{2,})*)`,
  'giu',
)
const NAMED_WIDE = new RegExp(
  `((?:${WIDE_NAMES.join('|')})\\s*(?:は|:|：|=|是|는|은)\\s*)(?!\\*\\*\\*)([^\\s、。,，]{2,200}?)(?=です|だ|[\\s、。,，]|$)`,
  'gu',
)

/** `my wifi password is …`: whoever says so gives it away to the end of the sentence, however many words it has. */
const MINE = new RegExp(
  `(\\b(?:my|our|mein|meine|mon|ma|mi|minha)\\s(?:[\\p{L}\\p{N}'’-]{1,30}\\s){0,3}?(?:${NAMES.join('|')})\\s(?:is|are|ist|est|es|=)\\s)(?!\\*\\*\\*|(?:not|too|required|needed|reset|wrong|stored|kept|being)\\b)([^\\n]{1,300}?)(?=[.!?](?:\\s|$)|$)`,
  'gimu',
)

export interface Masked {
  readonly text: string
  /** What was masked, by name. */
  readonly keys: readonly string[]
}

export function maskSecrets(text: string): Masked {
  const keys: string[] = []
  const named = (_: string, before: string) => {
    keys.push(
      before
        .replace(/\s*(?:\b(?:is|are|ist|est|es|è)\b|[=:：]|は|是|는|은).*$/u, '')
        .trim()
        .toLowerCase(),
    )
    return `${before}***`
  }
  const masked = text.replaceAll(MINE, named).replaceAll(NAMED, named).replaceAll(NAMED_WIDE, named)
  const shaped = redact(masked)
  if (shaped !== masked) keys.push('token')
  return { text: shaped, keys }
}
