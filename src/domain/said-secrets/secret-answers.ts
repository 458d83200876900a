/** Secrets that answer a question: `pw?`, then `still hunter2lake`. The question names a secret, or what it opens. */
import { candidatesOf } from './secret-candidates.ts'
import { classesOf } from './secret-stems.ts'
import { isAdjective, isSaidOf, kindOf, type SaidText, type Span, type Word, wordsIn } from './secret-text.ts'
import { DAY, SMALL, UNIT, WIDE_NAME } from './secret-words.ts'

/** A question and the rest of the line after it. */
const ASKED =
  /(?<question>[^\n?？]{2,120})(?:[?？]+(?=\s|[^\p{ASCII}])[ \t]*\n?|\n)[ \t>-]*(?<answer>[^\n?？]{3,80})(?=\n|$)/gu
/** Words that mark a question without a question mark. */
const ASKS =
  /(?<!\p{L})(?:what|which|how|where|was|wie|welche\p{L}*|quel\p{L}*|comment|c[’']est quoi|qu[eé]|cu[aá]l|c[oó]mo|qual|como|come|che|cosa|wat|hoe|welke|jak\p{L}{0,3}|co|какой|какая|как|что|ne|neydi|nas[ıi]l|hangi|kaç)(?!\p{L})|什么|多少|几|怎么|何|なに|どう|몇|뭐|어떻게/iu
/** Questions about something else: who, when, how long. */
const OTHER =
  /(?<!\p{L})(?:who|when|why|long|often|many|cost|reset|change|forgot\p{L}*|wer|wann|warum|lange|oft|ändern|vergessen|qui|quand|pourquoi|combien|changer|oubli\p{L}*|qui[ée]n|cu[aá]ndo|cambiar|olvid\p{L}*|quem|quando|mudar|esque\p{L}*|chi|cambiare|dimentic\p{L}*|wie|wanneer|waarom|wijzigen|vergeten|kto|kiedy|zmieni\p{L}*|zapomnia\p{L}*|кто|когда|почему|менять|забы\p{L}*|kim|zaman|neden|unut\p{L}*|değiştir\p{L}*)(?!\p{L})|谁|忘|誰|いつ|変え/iu
/** Secrets that can be plain words. */
const WORDED =
  /pass|pwd|^pw$|^ww$|wor[dt]|woord|kenn|contra|senha|clave|parol|has[łl]|парол|şifre|sifre|mdp|mot|phrase|frase|wi-?fi|wlan/iu
/** Answers of one word that are not secrets. */
const TALK =
  /^(?:yes|yeah|yep|no|nope|none|later|soon|sure|sorry|thanks|idk|dunno|same|maybe|nothing|unknown|changed|expired|ja|nein|nee|später|gleich|danke|keine|oui|non|merci|sí|si|luego|gracias|sim|não|depois|obrigad[oa]|sì|dopo|grazie|straks|dank|tak|nie|później|dzięki|да|нет|потом|спасибо|evet|hay[ıi]r|sonra|yok|netflix|gmail|google|amazon|github|wi-?fi)$/iu

export function answeredSpans(said: SaidText): readonly Span[] {
  if (!/[?？\n]/u.test(said.text)) return []
  return [...said.text.matchAll(ASKED)].flatMap(({ index, 0: whole, groups }) => {
    const { question = '', answer = '' } = groups ?? {}
    const asked = askedFor(said, {
      from: index,
      to: index + question.length,
      mark: whole.slice(question.length),
    })
    const at = index + whole.length - answer.length
    return asked === null
      ? []
      : valuesOf(answer, asked).map((one) => ({ ...one, from: one.from + at, to: one.to + at }))
  })
}

interface Question {
  readonly from: number
  readonly to: number
  readonly mark: string
}

/** `word`: the answer can be a plain word; `value`: it has digits or signs. */
function askedFor({ text, sure }: SaidText, { from, to, mark }: Question): 'word' | 'value' | null {
  const question = text.slice(from, to)
  if (OTHER.test(question) || !(/[?？]/u.test(mark) || ASKS.test(question) || question.length < 16))
    return null
  const names = sure().filter((name) => name.from >= from && name.to <= to)
  if (names.some(({ key }) => WORDED.test(key)) || WIDE_WORDED.test(question)) return 'word'
  const classes = wordsIn(question).map(({ bare }) => classesOf(bare))
  const isOther = classes.some((own) => own.has('otherCode') || own.has('reference') || own.has('amount'))
  if (isOther) return null
  const isThing = classes.some((own) => own.has('lock') || own.has('account') || own.has('loose'))
  return names.length > 0 || isThing || question.match(WIDE_NAME) !== null || WIDE_THING.test(question)
    ? 'value'
    : null
}

const WIDE_WORDED = /パスワード|合言葉|密码|密碼|口令|비밀번호|암호/u
const WIDE_THING =
  /门禁|门锁|锁|鎖|金庫|保险|wi-?fi|ワイファイ|无线|ロック|ドア|玄関|キーパッド|打印机|プリンター|开门|開け|登录|ログイン|현관|금고|와이파이/iu

function valuesOf(answer: string, asked: 'word' | 'value'): readonly Span[] {
  const words = wordsIn(answer)
  const key = 'answer'
  const found = candidatesOf(words).flatMap(({ first, last, kind, digits }) => {
    const [from, to] = [words[first]?.from ?? 0, words[last]?.to ?? 0]
    const isCounted = kind === 'number' && (UNIT.test(words[last + 1]?.bare ?? '') || digits < 3)
    return isCounted || /:\d\d/.test(answer) ? [] : [{ from, to, key }]
  })
  if (found.length > 0) return found
  const wide = /[A-Za-z0-9@$!%^&*#+=_~.-]{4,}/u.exec(answer)
  if (wide !== null && /[^\p{ASCII}]/u.test(answer) && /\d/.test(wide[0]))
    return [{ from: wide.index, to: wide.index + wide[0].length, key }]
  const last = words.filter(({ bare }) => !SMALL.test(bare)).at(-1)
  const isWord = asked === 'word' && words.length < 3 && last !== undefined && isPlainAnswer(last)
  return isWord ? [{ from: last.from, to: last.to, key }] : []
}

function isPlainAnswer(word: Word): boolean {
  const { bare } = word
  const isWord = kindOf(word) === 'word' || kindOf(word) === 'inner'
  return (
    isWord &&
    bare.length > 4 &&
    !TALK.test(bare) &&
    !isSaidOf(word) &&
    !DAY.test(bare) &&
    !isAdjective(word, 'is')
  )
}
