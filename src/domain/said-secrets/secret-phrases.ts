/**
 * Secrets that are told as words or turns: a phrase that restores a wallet, the answer to a security question, the turns
 * of a lock with a dial. Pure.
 */
import type { SaidText, Span } from './secret-text.ts'
import { classesOf } from './secret-stems.ts'
import { isSaidOf, wordsIn } from './secret-values-said.ts'
import { CONCEPT, SMALL } from './secret-words.ts'

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

/** `left 14, right 39, left 7`: how a lock with a dial is opened. */
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
/** Words in a row that no sentence has: 8 and more without one small word. */
const ROW = /(?:(?<=[\s:"“„«])\p{Ll}{2,10}[\s,]{1,2}){7,23}\p{Ll}{2,10}(?![\p{L}\p{N}])/gu

/** `my seed phrase starts with ripple cactus orbit lemon …`: from the last small word on. */
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

/** `I always use butterfly as my password`, `везде использую пароль бабочка`: a plain word that is used. */
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

/** The word before `as my password`, or the last of the sentence behind the name. */
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
