/**
 * Secrets given as a recipe: `capital K then oningsdag and 27 behind it`, `twice the 3, then 91`, `Daisy with a 3 at
 * the end`.
 */
import { isAboutAny } from './secret-phrases.ts'
import { classesOf } from './secret-stems.ts'
import { isSaidOf, kindOf, type SaidText, type Span, type Word } from './secret-text.ts'
import { BINDS, SMALL } from './secret-words.ts'

// Steps and gaps are bounded, so that each search is linear.
const WITH = '(?:with|plus|and|mit|und|plus|avec|et|con|y|e|com|met|en|z|i|с|и|ve|\\+)'
const A = '(?:a|an|the|ein|eine|einer|einem|der|die|das|un|une|le|la|el|una|uno|il|um|uma|o|een|de|het)'
const SIGN =
  "(?:\\d{1,6}|[!?#*@$%&+]|exclamation (?:mark|point)|question mark|hash|dot|star|underscore|dash|ausrufezeichen|fragezeichen|raute|punkt|stern|unterstrich|bindestrich|point d[’']exclamation|point d[’']interrogation|dièse|étoile|tiret(?: bas)?|exclamación|interrogación|almohadilla|asterisco|guion(?: bajo)?|punto|exclamação|interrogação|asterisco|sublinhado|ponto|esclamativo|cancelletto|trattino(?: basso)?|uitroepteken|vraagteken|hekje|sterretje|punt|wykrzyknik(?:iem)?|hasz|kropk\\p{L}|восклицательн\\p{L}+(?: знак\\p{L}*)?|решётк\\p{L}|решетк\\p{L}|точк\\p{L}|ünlem|nokta)"
const END =
  '(?:at the end|on the end|at the back|behind it|after it|in front|am ende|hinten(?: dran)?|dahinter|danach|davor|à la fin|au bout|derrière|al final|detrás|no final|no fim|atrás|alla fine|in fondo|dietro|aan het eind\\p{L}?|op het eind\\p{L}?|erachter|achteraan|ervoor|na końcu|z tyłu|на конце|в конце|sonunda|sonuna)'
const WORD = '[\\p{L}\\p{N}@$!%^&*#+_-]{3,24}'

/** `Margarita con un 3 al final`. */
const ENDED = new RegExp(
  `(?<!\\p{L})(${WORD}),? ${WITH} (?:${A} )?${SIGN} ${END}(?!\\p{L})|(?<!\\p{L})(${WORD}),? (?:${WITH} )?${END} (?:${WITH} )?(?:${A} )?${SIGN}(?![\\p{L}\\p{N}])`,
  'giu',
)
const CAPITAL =
  '(?:capital|upper ?case|big|großes|großem|grosses|grossbuchstabe|großbuchstabe|majuscule|mayúscula|maiúscula|maiúsculo|maiuscola|maiuscolo|hoofdletter|wielk(?:a|ie|ą|im)(?: liter[aąy])?|больш(?:ая|ой)|заглавн\\p{L}{2}|büyük(?: harf)?)'
/** `capital K then oningsdag`, `K majuscule puis …`: up to the next comma or the end of the sentence. */
const SPELLED = new RegExp(
  `(?<!\\p{L})(?:${CAPITAL} \\p{L}|\\p{Lu} ${CAPITAL}),? (?:${WITH}|then|dann|puis|luego|después|depois|poi|dan|dann|potem|потом|затем|sonra) [^.,;!?\\n]{2,60}`,
  'giu',
)
/** `the password is capital R rainbow trout forty two`. */
const SPELLED_ON = new RegExp(`(?<!\\p{L})${CAPITAL} \\p{Lu} \\p{L}{2,}[^.,;!?\\n]{0,60}`, 'giu')
const TIMES =
  '(?:twice|two times|three times|double|zweimal|dreimal|doppelt|deux fois|trois fois|dos veces|tres veces|duas vezes|três vezes|due volte|tre volte|twee keer|drie keer|tweemaal|dwa razy|trzy razy|два раза|дважды|три раза|трижды|iki kere|iki kez|üç kere)'
const THEN =
  '(?:then|and|plus|dann|danach|und|puis|ensuite|et|luego|después|y|depois|e|poi|dopo|dan|daarna|en|potem|i|потом|затем|и|sonra|ve)'
/** `twice the 3, then 91`. */
const REPEATED = new RegExp(
  `(?<!\\p{L})(?:${TIMES} (?:${A} )?\\d{1,4}|(?:${A} )?\\d{1,4} ${TIMES}),? ${THEN} (?:${A} )?\\d{1,6}(?:,? ${THEN} (?:${A} )?\\d{1,6})*(?!\\p{N})`,
  'giu',
)
const HOW_MANY =
  '(?:[3-8]|three|four|five|six|drei|vier|fünf|sechs|trois|quatre|cinq|six|tres|cuatro|cinco|seis|três|quatro|tre|quattro|cinque|sei|drie|zes|trzy|cztery|pięć|sześć|три|четыре|пять|шесть|üç|dört|beş|altı|[三四五六八])'
