/**
 * Secrets made of plain words: the phrase that restores a wallet, the answer to a security question, a word that is
 * typed in (`if it asks for my first pet put Whiskers`). Also the turns of a dial. A typed word counts only at the
 * end of its sentence, if the text names what it opens.
 */
import { classesOf, type StemClass } from './secret-stems.ts'
import { isSaidOf, type SaidText, type Span, type Word, wordsIn } from './secret-text.ts'
import { CONCEPT, DAY, SMALL } from './secret-words.ts'

const TURN =
  '(?:left|right|clockwise|links|rechts|gauche|droite|izquierda|derecha|sinistra|destra|esquerda|direita|lewo|prawo|влево|вправо|налево|направо|sol[ae]?|sağa?|v[äa]nster|h[öo]ger|venstre|h[øo]jre|høyre|vasen|vasemmalle|oikea|oikealle|vlevo|vpravo|doleva|doprava|balra|jobbra|st[âa]nga|dreapta|左|右|왼쪽|오른쪽)'
/** `右に3回18`, `left twice to 12`. */
const HOW_OFTEN =
  '(?:[^\\d\\n.]{0,4}\\d ?(?:回|次|times|turns|mal|fois|tours|veces|vueltas|vezes|voltas|volte|giri|keer|razy|раза?|kez|x)(?!\\p{L}))?'
const TURNS = new RegExp(
  `${TURN}${HOW_OFTEN}[^\\d\\n.]{0,14}(\\d{1,3}(?:[^\\d\\n.]{0,14}${TURN}${HOW_OFTEN}[^\\d\\n.]{0,14}\\d{1,3}){1,5})(?!\\d)`,
  'giu',
)
const TURNED_BACK = new RegExp(
  `(?<!\\d)(\\d{1,3}(?:[^\\d\\n.]{1,14}${TURN}[^\\d\\n.]{1,9}\\d{1,3}){1,5})[^\\d\\n.]{1,14}${TURN}`,
  'giu',
)
const TURNED =
  /safe|lock|combin|vault|tresor|schlo(?:ss|ß)|coffre|cadenas|caja|candado|cassaforte|lucchetto|cofre|cadeado|kluis|slot|sejf|kłódk|zamek|zamk|сейф|замо?к|kasa|kilit|kassaskåp|lås|pengeskab|kassakaap|lukko|trezor|zámek|széf|lakat|seif|金庫|倉庫|仓库|物置|ロッカー|锁|鎖|で開|打开|郵便受|ポスト|保险|保險|ダイヤル|金库|금고|자물쇠|komb/iu

/** `left 14, right 39, left 7`: the turns of a dial. */
function turnedSpans({ text, words }: SaidText): readonly Span[] {
  if (!TURNED.test(text) && !words().some(({ bare }) => classesOf(bare).has('lock'))) return []
  const key = 'combination'
  const back = [...text.matchAll(TURNED_BACK)].map(({ index, 1: turns = '' }) => ({
    from: index,
    to: index + turns.length,
    key,
  }))
  const ahead = [...text.matchAll(TURNS)].map(({ index, 0: whole, 1: turns = '' }) => {
    const to = index + whole.length
    return { from: to - turns.length, to, key }
  })
  return [...ahead, ...back]
}

const SEED =
  /(?:seed|recovery|backup|mnemonic|secret)[ -]?(?:phrase|words)|mnemonic|frase (?:semilla|secreta|segreta|de recuperaci[óo]n|de recupera[çc][ãa]o|di recupero)|phrase (?:secr[eè]te|de r[ée]cup[ée]ration)|(?:wiederherstellungs|herstel|seed)-?(?:phrase|wörter|zin|woorden)|fraz\p{L} (?:odzyskiwania|seed)|сид-?фраз\p{L}*|фраз\p{L} восстановления|kurtarma (?:ifadesi|kelimeleri)/iu
