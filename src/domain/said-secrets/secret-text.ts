/**
 * A text with what each search for secrets needs: its words, the sure names of secrets, and whether a word looks like
 * a value. Words and names are found once, at the first call.
 */
import { lazily } from '../text/lazily.ts'
import { DAY, sureName } from './secret-words.ts'

export interface Word {
  /** The whole text; `from` and `to` are positions in it. */
  readonly text: string
  /** Without the punctuation around the word. */
  readonly from: number
  readonly to: number
  readonly raw: string
  readonly bare: string
  /** The punctuation mark after it; empty for none. */
  readonly endsWith: string
  readonly endsSentence: boolean
  readonly isQuoted: boolean
}

type Kind = 'quoted' | 'number' | 'mixed' | 'inner' | 'word' | 'other'

/** A quotation is one word; otherwise words are separated by spaces. */
const RUN =
  /"[^"\n]{2,100}"[.,;:!?]*|“[^”\n]{2,100}”[.,;:!?]*|„[^“”"\n]{2,100}[“”"][.,;:!?]*|«[^»\n]{2,100}»[.,;:!?]*|`[^`\n]{2,100}`[.,;:!?]*|(?<![\p{L}\p{N}])'[^'\n]{2,100}'(?![\p{L}\p{N}])[.,;:!?]*|\S+/gu
const OPENING = /^[\s"'“”„«»`‘’([{<¿¡、。，*_]+/u
const CLOSING = /[\s"'“”„«»`‘’)\]}>.,;:!?…、。，！？；：*_]+$/u

export function wordsIn(text: string): readonly Word[] {
  return [...text.matchAll(RUN)].map((found) => wordOf(text, found[0], found.index))
}

function wordOf(text: string, raw: string, at: number): Word {
  const isQuoted = /^["“„«`']/.test(raw) && /["“”»`'][.,;:!?]*$/.test(raw)
  const isMask = /^\W*\*\*\*\W*$/.test(raw)
  const head = isMask ? '' : (OPENING.exec(raw)?.[0] ?? '')
  const rest = raw.slice(head.length)
  // A value can end in a sign that also ends sentences: `Kq7!x9!`.
  const tail = isMask ? '' : (CLOSING.exec(rest)?.[0] ?? '')
  const bare = isMask ? '***' : rest.slice(0, rest.length - tail.length)
  const from = at + head.length
  const newline = /^[^\S\n]*\n/.test(text.slice(at + raw.length, at + raw.length + 80))
  return {
    text,
    from: isQuoted ? at : from,
    to: isMask ? at + raw.length : isQuoted ? at + quotedLength(raw) : from + bare.length,
    raw,
    bare,
    endsWith: tail.replaceAll(/["'“”„«»`‘’)\]}>*_\s]/gu, '').slice(0, 1),
    endsSentence: /[.!?。！？;；]/.test(tail) || (newline && !/[:=：]/.test(tail)),
    isQuoted: isQuoted && !isMask,
  }
}

/** The length with both quotation marks. */
function quotedLength(raw: string): number {
  return raw.replace(/[.,;:!?]*$/, '').length
}

const KNOWN =
  /^(?:sha-?\d+|md5|base-?64|utf-?8|oauth-?2?(?:\.0)?|argon2(?:id)?|bcrypt|aes-?\d*|ed25519|rsa-?\d*|x509|[123]fa|mfa|mp[34]|ipv[46]|h26[45]|[eh]s\d{3}|rs\d{3}|pbkdf2|scrypt|k8s|s3|ec2|web[23]|1password|keepassx?c?2?|p12|pkcs\d+|log4j|http2|win(?:dows)?-?1[01]|ios-?\d+|python[23]|node\d+|es\d+|vue[23]|wpa[23]?|usb-?\d?|q[1-4]|covid-?19|a4|a5|gpt-?\d\w*|u2f|fido2|webauthn|n26|o2|r2d2|b2b|c3po|4k|5g|4g|3g|i18n|l10n|a11y)$/i