const DIGIT =
  '(?: digits?| numbers?| figures| ziffern| zahlen| stellen| chiffres| cifras| d[íi]gitos| n[úu]meros| numeri| cifre| cijfers| cyfr[ya]?| цифр[ыа]?| hane\\p{L}*| rakam\\p{L}*|位数?|桁)'
const COUNT = new RegExp(`(?<![\\p{L}\\p{N}])${HOW_MANY}[ -]?${DIGIT}|[3-8三四五六八](?:位数?|桁)`, 'giu')
/** `six digits, 251280`: a count, then as many digits. */
const COUNTED = /^[^\d\n]{0,6}[3-8]?[^\d\n]{2,24}?((?:\d[ -]?){3,8})(?!\d)/giu
/** `the 2 the 4 the 6 and the 8`. */
const ARTICLED = new RegExp(`^${A} \\d(?:,? (?:${THEN} )?${A} \\d){2,7}(?!\\d)`, 'giu')

/** `クレカの裏の 518`: the code on the back of a card. */
const CARD =
  /(?:card|karte|carte|tarjeta|carta|cart[ãa]o|kaart|kart[yęa]|карт\p{L}|kart\p{L}{0,6}|カード|クレカ|卡)(?!\p{Ll})/giu
const ON_BACK =
  /^[^.\n\d]{0,40}(?:back|r[üu]ck|hint|dos|derri|detr|reverso|tr[áa]s|verso|retro|dietro|achter|ty[łl]|rewers|обор|обрат|arka|裏|背|后三位)[^.\n\d]{0,24}(?:\d{3,4})(?!\d)/giu

/** Where to look: a mark that each pattern contains, and how far the pattern extends before and after it. */
const TURNS = [
  { hint: new RegExp(`(?<!\\p{L})${END}(?!\\p{L})`, 'giu'), turn: ENDED, before: 70, isNamed: false },
  { hint: new RegExp(`(?<!\\p{L})${CAPITAL}(?!\\p{L})`, 'giu'), turn: SPELLED, before: 2, isNamed: false },
  {
    hint: new RegExp(`(?<!\\p{L})${CAPITAL} \\p{L} (?=\\p{L}{2})`, 'giu'),
    turn: SPELLED_ON,
    before: 0,
    isNamed: true,
  },
  { hint: new RegExp(`(?<!\\p{L})${TIMES}(?!\\p{L})`, 'giu'), turn: REPEATED, before: 8, isNamed: false },
  { hint: CARD, turn: ON_BACK, before: 0, isNamed: false },
  { hint: COUNT, turn: COUNTED, before: 0, isNamed: false },
  { hint: new RegExp(`(?<!\\p{L})${A} \\d(?!\\d)`, 'giu'), turn: ARTICLED, before: 0, isNamed: false },
]
const BEHIND = 90

export function composedSpans(said: SaidText): readonly Span[] {
  return [...turnSpans(said), ...spelledSpans(said), ...openingSpans(said), ...loginSpans(said)]
}

function turnSpans({ text, sure }: SaidText): readonly Span[] {
  return TURNS.filter(({ isNamed }) => !isNamed || sure().length > 0).flatMap(({ hint, turn, before }) =>
    [...text.matchAll(hint)].flatMap(({ index, 0: found }) => {
      const start = Math.max(0, index - before)
      const told = [...text.slice(start, index + found.length + BEHIND).matchAll(turn)]
      return told.map(({ index: at, 0: whole }) => ({
        from: start + at,
        to: start + at + whole.trimEnd().length,
        key: 'secret',
      }))
    }),
  )
}

/** How to write a secret: `all lower case`, `tutto attaccato`, `mit kleinen Buchstaben`. */
const SPELLING =
  /(?<!\p{L})(?:(?:all |in )?lower ?case|no spaces?|without spaces|one word|all together|all caps|(?:alles )?klein(?:geschrieben)?|kleinbuchstaben|kleinen buchstaben|ohne leerzeichen|zusammengeschrieben|zusammen geschrieben|alles zusammen|(?:tout )?en minuscules?|tout attach[ée]|sans espaces?|(?:tod[oa] )?en min[úu]sculas?|tod[oa] junt[oa]|sin espacios|(?:tudo )?em min[úu]sculas?|tudo junto|sem espa[çc]os?|tutto attaccato|tutto minuscolo|senza spazi|(?:met )?kleine letters|aan elkaar|zonder spaties|ma[łl][ąaey]mi literami|z ma[łl]ej(?: litery)?|razem|bez spacji|маленькими(?: буквами)?|буквы маленькие|с маленькой(?: буквы)?|слитно|без пробелов|k[üu][çc][üu]k harf\p{L}*|biti[şs]ik|bo[şs]luksuz)(?!\p{L})/iu

