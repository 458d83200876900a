/**
 * Values near the name of a secret, in the languages of secret-words.ts: `the password is hunter2`.
 * Invariant 1: each name looks at most WINDOW words ahead and BACK words behind, so that the search is linear.
 */

import { behind, firstWord, type Name, namesIn } from './secret-names.ts'
import {
  isAdjective,
  isPlainAfterIs,
  isSaidOf,
  kindOf,
  type SaidText,
  type Span,
  type Word,
} from './secret-text.ts'
import {
  ADVERB,
  BINDS,
  CONCEPT,
  LIMIT,
  LOW,
  NUMBERED,
  OPENED,
  SAYS,
  SMALL,
  UNIT,
  WHEN,
} from './secret-words.ts'

const WINDOW = 10

export function spansIn(said: SaidText): readonly Span[] {
  const names = namesIn(said)
  if (names.length === 0) return []
  const words = said.words()
  return names.flatMap((name) => {
    const ahead = aheadOf(words, name)
    const found = ahead === 'masked' ? [] : ahead.length > 0 ? ahead : behind(words, name)
    return found.map(({ from, to }) => ({ from, to, key: spoken(name) }))
  })
}

/** The name in lower case, without "my". */
function spoken({ text }: Name): string {
  const [first = '', ...rest] = text.toLowerCase().split(/\s+/)
  return rest.length > 0 && POSSESSIVE.test(first) ? rest.join(' ') : text.toLowerCase()
}

/** Names whose values can be words: `password is swordfish`. A card or a PIN is a number. */
const WORDED =
  /pass|pwd|^pw$|^ww$|^psw|słow|wo+r[dt]|kod.?ord|kelime|respuesta|r[ée]ponse|rispost|respost|antw|ответ|cevap|answer|kenn|contra|senha|clave|parol|has[łl]|hesl|lozin|парол|şifre|sifre|wacht|l[öo]sen|mdp|mot|palabra|palavra|maiden|m[äa]dchen|question|sorusu|pergunta|pregunta|domanda|vraag|frage|pytani|panie|фамил|вопрос|слов|soltera|solteira|nubile|ragazza|jeune|meisjes|soyad|flick|phrase|frase|fraza|jelsz|κωδ|sandi|salas|segr|secr/iu
/** Names whose value is always a word, so that no word needs to bind it. */
const CODE_WORD =
  /^(?:tajne|sekretne|magiczne) słow|^(?:memorable|magic|safe|secret) wor|(?:zauber|sicherheits|l[öo]sungs|geheim)wort$|^mot magique|^palabra m[áa]gica|^parola magica|^palavra m[áa]gica|^toverwoord|^волшебн|^sihirli|^кодов|^секретн\p{L}+ слов|^gizli kelime|^code ?wor|^mot de code|^palabra clave|(?:şifre|parola|kelime)(?:m|miz|si)$/iu
/** Prepositions of place: `on`, `hinter`, `у`. */
export const PLACE =
  /^(?:on|in|at|under|behind|near|inside|beside|auf|im|in|unter|hinter|neben|beim|sur|dans|sous|derri[èe]re|chez|en|sobre|bajo|detr[áa]s|su|sul|sulla|nel|nella|sotto|dietro|no|na|em|sob|op|onder|achter|bij|w|we|pod|za|przy|в|на|под|за|у|p[åa]|under|bakom|på|i)$/iu
const POSSESSIVE =
  /^(?:my|our|mein|meine|unser|unsere|mon|ma|mes|notre|mi|mis|nuestr[oa]|meu|minha|nosso|nossa|mio|mia|nostr[oa]|mijn|onze|m[óo]j|moja|moje|мой|моя|мои|наш\p{L}?|benim|bizim)$/iu

interface Walk {
  readonly words: readonly Word[]
  readonly name: Name
  /** Only small words and binding words came after the name so far. */
  isBound: boolean
  hasBinder: boolean
  /** A preposition of place came after the binding word: `the password is on the fridge`. */
  isPlaced: boolean
  /** The last binding word, which tells the language. */
  binder: string
}