/** Programs, machines and things with a version or number; keyboard shortcuts. */
const THINGS =
  /^(?:python|debian|ubuntu|fedora|centos|iphone|ipad|galaxy|pixel|windows|macos|android|server|serveur|servidor|serwer|client|host|kernel|users?|benutzer|tests?|tasks?|raum|zimmer|floor|groups?|gruppe|sprint|issue|ticket|release|version|build|branch|feature|module|chapter|kapitel|image|photo|foto|page|seite|column|camera|kamera|sensor|apollo|volume|level|phase|stage|room|model|node|worker|queue|shard|region|cluster|rack|switch|printer|drucker|laptop|sheet|table|tabelle|order|rechnung|invoice|formula|agenda|schema|vlan|track|postgres(?:ql)?|mysql|mariadb|redis|angular|react|swift|kotlin|java|php|ruby|gcc|clang|llvm|euro|expo)[-_.]?\d+(?:[._-]\d+)*$|^(?:super|ctrl|control|strg|alt|altgr|option|cmd|command|shift|win|windows|fn|meta)(?:\+[\p{L}\p{N}]+)+$/iu
const MEASURE =
  /^(?:\d+(?:[.,]\d+)?-?(?:st|nd|rd|th|px|ms|s|m|h|d|w|x|k|am|pm|AM|PM|[kKMGT][bB]|bits?|bytes?|kg|g|km|cm|mm|min|Hz|MHz|GHz|kW|[%€$£])|\d{1,3}-?(?:[bB]|er|e|E|te|de|ter|ème|eme|º|ª))$/
const FILE =
  /[\\/]|^[\w-]+\.(?:md|tsx?|jsx?|mjs|py|sh|json|ya?ml|txt|html?|css|docx?|xlsx?|pptx?|odt|pdf|png|jpe?g|gif|svg|csv|zip|gz|tar|log|toml|lock|rs|go|java|rb|php|cpp|sql|xml|env|ini|cfg|conf|exe|app|com|org|net|io|dev|info|eu|co|[a-z]{2})$|^[A-Z]+\.(?:MD|TXT|PDF)$/

const kinds = new WeakMap<Word, Kind>()

/** Cached, because each search asks again. */
export function kindOf(word: Word): Kind {
  const known = kinds.get(word) ?? kindFound(word)
  kinds.set(word, known)
  return known
}