/** The words next to a spelling hint, if the text also names what they open. */
function spelledSpans(said: SaidText): readonly Span[] {
  if (!SPELLING.test(said.text) || !isAboutOpening(said)) return []
  return sentencesIn(said.words()).flatMap((words) => {
    const line = said.text.slice(words[0]?.from ?? 0, words.at(-1)?.to ?? 0)
    const found = SPELLING.exec(line)
    if (found === null) return []
    const at = (words[0]?.from ?? 0) + found.index
    const before = words.findLast(({ to }) => to <= at)
    const colon = words.findIndex(({ from, endsWith }) => from >= at && endsWith === ':')
    const last = words.at(-1)
    const isBehind = last !== undefined && last.from >= at + found[0].length
    const after = colon < 0 ? (isBehind ? last : undefined) : words[colon + 1]
    const word = after ?? before
    const isWord = word !== undefined && /^[\p{L}\p{N}_!?.-]{5,}$/u.test(word.bare) && !isSaidOf(word)
    return isWord && !SMALL.test(word.bare) ? [{ from: word.from, to: word.to, key: 'secret' }] : []
  })
}

function isAboutOpening(said: SaidText): boolean {
  return isAboutAny(said, ['lock', 'account', 'loose', 'open'])
}

const PHRASE =
  /^(?:phrase|frase|fraz[aęyą]|фраз[аыу]|satz|zin|zdani[ea]|c[üu]mle(?:si)?|lause|mening|mondat|v[ěe]ta)$/iu

/** `the disk is encrypted with the phrase green bike under bridge`: at least three words that end the sentence. */
function openingSpans(said: SaidText): readonly Span[] {
  if (!isAboutOpening(said)) return []
  return sentencesIn(said.words()).flatMap((words) => {
    const at = words.findIndex(({ bare }) => PHRASE.test(bare))
    const isLocked = words.some(({ bare }) => classesOf(bare).has('lock'))
    if (at < 0 || !isLocked) return []
    const binder = words
      .slice(at + 1, at + 7)
      .findIndex(({ bare, endsWith }) => BINDS.test(bare) || endsWith === ':')
    const first = at + 2 + binder
    const rest = words.slice(first)
    const isTold =
      rest.length > 2 && rest.every((word) => kindOf(word) === 'word') && !isSaidOf(rest[0] as Word)
    return isTold ? [{ from: rest[0]?.from ?? 0, to: rest.at(-1)?.to ?? 0, key: 'phrase' }] : []
  })
}

/** `логин kassa3, дальше Pelmeni-po-sredam`: a user name, then what the user types. */
const LOGIN =
  /(?<!\p{L})(?:log-?in|user(?:name)?|benutzer(?:name)?|nutzer|anmeldung|identifiant|utilisateur|usuario|usu[áa]rio|utente|gebruiker(?:snaam)?|inlognaam|u[żz]ytkownik|логин|пользователь|юзер|kullan[ıi]c[ıi](?: ad[ıi])?|admin|root|insta(?:gram)?|ユーザー名?|账号|用户名?|帐号)[\s:=]{1,3}(?<user>[\p{L}\p{N}._@+-]{2,40})?(?:\s?(?:[,/|;+&]|\/\/)\s?(?:(?:then|dann|puis|luego|depois|poi|dan|potem|потом|дальше|затем|sonra|and|und|et|y|e|en|i|и|ve)\s)?|\s(?:and then|then|and|und dann|und|dann|et puis|puis|et|y luego|y|luego|e depois|e|e poi|poi|en dan|en|dan|i|a potem|potem|и|потом|дальше|затем|ve|sonra)\s)(?<value>[^\s,;/]{5,40})(?=[.,;!?]?(?:\s|$))/giu

function loginSpans(said: SaidText): readonly Span[] {
  const { text } = said
  const pairs = isAboutOpening(said) ? slashed(text) : []
  const logins = [...text.matchAll(LOGIN)].flatMap(({ index, 0: whole, groups }) => {
    const value = (groups?.['value'] ?? '').replace(/[.,;!?]+$/, '')
    const isToken =
      /\p{N}|[!$%^*?~&@#+_]|-.*-|^\p{Lu}\p{Ll}+[.-]\p{Lu}/u.test(value) &&
      !/^\d{1,2}[.:/]|:\/\/|^v?\d+\./.test(value)
    const from = index + whole.lastIndexOf(value)
    return isToken ? [{ from, to: from + value.length, key: 'password' }] : []
  })
  return [...pairs, ...logins]
}

/** `alu0231 / marzo.2003`: a user name, then letters mixed with digits or signs. */
const SLASHED =
  /(?<=^|[\s:])[\p{L}\p{N}._-]{3,20} \/ (?<value>(?=\S*\p{L}{3})(?=\S*[\p{N}!$%^*?~&@#+])[^\s/]{6,40})(?=[.,;!?]?(?:\s|$))/gu

function slashed(text: string): readonly Span[] {
  return [...text.matchAll(SLASHED)].flatMap(({ index, 0: whole, groups }) => {
    const value = groups?.['value'] ?? ''
    const isVersion = /^\p{L}{2,7}-?\d{1,2}$/u.test(value)
    const to = index + whole.length
    return isVersion ? [] : [{ from: to - value.length, to, key: 'password' }]
  })
}

function sentencesIn(words: readonly Word[]): readonly (readonly Word[])[] {
  const sentences: Word[][] = [[]]
  for (const word of words) {
    sentences.at(-1)?.push(word)
    if (word.endsSentence) sentences.push([])
  }
  return sentences
}
