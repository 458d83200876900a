/**
 * The words of a sentence that can be a secret: letters mixed with digits, groups of numbers, digits spelled as
 * words, a login and its password in one word.
 */
import { isSaidOf, kindOf, type Word, wordsIn } from './secret-text.ts'

export interface Candidate {
  readonly first: number
  readonly last: number
  /** `numbered`: `Falcon-61`, which can also be a ticket. */
  readonly kind: 'number' | 'mixed' | 'quoted' | 'numbered'
  readonly digits: number
  /** `4 8 2`, `24-61-08`, `118 457`: the form of codes on dials and in messages. */
  readonly isGrouped: boolean
}

/** Connects the numbers of a dial, or names a key next to the digits. */
export const THEN =
  /^(?:then|dann|danach|puis|ensuite|luego|despu[ée]s|poi|depois|daarna|dan|potem|потом|затем|sonra|sedan|så|s[åa]|sitten|pak|majd|key|schlüssel|cl[ée]|llave|chiave|chave|sleutel|klucz|ключ|hash|raute|star|stern|étoile|asterisco|estrella|stella|estrela|ster|gwiazdka|krzyżyk|решётка|решетка|звёздочка)$/iu
export function candidatesOf(words: readonly Word[]): readonly Candidate[] {
  const found: Candidate[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as Word
    const kind = kindOf(word)
    const single = singleKind(word)
    if (single !== null) found.push({ first: at, last: at, kind: single, digits: 0, isGrouped: false })
    const spoken = spokenFrom(words, at)
    if (spoken > 2) {
      found.push({ first: at, last: at + spoken - 1, kind: 'number', digits: spoken, isGrouped: true })
      at += spoken - 1
    }
    if (kind !== 'number') continue
    const first = at
    for (let next = nextNumber(words, at); next > at; next = nextNumber(words, at)) at = next
    const groups = words.slice(first, at + 1).flatMap(({ bare }) => bare.match(/\d+/g) ?? [])
    const digits = groups.join('').length
    found.push({
      first,
      last: at,
      kind,
      digits,
      isGrouped: isGrouped(groups) || /^[#*]|[#*]$/.test((words[at] as Word).bare),
    })
  }
  return found
}

/** As what a word counts by itself, unless it is a number. */
function singleKind(word: Word): Exclude<Candidate['kind'], 'number'> | null {
  const kind = kindOf(word)
  if (kind === 'mixed') return isIdentifier(word.bare) ? 'numbered' : 'mixed'
  if (kind === 'quoted' && isQuotation(word)) return 'quoted'
  if (/^\p{L}{3,}-\d{1,4}$/u.test(word.bare)) return 'numbered'
  return isPair(word) ? 'mixed' : null
}

const DIGITS =
  'zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|z[ée]ro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete|oito|nul|een|één|twee|drie|vijf|zes|zeven|negen|jeden|dwa|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять|sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|noll|ett|två|fyra|fem|sju|åtta|nio|nolla|yksi|kaksi|kolme|neljä|viisi|kuusi'
const SPOKEN = new RegExp(`^(?:${DIGITS})$`, 'iu')
/** A text without any of these has no candidates. */
const HINT = new RegExp(
  `\\p{N}|\\p{L}[@$!%^&*#+=~?_]\\p{L}|["“„«\`]|(?:(?<!\\p{L})(?:${DIGITS})[\\s,-]{1,2}){2}(?:${DIGITS})(?!\\p{L})`,
  'iu',
)

export function mayHold(text: string): boolean {
  return HINT.test(text)
}

/** The number of digits spelled as words from here on: `four seven one one`. */
function spokenFrom(words: readonly Word[], at: number): number {
  let count = 0
  while (SPOKEN.test(words[at + count]?.bare ?? '')) {
    count += 1
    if (words[at + count - 1]?.endsSentence === true) break
  }
  return count
}

/** A name in a program, which has no digit: `depends_on`, `LOG_LEVEL`. */
function isIdentifier(bare: string): boolean {
  return /^[a-z]+(?:_[a-z]+)+$/i.test(bare)
}

/** Between backticks only a single word with digits or signs counts; the rest is code. */
function isQuotation(word: Word): boolean {
  const words = wordsIn(word.bare.replaceAll('`', ''))
  if (word.raw.startsWith('`'))
    return words.length === 1 && words.some((one) => kindOf(one) === 'mixed' && !isIdentifier(one.bare))
  return !isSaidOf(words[0] ?? word)
}

/** A login in one word: `admin/Wombat_5`. */
function isPair({ bare, text, to }: Word): boolean {
  const password = /^[\p{L}\p{N}.-]{2,20}\/([^/.]{5,})$/u.exec(bare)?.[1]
  return (
    password !== undefined && wordsIn(password).every((one) => kindOf(one) === 'mixed') && text[to] !== '/'
  )
}

/** The position of the number that continues this one, as in `61 then 84`; the same position if none does. */
function nextNumber(words: readonly Word[], at: number): number {
  if (words[at]?.endsWith !== '') return at
  const next = at + (THEN.test(words[at + 1]?.bare ?? '') ? 2 : 1)
  const word = words[next]
  return word !== undefined && kindOf(word) === 'number' ? next : at
}

function isGrouped(groups: readonly string[]): boolean {
  const isDial =
    groups.length > 1 &&
    groups.join('').length > 2 &&
    groups.length < 9 &&
    groups.every((group) => group.length < 3)
  return isDial || (groups.length === 2 && groups.every((group) => group.length === 3))
}
