/**
 * Secrets recognised by their form alone: `Copper&Tin5`, `Zx9@moonCake`, a random token. A form that programs and
 * references have as well (`user_2`, `react@18`, a hash) counts only near words about secrets.
 */
import { classesOf } from './secret-stems.ts'
import { kindOf, type SaidText, type Span, type Word } from './secret-text.ts'
import { NUMBERED, WIDE_NAME } from './secret-words.ts'

/** Words and letters to check around a token. */
const WINDOW = 12
const NEAR = 60
/** A longer run is encoded data. */
const LONGEST = 200
const KEY =
  /(?<!\p{L})(?:keys?|schl[üu]ssel|cl[ée]s?|chiav[ei]|chaves?|llaves?|klucz\p{L}{0,2}|ключ\p{L}{0,2}|anahtar\p{L}*|sleutel|tokens?|токен\p{L}{0,2})(?!\p{L})|密钥|キー|鍵/iu
const NONE: ReadonlySet<string> = new Set()
/** Letters, a digit, and a sign that neither programs nor prose put inside a word. */
const SIGNED =
  /^(?=.*\p{L}{3})(?=.*\p{N})(?=.*[\p{L}\p{N}][!$%^*?~§&]+[\p{L}\p{N}])[\p{L}\p{N}!$%^*?~§&@#+_.-]{8,40}$/u
/**
 * Two words joined by such a sign. It may be a missing space, so it counts only at the end of a sentence or near a
 * name.
 */
const WORDS = /^\p{L}{3,}[!$%^*?~§&+]\p{L}{3,}[!?]?$/u
/** Like SIGNED, with signs that programs use as well. */
const JOINED =
  /^(?=.*\p{L}{3})(?=.*\p{N})(?=.*[\p{L}\p{N}][!$%^*?~§&@#+_.][\p{L}\p{N}])[\p{L}\p{N}!$%^*?~§&@#+_.-]{8,40}$/u
/** Code, formats and addresses. */
const WRITTEN =
  /^[$%@&*~-]|[=/\\()[\]{}<>|;]|\$\{|^\p{L}+:\/\/|^[\w.-]+@[\w-]+\.\p{L}{2,}$|^(?:\p{Ll}+[.])+\p{Ll}+$|^\p{Lu}\p{Lu}+(?:_[\p{Lu}\p{N}]+)+$|^@?[\p{Ll}-]+@\d+(?:\.\d+)*$|&&|_v\d+$|-?v?\d+(?:\.\d+){1,3}$/u
const HEX = /^(?:0x)?[\da-f]+$|^[\dA-F]+$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A token between letters of scripts without spaces. */
const TOKEN = /(?<![A-Za-z\d@#.])[A-Za-z\d!$%^*?~&@#+_-]{8,40}(?![A-Za-z\d@.])/g
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
const WIDE_LOGIN =
  /ログイン|登录|登錄|登入|账号|帳號|アカウント|パス|[码碼]|wi-?fi|\bID\b|로그인|비번|와이파이/iu

function tokensBetween(text: string): readonly Span[] {
  if (!WIDE.test(text)) return []
  const isLogin = WIDE_LOGIN.test(text)
  return [...text.matchAll(TOKEN)]
    .filter(({ 0: token }) => !WRITTEN.test(token) && (SIGNED.test(token) || (isLogin && JOINED.test(token))))
    .map(({ index, 0: token }) => ({ from: index, to: index + token.length, key: 'secret' }))
}

export function shapedSpans(said: SaidText): readonly Span[] {
  return [...tokensBetween(said.text), ...shapedWords(said)]
}

function shapedWords(said: SaidText): readonly Span[] {
  if (!/\S{8}/.test(said.text)) return []
  const words = said.words()
  return words.flatMap((word, at) => {
    const { from, to, bare, isQuoted } = word
    if (bare.length < 8 || bare.length > LONGEST) return []
    if (WORDS.test(bare) && kindOf(word) === 'mixed')
      return isLast(words, at) || isAsked(said, words, at) ? [{ from, to, key: 'secret' }] : []
    if (isQuoted || kindOf(word) !== 'mixed' || WRITTEN.test(bare)) return []
    const isSecret =
      SIGNED.test(bare) ||
      isRandom(bare) ||
      ((isDoubtful(bare) || (isJumbled(bare, 8) && hasAllCases(bare))) && isAsked(said, words, at))
    return isSecret && !isReferred(words, at) ? [{ from, to, key: 'secret' }] : []
  })
}

function isLast(words: readonly Word[], at: number): boolean {
  return at === words.length - 1 || words[at]?.endsSentence === true
}

/** Looks like a secret, but programs have such names too. */
function isDoubtful(bare: string): boolean {
  return JOINED.test(bare) || (bare.length >= 12 && HEX.test(bare)) || isJumbled(bare, 12)
}

/** Lower case, upper case and digits without a word in them; not a hash, not an identifier in upper case. */
function isRandom(bare: string): boolean {
  return isJumbled(bare, 16) && hasAllCases(bare)
}

function hasAllCases(bare: string): boolean {
  return /[a-z]/.test(bare) && /[A-Z]/.test(bare)
}

/** Letters and digits alternate often, and it contains no word. */
function isJumbled(bare: string, least: number): boolean {
  if (bare.length < least || !/^[A-Za-z\d_+-]+$/.test(bare) || HEX.test(bare)) return false
  const kinds = [...bare].map((char) => (/\d/.test(char) ? 0 : /[a-z]/.test(char) ? 1 : 2))
  const turns = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length
  return /\d.*\d/.test(bare) && turns / bare.length >= 0.3 && !/[a-z]{5}|[A-Z]{6}/.test(bare)
}

/** True near the name of a secret or a word for typing; near an account too if the token has an upper-case letter. */
function isAsked(said: SaidText, words: readonly Word[], at: number): boolean {
  const { from, to, bare } = words[at] as Word
  if (said.sure().some((name) => name.to > from - NEAR && name.from < to + NEAR)) return true
  const around = said.text.slice(Math.max(0, from - NEAR), to + NEAR)
  if (around.match(WIDE_NAME) !== null || KEY.test(around)) return true
  const isCapital = /\p{Lu}/u.test(bare)
  return words.slice(Math.max(0, at - WINDOW), at + WINDOW).some((word) => {
    const classes = word.from === from ? NONE : classesOf(word.bare)
    return (
      classes.has('keyed') ||
      classes.has('loose') ||
      (isCapital && (classes.has('account') || classes.has('lock')))
    )
  })
}

/** `commit 9fceb02d…`, `tracking number …`. */
function isReferred(words: readonly Word[], at: number): boolean {
  return words.slice(Math.max(0, at - 2), at).some(({ bare, endsWith }) => {
    const isReference = classesOf(bare).has('reference') || classesOf(bare).has('otherCode')
    return (isReference || NUMBERED.test(bare)) && endsWith !== '.'
  })
}