/** `masked`: its value is masked already. */
function aheadOf(words: readonly Word[], name: Name): readonly Word[] | 'masked' {
  const first = firstWord(words, ({ from }) => from >= name.to)
  if (first === words.length) return []
  const own = firstWord(words, ({ to }) => to > name.from)
  const isOwn = words
    .slice(Math.max(0, own - (name.strength === 'sure' ? 3 : 1)), own)
    .some(({ bare }) => POSSESSIVE.test(bare))
  const walk: Walk = {
    words,
    name,
    isBound: true,
    hasBinder: /[:=]/.test(gap(words, name, first)) || CODE_WORD.test(name.text),
    isPlaced: false,
    binder: '',
  }
  for (let at = first; at < words.length && at < first + WINDOW; at += 1) {
    const word = words[at] as Word
    if (at > first && words[at - 1]?.endsSentence === true && !walk.hasBinder) return []
    if (word.bare === '***') return 'masked'
    if (at === first && !walk.hasBinder && CONCEPT.test(word.bare)) return []
    if (isValue(walk, at, isOwn)) return valuesFrom(words, at, walk)
    if (BINDS.test(word.raw) || BINDS.test(word.bare)) bind(walk, word)
    else if (!SMALL.test(word.bare) && !(walk.hasBinder && ADVERB.test(word.bare))) walk.isBound = false
    if (walk.hasBinder && PLACE.test(word.bare)) walk.isPlaced = true
    if (word.endsWith === ':' || word.endsWith === '=') {
      walk.hasBinder = true
      walk.isBound = true
    }
  }
  return []
}

function bind(walk: Walk, { bare, raw }: Word): void {
  walk.hasBinder = true
  // `is` is also Dutch, which has other endings of adjectives.
  walk.binder = /woord|sleutel/iu.test(walk.name.text) ? 'zijn' : bare
  if (
    SAYS.test(bare) ||
    SAYS.test(raw) ||
    (bare === 'to' && /[łśżźćńąęó]|has[łl]|kod|^pin/iu.test(walk.name.text)) ||
    (/^[–—-]$/.test(raw) && /\p{sc=Cyrillic}/u.test(walk.name.text))
  )
    walk.isBound = true
}

/** The text between the name and the first word: `'s`, `:`, `=`. */
function gap(words: readonly Word[], name: Name, first: number): string {
  const word = words[first]
  return word === undefined ? '' : (word.text.slice(name.to, word.from) ?? '')
}

function isValue(walk: Walk, at: number, isOwn: boolean): boolean {
  const { words, name, isBound, hasBinder } = walk
  const word = words[at] as Word
  const kind = kindOf(word)
  const isSure = name.strength === 'sure'
  const isNear = words[at - 3] === undefined || (words[at - 3] as Word).to <= name.to
  if (isPhraseStart(walk, at) || ((isOwn || isAnnounced(walk, at)) && isOwnPhrase(walk, at))) return true
  if (isLastOfPlace(walk, at)) return true
  if (kind === 'quoted') return isBound && (isSure || hasBinder) && !isSaidOf(word)
  if (kind === 'number') return isNumberValue(walk, at, isSure || isOwn)
  if (kind === 'mixed')
    return (
      (isSure ||
        (isBound && (isOwn || isNext(walk, at) || isLongToken(word.bare))) ||
        (hasBinder && (isBound || isNear))) &&
      !isNumbered(bareBefore(words, at))
    )
  if (kind === 'inner')
    return (
      ((isSure || (isOwn && hasBinder)) &&
        WORDED.test(name.text) &&
        isBound &&
        (hasBinder || word.bare.length >= 10)) ||
      (isBound && /-/.test(word.bare) && isNext(walk, at))
    )
  // `кодовое слово в банке Одуванчик` has no word for "is".
  const isCodeWord = CODE_WORD.test(name.text) && /^\p{Lu}\p{Ll}{2,}$/u.test(word.bare)
  if (isCodeWord && (at === words.length - 1 || word.endsSentence)) return true
  if (kind === 'word' && hasBinder && isBound && isCodeLast(walk, at)) return true
  if (kind !== 'word' || !isBound || !hasBinder || !WORDED.test(name.text)) return false
  return (isSure || isOwn) && !walk.isPlaced && isPlainAfterIs(words, at, walk.binder)
}

/** `my seed phrase is ripple cactus orbit …` */
function isPhraseStart({ words, name, isBound, hasBinder }: Walk, at: number): boolean {
  const isWords = words.slice(at, at + 4).filter((word) => kindOf(word) === 'word').length === 4
  return PHRASE.test(name.text) && isBound && hasBinder && isWords && !isSaidOf(words[at] as Word)
}

/** `the alarm … code 4490`, `key XK4P-9QRT-22LM`: right after the name, near something that it opens. */
function isNext({ words, name }: Walk, at: number): boolean {
  const word = words[at] as Word
  if (!/^[\s:=]*$/.test(word.text.slice(name.to, word.from))) return false
  if (/^[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,}$/.test(word.bare) || /^claves?$/i.test(name.text)) return true
  const around = word.text.slice(Math.max(0, name.from - 80), word.to + 80)
  return OPENED.test(around)
}

/** `the word of the day: red sunset`: a colon and few words after a name in the singular. */
function isAnnounced({ words, name }: Walk, at: number): boolean {
  const isOne = name.strength === 'sure' && !/(?:s|en|as|er)$/iu.test(name.text)
  const isColon = isOne && words[at - 1]?.endsWith === ':' && !isSaidOf(words[at] as Word)
  return isColon && sentenceFrom(words, at).length < 6
}

