/**
 * Plain words that are typed in as secrets: `if it asks for my first pet put Whiskers`, `same mail, then
 * lemonbutterfly`, `wifi: HomeNet / teatime`. Pure. A word counts at the end of its sentence only, if the text speaks
 * of what it opens.
 */
import { classesOf, type StemClass } from './secret-stems.ts'
import type { SaidText, Span } from './secret-text.ts'
import { isSaidOf, wordsIn } from './secret-values-said.ts'
import { DAY, SMALL } from './secret-words.ts'

const WORD = '["“„«]?(?<value>[\\p{L}][\\p{L}\\p{N}._-]{3,30}[!?]?)["”“»]?'
const END = '(?=[.,;!?)]*\\s*(?:$|\\n|[.;] ))'
const TYPE =
  '(?:type|enter|put|write|say|answer|try|use|pon|pone|pones|escribe|contesta|responde|prueba|mets|tape|écris|réponds|essaie|schreib|tipp|gib|sag|antworte|nimm|probier|metti|scrivi|rispondi|prova|digita|põe|coloca|escreve|responde|digita|vul|typ|tik|schrijf|zeg|wpisz|napisz|podaj|odpowiedz|пиши|напиши|введи|вводи|ответь|скажи|набери)'
const ASK =
  '(?:ask(?:s|ed)?|prompts?|wants|pregunta|pide|pida|demande|fragt|verlangt|chiede|chiedono|pergunta(?:r|rem)?|pede|pedir|vraagt|pyta|zapyta|спросит|спросят|спрашивает|просит|попросит|sorarsa|sorar|soruyor|sorunca)'
/** `if it asks … put Whiskers`, `sorarsa Pamuk yaz`. */
const IF_ASKED = new RegExp(
  `(?<!\\p{L})${ASK}(?!\\p{L})[^.;\\n]{2,70}?(?<!\\p{L})(?:just |einfach |simplement |simplemente |solo |просто )?${TYPE} (?:in |ein |el |la |it's )?${WORD}${END}|(?<!\\p{L})${ASK}(?!\\p{L})[^.;\\n]{0,60}?[ ,]${WORD.replace('value', 'verbLast')} (?:yaz|yazarsın|gir|de|dersin|eingeben|eintippen|invullen|intypen)${END}`,
  'giu',
)
/** `einfach Enkelkind eintippen`, `wpisz herbata`. */
const TYPED = new RegExp(
  `(?<!\\p{L})(?:type|types?|tape|taper|tapez|teclea|escribe|digita|scrivi|wpisz|wpisujesz|typ|tik|пиши|введи|вводишь) ${WORD}${END}|(?<= )${WORD.replace('value', 'verbLast')} (?:eintippen|eingeben|eintragen|intypen|intikken|invullen|yazıyorsun|yazacaksın)${END}`,
  'giu',
)
const MAIL =
  '(?:(?:e-?)?mails?(?:adresse|adres)?|address|courriel|correo|usual|user|login|konto|account|compte|cuenta|conta|utente|benutzer|логин|почт\\p{L}{1,2})'
/** `Mail wie immer, dann Zitronenfalter`; behind "and" it has a sign or a capital letter within. */
const MAIL_THEN = new RegExp(
  `(?<!\\p{L})${MAIL}(?!\\p{L})[^.;\\n]{0,24}?,? (?:and then|und dann|et puis|y luego|e poi|e depois|en dan|a potem|а потом|then|dann|puis|luego|depois|poi|dan|potem|потом) ${WORD}${END}|(?<!\\p{L})${MAIL}(?!\\p{L})[^.;\\n]{0,24}? (?:and|und|et|y|e|en|i|и|ve|plus|\\+) (?<verbLast>\\p{Lu}\\p{L}+(?:[._!*-]\\p{L}+)+)${END}`,
  'giu',
)
/** `wifi: HomeNet / teatime`. */
const NET = new RegExp(
  `(?:wi-?fi|wlan|network|netzwerk|netz|réseau|red|rede|rete|сеть|sieć|вайфай)[^\\n/]{0,30} \\/ ${WORD}${END}`,
  'giu',
)
/** `le mot c'est beurrenoisette`. */
const THE_WORD = new RegExp(
  `(?<!\\p{L})(?:the word|das wort|le mot|la palabra|la parola|a palavra|het woord|słowo|слово|kelime)(?: is| ist| c['’]est| est| es| è| é|:| to| это| -)? ${WORD}${END}`,
  'giu',
)
/** `the secret answer is my cat's name, Frida`. */
const ANSWERED =
  /(?<!\p{L})(?:(?:secret|security) answer|antwort|réponse secrète|respuesta secreta|resposta secreta|risposta segreta|geheim antwoord)[^\n.;]{3,50}, (?<value>\p{Lu}\p{L}{2,20})(?=[.!]?\s*(?:$|\n))/giu
/** 聞かれたら コタロウ で, 问密保就填 陈玉兰. */
const WIDE_ASKED =
  /(?:聞かれ(?:たら|れば|ると)|물어보면|问[^\n，。]{0,10}(?:就|请)?(?:填|输|写|答))[ 　「“"]*(?:[^\n 　，。」”"]{2,12}[ 　])*(?<value>[^\n 　，。」”"で]{2,12})(?=[」”"]?\s*(?:で|と|って|$|\n|[。，]))/gu

/** What is typed and no secret. */
const NO_SECRET =
  /^(?:enter|return|escape|tab|your|name|email|mail|password|passwort|code|hello|hallo|hola|help|yes|okay|nothing|again|here|there|later|number|address|date|everything|something|nichts|alles|später|nada|todo|tout|rien|tutto|niente|alles|niets|wszystko|nic|всё|все|ничего|hier|aqui|aquí|ici|qui|tu|там|тут|здесь|numer|nummer|numéro|número|numero|please|bitte|merci|gracias|obrigado|grazie)$/iu

export function typedSpans(said: SaidText): readonly Span[] {
  const { text } = said
  const isAbout = [WIDE_ASKED, ANSWERED].flatMap((pattern) => found(text, pattern))
  if (!/[/,]|\p{L} \p{L}/u.test(text)) return isAbout
  const asked = found(text, IF_ASKED)
  return [
    ...isAbout,
    ...asked,
    ...(isAboutOpening(said) ? [TYPED, MAIL_THEN, NET, THE_WORD].flatMap((one) => found(text, one)) : []),
  ]
}

function found(text: string, pattern: RegExp): readonly Span[] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: whole, groups }) => {
    const value = groups?.['value'] ?? groups?.['verbLast'] ?? ''
    const from = index + whole.lastIndexOf(value)
    const [word] = wordsIn(value)
    const isSecret =
      word !== undefined &&
      !NO_SECRET.test(word.bare) &&
      !isSaidOf(word) &&
      !SMALL.test(word.bare) &&
      !DAY.test(word.bare)
    return isSecret ? [{ from, to: from + value.length, key: 'secret' }] : []
  })
}

function isAboutOpening(said: SaidText): boolean {
  const isThing = ({ bare }: { bare: string }) =>
    (['lock', 'account'] as readonly StemClass[]).some((one) => classesOf(bare).has(one))
  return said.sure().length > 0 || said.words().some(isThing)
}
