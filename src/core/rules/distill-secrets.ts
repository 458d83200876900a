/**
 * What people say and what is never kept: values of passwords, PINs, codes, cards, tokens, in several languages.
 * Takes a text; gives it with `***` in place of each value, and which keys they had. Leaves to redact.ts: what looks like
 * a secret by its shape.
 * Invariant 1: masking twice gives the same as once. Better one harmless value masked than one secret kept.
 */
import { redact } from './redact.ts'

const SURE = [
  ...[
    'password',
    'passwort',
    'kennwort',
    'passphrase',
    'passcode',
    'pin',
    'pin code',
    'pin number',
    'api key',
  ],
  ...['card number', 'credit card', 'cvv', 'cvc', 'iban', 'private key', 'access key', 'access token'],
  ...['mot de passe', 'code secret', 'contraseña', 'clave', 'senha', 'parola d’ordine', 'geheimzahl'],
  ...['hasło', 'пароль'],
]
/** Words of other meanings too: "the code is broken" and "exit code: 127" give nothing away, "code: 12345" may. */
const LOOSE = ['secret', 'token', 'code', 'codes', 'card', 'login']
const NAMES = [...SURE, ...LOOSE]
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

const IS = '(?:\\bis\\b|\\bare\\b|\\bist\\b|\\best\\b|\\bes\\b|\\bè\\b|=|:)'
const NO_VALUE =
  '(?:not|in|on|at|a|the|required|needed|too|stored|kept|reset|wrong|correct|being|used|invalid|missing|expired)\\b'

/** `my door code is 1234`, `the password: x`, `PIN = 1`: the value runs to the end of what is one word or number. */
function named(names: readonly string[], value: string): RegExp {
  const whose = "(?:\\s+(?:for|of|to)\\s+[\\p{L}\\p{N} '’-]{1,40}?)?"
  const before = `(?<![\\p{L}\\p{N}])(?:${names.join('|')})${whose}\\s{0,3}${IS}\\s{0,3}(?:now\\s+|set to\\s+)?`
  return new RegExp(`(${before})(?!\\*\\*\\*|${NO_VALUE})(${value})`, 'giu')
}

const QUOTED = '"[^"\\n]{1,200}"|\'[^\'\\n]{1,200}\''
const NUMBERS = '(?:[ -]\\d{2,})*'
const NAMED = named(SURE, `${QUOTED}|[^\\s,;]{2,200}${NUMBERS}`)
const NAMED_LOOSE = named(LOOSE, `${QUOTED}|(?=[^\\s,;]{0,200}\\d)[^\\s,;]{3,200}[^\\s,;.!?]${NUMBERS}`)
const NAMED_WIDE = new RegExp(
  `((?:${WIDE_NAMES.join('|')})\\s*(?:は|:|：|=|是|는|은)\\s*)(?!\\*\\*\\*)([^\\s、。,，]{2,200}?)(?=です|だ|[\\s、。,，]|$)`,
  'gu',
)

/** `my wifi password is …`: whoever says so gives it away to the end of the sentence, however many words it has. */
const MINE = new RegExp(
  `(\\b(?:my|our|mein|meine|mon|ma|mi|minha)\\s(?:[\\p{L}\\p{N}'’-]{1,30}\\s){0,3}?(?:${NAMES.join('|')})\\s(?:is|are|ist|est|es|=)\\s)(?!\\*\\*\\*|(?:not|too|required|needed|reset|wrong|stored|kept|being|invalid|missing|expired|broken)\\b)([^\\n]{1,300}?)(?=[.!?](?:\\s|$)|$)`,
  'gimu',
)

export interface Masked {
  readonly text: string
  /** What was masked, by name. */
  readonly keys: readonly string[]
}

export function maskSecrets(text: string): Masked {
  const keys: string[] = []
  const mask = (_: string, before: string) => {
    keys.push(
      before
        .replace(/\s*(?:\b(?:is|are|ist|est|es|è)\b|[=:：]|は|是|는|은).*$/u, '')
        .trim()
        .toLowerCase(),
    )
    return `${before}***`
  }
  const masked = [MINE, NAMED, NAMED_LOOSE, NAMED_WIDE].reduce((all, one) => all.replaceAll(one, mask), text)
  const shaped = redact(masked)
  if (shaped !== masked) keys.push('token')
  return { text: shaped, keys }
}