/** `memorable word is blackcurrant`: a single word, with any ending. */
function isCodeLast({ words, name }: Walk, at: number): boolean {
  const word = words[at] as Word
  const isLast = at === words.length - 1 || word.endsSentence
  return CODE_WORD.test(name.text) && isLast && word.bare.length > 3 && !isSaidOf(word)
}

/** `кодовое слово для банка ромашка`: the last word, after the place that it is for. */
function isLastOfPlace({ words, name }: Walk, at: number): boolean {
  if (!CODE_WORD.test(name.text)) return false
  const word = words[at] as Word
  const first = firstWord(words, ({ from }) => from >= name.to)
  const isPlace = SMALL.test(words[first]?.bare ?? '') || PLACE.test(words[first]?.bare ?? '')
  const isLast = at === words.length - 1 || word.endsSentence
  return isPlace && isLast && at - first === 2 && kindOf(word) === 'word' && !isSaidOf(word)
}

/** `my password is correct horse battery`: several words, of which at most the first describes it. */
function isOwnPhrase({ words, name, isBound, hasBinder, binder }: Walk, at: number): boolean {
  if (!isBound || !hasBinder || !WORDED.test(name.text)) return false
  const rest = sentenceFrom(words, at)
  const isWords = rest.length > 1 && rest.every((word) => kindOf(word) === 'word')
  if (!isWords) return false
  const says = (word: Word) =>
    isSaidOf(word) || isAdjective(word, binder) || SMALL.test(word.bare) || AND.test(word.bare)
  return !says(rest[0] as Word) || (rest.length > 2 && !rest.slice(1).some(says))
}

function isNumberValue(walk: Walk, at: number, isSure: boolean): boolean {
  const { words, name, isBound, hasBinder } = walk
  const word = words[at] as Word
  const next = words[at + 1]
  const isClose = next !== undefined && !word.endsSentence && word.endsWith === ''
  if (isClose && UNIT.test(next.bare)) return false
  const digits = digitsFrom(words, at)
  const least = /cv[vc]|security number/i.test(name.text) ? 3 : isSure ? 3 : 4
  if (digits < least) return false
  const before = bareBefore(words, at)
  const isYear = /^(?:19|20)\d\d$/.test(word.bare)
  const isPlace = NUMBERED.test(before) && !(isSure && digits > 4 && LOW.test(before))
  if (isPlace || (isYear && (WHEN.test(before) || !isBound))) return false
  const isCount = isClose && /^\p{Ll}{4,}$/u.test(next.bare) && !SMALL.test(next.bare)
  if (isBound) return isSure ? hasBinder || digits >= 6 || !isCount : hasBinder || isNext(walk, at)
  return isSure && digits >= 4 && !isCount
}

/** No word, name or model number is this long. */
function isLongToken(bare: string): boolean {
  return bare.length >= 16 && (bare.match(/\d/g) ?? []).length > 2
}

/** `commit`, `room`; not `after`, which limits numbers only. */
function isNumbered(word: string): boolean {
  return NUMBERED.test(word) && !LIMIT.test(word)
}

function bareBefore(words: readonly Word[], at: number): string {
  return words[at - 1]?.bare ?? ''
}

/** `99 12`, `4711`: the digits of this word and of the numbers that continue it. */
function digitsFrom(words: readonly Word[], at: number): number {
  let count = 0
  for (let one = at; one < words.length && kindOf(words[one] as Word) === 'number'; one += 1) {
    count += (words[one]?.bare.match(/\d/g) ?? []).length
    if (words[one]?.endsWith !== '') break
  }
  return count
}

const AND = /^(?:and|or|und|oder|et|ou|y|o|e|oppure|en|of|i|lub|и|или|ve|veya|&|\/)$/iu
const PHRASE = /c[üu]mle|phrase|frase|fraza|фраз|words|seed|mnemonic|ifadesi|kelimeleri/iu

/** The value, the numbers that continue it, and further values after "and". */
function valuesFrom(words: readonly Word[], at: number, { name, hasBinder }: Walk): readonly Word[] {
  const isPlain = kindOf(words[at] as Word) === 'word'
  if ((PHRASE.test(name.text) || isPlain) && hasBinder) return sentenceFrom(words, at)
  const values: Word[] = []
  for (let one = at; one < words.length; one += 1) {
    const word = words[one] as Word
    const kind = kindOf(word)
    const goesOn =
      one === at || kind === 'mixed' || (kind === 'number' && !UNIT.test(words[one + 1]?.bare ?? ''))
    if (goesOn) values.push(word)
    else if (!AND.test(word.bare)) break
    if (word.endsSentence) break
  }
  return values
}

function sentenceFrom(words: readonly Word[], at: number): readonly Word[] {
  let end = at
  while (end < words.length - 1 && words[end]?.endsSentence !== true) end += 1
  return words.slice(at, end + 1)
}