function kindFound({ bare, isQuoted, raw }: Word): Kind {
  if (bare === '' || bare === '***') return 'other'
  if (/^(?:https?:|www\.)|^[^@\s]+@[\w-]+\.[\w.-]+$/i.test(bare)) return 'other'
  if (isQuoted) return 'quoted'
  if (isNumber(bare)) return /^[#$€£¥]/.test(raw) || /[%€$£]$/.test(raw) ? 'other' : 'number'
  if (FILE.test(bare) || KNOWN.test(bare) || THINGS.test(bare) || MEASURE.test(bare)) return 'other'
  if (isDated(bare) || /^v?\d+(?:\.\d+)+$/i.test(bare) || /^#?[A-Z]{2,6}-\d{1,5}$/.test(bare)) return 'other'
  if (/\p{N}/u.test(bare) && /\p{L}/u.test(bare)) return isMixed(bare) ? 'mixed' : 'other'
  if (/[\p{L}\p{N}][@$!%^&*#+=_~?][\p{L}\p{N}]/u.test(bare) && bare.length >= 5) return 'mixed'
  if (/^\p{Ll}*\p{L}\p{Ll}+\p{Lu}\p{L}+$/u.test(bare) && bare.length >= 8) return 'inner'
  if (/^\p{Ll}{2,}(?:-\p{Ll}+){2,}$/u.test(bare) && bare.length >= 10) return 'inner'
  return /^[\p{L}][\p{L}'’_-]+$/u.test(bare) ? 'word' : 'other'
}

function isNumber(bare: string): boolean {
  return (
    /^[*#]?\d+(?:[-–]\d+)*[*#]?$/.test(bare) &&
    !/^\d{4}-\d{2}-\d{2}$/.test(bare) &&
    !/^\d{1,2}[-–]\d{1,2}$/.test(bare)
  )
}

function isDated(bare: string): boolean {
  return /^\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?$|^\d{1,2}[:h]\d{2}(?::\d{2})?(?:am|pm)?$|^\d{4}-\d{2}-\d{2}T/i.test(
    bare,
  )
}

/** `hunter2`, `SommerSonne2024`; not `v2`, `8-character`, `X200`, `mid-2024`. */
function isMixed(bare: string): boolean {
  if (bare.length < 4 || /^v\d/i.test(bare)) return false
  if (/^\d+-\p{L}{3,}$/u.test(bare) || /^\p{L}+-\d{1,4}$/u.test(bare)) return false
  if (/^\d+(?:[.,]\d+)*\p{L}{1,12}$/u.test(bare) && !/\p{Lu}/u.test(bare) && /^\d{1,2}\p{L}/u.test(bare))
    return false
  return !/^\d{4}'?s$/.test(bare) && !/^\d+[年月日号個个位条次天分桁文回件円元자리일번개]/u.test(bare)
}

/** Words that describe a secret: `the password is wrong`. */
const SAID_OF =
  /^(?:not|no|never|always|still|also|too|very|so|only|just|really|here|there|in|on|at|by|with|from|under|above|below|as|it|this|what|who|why|how|where|when|which|because|if|and|or|but|wrong|right|correct|weak|strong|long|short|old|new|safe|secure|same|different|empty|good|bad|easy|hard|better|gone|lost|known|unknown|unique|private|public|secret|personal|temporary|visible|hidden|mandatory|optional|needed|broken|stolen|required|ready|fine|okay|funny|simple|complex|identical|invalid|valid|clear|unclear|obvious|ugly|random|default|blank|missing|sensitive|crucial|slow|fast|english|german|ok|nice|fun|over|off|on|out|down|case|enough|done|fixed|that|then|than|yet|there|their|lowercase|uppercase|written|hashed|sent|kept|too|set|up|due|back|stale|plain|case-sensitive|one|two|three|about|important|something|nothing|everything|anything|mine|yours|ours|nicht|kein|keine|auch|noch|immer|nie|sehr|zu|nur|hier|dort|im|in|auf|bei|unter|mit|falsch|richtig|schwach|stark|lang|kurz|alt|neu|sicher|gleich|leer|gut|schlecht|weg|geheim|schon|jetzt|wieder|mal|ein|eine|leicht|schwer|wichtig|pas|plus|trop|très|toujours|jamais|dans|sur|avec|sous|chez|faux|bon|mauvais|faible|fort|long|court|vieux|nouveau|perdu|inconnu|secret|requis|un|une|facile|difficile|incorrecte?|correcte?|no|nunca|siempre|muy|demasiado|en|sobre|con|bajo|aquí|débil|fuerte|largo|larga|corto|corta|viejo|vieja|nuevo|nueva|segura?|seguro|igual|secreta|un|una|incorrect[oa]s?|correct[oa]s?|fácil|difícil|não|nunca|sempre|muito|em|sobre|com|aqui|fraca|forte|longa|curta|velha|segura|igual|incorreta|correta|um|uma|errada|obrigatória|non|mai|molto|troppo|nel|nella|sul|sulla|qui|debole|lunga|corta|vecchia|nuova|sicura|uguale|sbagliata|errata|corretta|semplice|niet|nooit|altijd|erg|te|op|bij|met|onder|hier|fout|juist|zwak|sterk|lang|kort|oud|nieuw|veilig|leeg|goed|een|verplicht|nie|zawsze|nigdy|bardzo|zbyt|za|w|na|pod|tu|słabe|silne|długie|krótkie|stare|nowe|bezpieczne|złe|dobre|puste|błędne|не|нет|всегда|никогда|очень|слишком|в|на|под|с|здесь|там|слабый|сильный|длинный|короткий|старый|новый|один|değil|çok|hep|asla|burada|yok|var|nedir|ne|unuttum|zayıf|güçlü|uzun|kısa|eski|yeni|güvenli|yanlış|doğru|boş|bir)$/iu
/** Endings of adjectives and participles after each word for "is". */
const ENDINGS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:is|are|was|be|now)$/i, /(?:ed|ing|able|ible|ful|less|ly|ous|ive|ant|ent|ic|al|ized|ised)$/iu],
  [
    /^(?:ist|sind|war)$/i,
    /^(?:ge|ver|be|er|ab|an|aus|ein)\p{L}+(?:t|en)$|(?:bar|lich|los|iert|ig|isch|haft|sam|ernt|end)$/iu,
  ],
  [
    /^(?:est|sont|était|etait|c[’']est)$/i,
    /(?:ée?s?|ables?|ibles?|ant|eux|euse|ique|oire|ible|el|elle|if|ive|it|ite|u|ue|is|ise)$/iu,
  ],
  [
    /^(?:es|son|era|é|são|foi)$/i,
    /(?:ad[oa]s?|id[oa]s?|os[oa]s?|ori[oa]s?|órias?|ables?|ibles?|ável|ível|ante|ente|al|nt[oa])$/iu,
  ],
  [
    /^(?:è|sono|era)$/i,
    /(?:at[oaie]|it[oaie]|ut[oaie]|ort[oa]|ort[ie]|abile|ibile|ante|ente|os[oa]|ale|ori[oa]|as[oa])$/iu,
  ],
  [/^(?:zijn|is|was)$/i, /^(?:ge|ver|be)\p{L}+(?:d|t|en)$|(?:baar|lijk|eerd|ig|loos)$/iu],
  [/^(?:jest|to|było)$/i, /(?:ny|na|ne|ty|ta|te|owe|owy|owa|ony|ona|one|ie|sze)$/iu],
  [/^$/, /(?:[dt][ıiuü]|m[ıiuü]ş|yor|cak|cek|malı|meli|lar|ler|nedir|[ıiuü]r|mı|mi)$/iu],
  [/^\p{sc=Cyrillic}+$|^[–—-]$/u, /(?:н[аоы]?|ый|ой|ий|ая|ое|ее|ен|ет|ют|ся|ть)$/iu],
]

export function isSaidOf({ bare }: Word): boolean {
  return SAID_OF.test(bare)
}

export function isAdjective({ bare }: Word, binder: string): boolean {
  return /^\p{Ll}/u.test(bare) && ENDINGS.some(([is, ending]) => is.test(binder) && ending.test(bare))
}

/** A plain word that is the value: a name, or the last word of its sentence if it isn't an adjective. */
export function isPlainAfterIs(words: readonly Word[], at: number, binder: string): boolean {
  const word = words[at] as Word
  const next = words[at + 1]
  const isLast = next === undefined || word.endsSentence || word.endsWith !== ''
  const { bare } = word
  if (bare.length < 3 || SAID_OF.test(bare) || DAY.test(bare)) return false
  if (isAdjective(word, binder)) return false
  const isName = /^\p{Lu}\p{Ll}{3,}$/u.test(bare) && !/^\p{Lu}/u.test(words[at - 1]?.bare ?? '')
  return isName || isLast
}

export interface Span {
  readonly from: number
  readonly to: number
  /** The name that the value was given under, to tell the speaker. */
  readonly key: string
}

export interface SaidText {
  readonly text: string
  words(): readonly Word[]
  /** Sure names of secrets, in order. */
  sure(): readonly Span[]
}

export function saidText(text: string): SaidText {
  return {
    text,
    words: lazily(() => wordsIn(text)),
    sure: lazily(() =>
      [...text.matchAll(sureName())].map(({ index, 0: key }) => ({
        from: index,
        to: index + key.length,
        key,
      })),
    ),
  }
}