/** Eight words in a row without a small word are not a sentence. */
const ROW = /(?:(?<=[\s:"“„«])\p{Ll}{2,10}[\s,]{1,2}){7,23}\p{Ll}{2,10}(?![\p{L}\p{N}])/gu

/** `my seed phrase starts with ripple cactus orbit lemon …`: all after the last small word. */
function seedSpans({ text }: SaidText): readonly Span[] {
  const name = SEED.exec(text)
  if (name === null) return []
  const after = name.index + name[0].length
  return [...text.slice(after).matchAll(ROW)].flatMap(({ index, 0: row }) => {
    const words = [...row.matchAll(/\p{L}+/gu)]
    const small = words.findLastIndex(({ 0: word }) => SMALL.test(word))
    const first = words[small + 1]
    if (first === undefined || words.length - small - 1 < 8) return []
    return [{ from: after + index + first.index, to: after + index + row.length, key: 'recovery phrase' }]
  })
}

const QUESTION =
  /(?:security|secret) question|sicherheitsfrage|geheimfrage|question (?:secr[eè]te|de s[ée]curit[ée])|pregunta (?:de seguridad|secreta)|domanda (?:di sicurezza|segreta)|pergunta (?:de seguran[çc]a|secreta)|beveiligingsvraag|geheime vraag|pytani\p{L} (?:pomocnicz|bezpieczeństwa|kontroln)|(?:секретн|контрольн)\p{L}+ вопрос|güvenlik sorusu|säkerhetsfråg/iu
const ANSWER =
  /(?<!\p{L})(?:answer|antwort|r[ée]ponse|respuesta|risposta|resposta|antwoord|odpowied[źz]|ответ|cevab?p?ı?|svar(?:et)?)(?: (?:is|ist|lautet|est|es|é|è|jest|to|är))?[\s:–—-]+["“„«]?(\p{L}[\p{L}\p{N}-]+)(?=["”“»]?\s*(?:[.!,;\n]|$))/giu

function answerSpans({ text }: SaidText): readonly Span[] {
  if (!QUESTION.test(text)) return []
  return [...text.matchAll(ANSWER)].map(({ index, 0: whole, 1: answer = '' }) => {
    const to = index + whole.length
    return { from: to - answer.length, to, key: 'answer' }
  })
}

const USE =
  /(?<!\p{L})(?:us(?:e[sd]?|ing)|take|took|chose|benutz\p{L}*|verwend\p{L}*|nehme?|nahm|nutz\p{L}*|utilis\p{L}*|j[’']utilise|uso|usa|usar|usamos|utilizo|gebruik\p{L}*|używa\p{L}*|использу\p{L}*|kullan\p{L}*|använd\p{L}*|bruger|käytä\p{L}*|set|put|made|gesetzt|genommen|gemacht|mis|choisi|puse|puesto|elegí|botei|coloquei|pus|messo|impostato|scelto|ingesteld|gezet|ustawi\p{L}*|dał[ae]m|постав\p{L}*|придум\p{L}*|сделал\p{L}*|yaptım|koydum|seçtim)(?!\p{L})/iu
const AS = /^(?:as|als|comme|como|come|jako|как|olarak|som)$/iu
const WORDED = /pass|wor[dt]|woord|kenn|contra|senha|has[łl]|парол|şifre|parola|mdp|ord/iu

/** `I always use butterfly as my password`, `везде использую пароль бабочка`. */
function usedSpans({ text, sure }: SaidText): readonly Span[] {
  if (!USE.test(text)) return []
  return sure().flatMap(({ from: index, key: name }) => {
    const start = Math.max(0, index - 80)
    const use = USE.exec(text.slice(start, index))
    const value = use === null || !WORDED.test(name) ? null : usedWord(text, index, name.length)
    const isAfterUse = value !== null && value.from >= start + (use?.index ?? 0) + (use?.[0].length ?? 0)
    return isAfterUse ? [{ from: value.from, to: value.to, key: name.toLowerCase() }] : []
  })
}

/** The word before `as my password`, or the last word of the sentence after the name. */
function usedWord(text: string, index: number, length: number): { from: number; to: number } | null {
  const start = Math.max(0, index - 80)
  const end = index + length
  const [after, next] = wordsIn(text.slice(end, end + 60))
  if (after !== undefined && CONCEPT.test(after.bare)) return null
  const before = wordsIn(text.slice(start, index))
  const as = before.findLastIndex(({ bare }) => AS.test(bare))
  const isJust = as > 0 && before.slice(as + 1).every(({ bare }) => SMALL.test(bare))
  const isLast = after !== undefined && (after.endsSentence || after.endsWith === ',' || next === undefined)
  const word = isJust ? before[as - 1] : isLast ? after : undefined
  if (word === undefined || !/^\p{L}{4,}$/u.test(word.bare) || isSaidOf(word) || SMALL.test(word.bare))
    return null
  const offset = isJust ? start : end
  return { from: offset + word.from, to: offset + word.to }
}

/** `anna@example.com / hunter2`; not `git@example.com:owner/repo`, not a port. */
const PAIR =
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}(?:\s?[:|]\s?|\s\/\s)(?!\d{1,5}(?!\S))([^\s/:]{4,64})(?=\s|$)/gu

function pairSpans({ text }: SaidText): readonly Span[] {
  return [...text.matchAll(PAIR)]
    .filter(({ 1: value = '' }) => /[\d@$!%^&*#+?~]/u.test(value) && !/\.git$|\.\w{2,4}$/u.test(value))
    .map(({ index, 0: whole, 1: value = '' }) => {
      const to = index + whole.length
      return { from: to - value.length, to, key: 'password' }
    })
}

export function phraseSpans(said: SaidText): readonly Span[] {
  return [turnedSpans, seedSpans, answerSpans, usedSpans, pairSpans].flatMap((find) => find(said))
}

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
/** `Mail wie immer, dann Zitronenfalter`; after "and" only a word with a sign or a capital letter inside counts. */
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

/** Words that are typed but are not secrets. */
const NO_SECRET =
  /^(?:enter|return|escape|tab|your|name|email|mail|password|passwort|code|hello|hallo|hola|help|yes|okay|nothing|again|here|there|later|number|address|date|everything|something|nichts|alles|später|nada|tod[oa]|tout|rien|tutto|niente|alles|niets|wszystko|nic|всё|все|ничего|hier|aqui|aquí|ici|qui|tu|там|тут|здесь|numer|nummer|numéro|número|numero|please|bitte|merci|gracias|obrigado|grazie)$/iu

export function typedSpans(said: SaidText): readonly Span[] {
  const { text } = said
  const isAbout = [WIDE_ASKED, ANSWERED].flatMap((pattern) => found(text, pattern))
  if (!/[/,]|\p{L} \p{L}/u.test(text)) return isAbout
  const asked = found(text, IF_ASKED)
  return [
    ...isAbout,
    ...asked,
    ...(isAboutAny(said, ['lock', 'account'])
      ? [TYPED, MAIL_THEN, NET, THE_WORD].flatMap((one) => found(text, one))
      : []),
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

/** True for a text with the name of a secret or a word of these classes. */
export function isAboutAny(said: SaidText, things: readonly StemClass[]): boolean {
  const isThing = ({ bare }: Word) => things.some((one) => classesOf(bare).has(one))
  return said.sure().length > 0 || said.words().some(isThing)
}
