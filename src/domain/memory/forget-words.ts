/**
 * How people ask to forget something, by language. To add one: its words here, and its replies in forget-replies.ts.
 */
import { lazily } from '../text/lazily.ts'

export type Language =
  | 'en'
  | 'de'
  | 'es'
  | 'fr'
  | 'it'
  | 'pt'
  | 'nl'
  | 'pl'
  | 'ru'
  | 'sv'
  | 'tr'
  | 'zh'
  | 'ja'
  | 'ko'

export interface Asked {
  readonly language: Language
  /** What to forget, in the words of the request. */
  readonly what: string
  readonly all: boolean
}

interface Words {
  readonly verb: string
  readonly all: string
  readonly about: string
  readonly that: string
  /** After the verb: about the conversation, not about memory. */
  readonly not: string
  /** Fillers at the end. */
  readonly end?: string
  /** `delete … from your memory`: the words before and after. */
  readonly erase: readonly [string, string]
}

const PLEASE =
  "(?:(?:please|bitte|por favor|per favore|per piacere|s['’]il (?:te|vous) pla[iî]t|stp|alsjeblieft|alstublieft|proszę|пожалуйста|snälla|lütfen|neo|hey neo)[,\\s]+)*"

const WORDS: Readonly<Partial<Record<Language, Words>>> = {
  en: {
    verb: "(?:(?:can|could|would|will) you (?:please )?)?forget|(?:do not|don['’]?t) remember|no longer remember",
    all: '(?:everything|all|anything)(?: (?:you know|that you know|i said|i told you))?',
    about: 'what (?:i|we) (?:said|told you) (?:about|of)|about|on',
    that: 'that|the fact that',
    not: 'it|that|this|about (?:it|that)|me(?: not)?|nothing|not(?:[ ,].*)?|to .*|how .*',
    end: ',? (?:please|any ?more|again|now)',
    erase: ['(?:delete|remove|erase|drop)', 'from (?:your |the )?memory'],
  },
  de: {
    verb: 'vergiss|vergessen sie|(?:kannst|könntest|würdest) du (?:bitte )?vergessen',
    all: 'alles(?: was du)?',
    about: 'was ich (?:dir )?(?:über|zu|von|vom)|über|zu|von|vom|zum|zur',
    that: 'dass|daß|das[,]? dass',
    not: 'nicht(?:[ ,].*)?|es|das|dies|mich(?: nicht)?|zu .*|wie .*|nie .*',
    end: ',? (?:bitte|wieder|weißt|(?:gesagt|erzählt|gemeint) habe)',
    erase: ['(?:lösche?|entferne|streiche?)', 'aus (?:deinem |dem )?gedächtnis'],
  },
  es: {
    verb: 'olvida(?:te)?|olvídate|olvide|olvidad|(?:puedes|podrías) olvidar',
    all: 'tod[oa](?: lo que (?:sabes|dije|te dije))?|cuanto (?:sabes|dije|te dije)',
    about: 'lo que (?:te )?(?:he dicho|dije) (?:sobre|de|del)|lo de la|lo de|lo del|sobre|acerca de|de|del',
    that: 'que',
    not: 'lo|eso|esto|no .*|me',
    erase: ['(?:borra|elimina|quita)', 'de (?:tu|la) memoria'],
  },
  fr: {
    verb: 'oublie[zs]?|(?:peux-tu|pourrais-tu|pouvez-vous|tu peux) oublier',
    all: "tout(?: ce que (?:tu sais|j[’']ai dit))?",
    about: "ce que (?:je t['’]ai|j['’]ai) dit (?:sur|de|du|à propos de)|sur|à propos de|au sujet de",
    that: "que|qu['’]",
    not: "ça|cela|moi|pas(?:[ ,].*)?|de .*|d['’].*",
    erase: ['(?:efface|supprime|retire)', 'de (?:ta|la|votre) mémoire'],
  },
  it: {
    verb: 'dimentica(?:ti)?|dimentichi|scorda(?:ti)?|(?:puoi|potresti) dimenticare',
    all: 'tutto(?: quello che (?:sai|ho detto))?',
    about:
      "quello che (?:ti )?ho detto (?:su|di|del|della|sul|sulla)|su|sul|sulla|di|del|della|dell[’']|riguardo a",
    that: 'che',
    not: 'lo|ciò|questo|non .*|mi',
    erase: ['(?:cancella|elimina|togli)', 'dalla (?:tua )?memoria'],
  },
  pt: {
    verb: 'esquece|esqueça|esqueci|(?:pode|podes|poderia) esquecer',
    all: 'tudo(?: o que (?:sabes|sabe|eu disse))?',
    about: 'o que (?:eu )?(?:te )?(?:disse|falei) (?:sobre|de|do|da)|sobre|acerca de|de|do|da',
    that: 'que',
    not: 'isso|isto|não .*|o|me',
    erase: ['(?:apaga|apague|remove|remova|elimina)', 'da (?:tua |sua )?memória'],
  },
  nl: {
    verb: 'vergeet|(?:kun|kan|wil|zou) je (?:alsjeblieft )?vergeten',
    all: 'alles(?: wat je weet| wat ik (?:zei|heb gezegd))?',
    about: 'wat ik (?:je )?(?:over|van)|over|van',
    that: 'dat',
    not: 'niet(?:[ ,].*)?|het|dat|dit|mij|om .*',
    end: ',? (?:alsjeblieft|maar|(?:heb )?(?:gezegd|verteld)(?: heb)?)',
    erase: ['(?:wis|verwijder|haal)', 'uit (?:je |het )?geheugen'],
  },
  pl: {
    verb: 'zapomnij|zapomnijcie|(?:możesz|mógłbyś|mogłabyś) zapomnieć',
    all: 'wszystk(?:o|im)(?:,? co (?:wiesz|mówił[ea]m))?',
    about: '(?:o )?(?:tym|to),? co mówił[ea]m o|o|ws\\.',
    that: 'że',
    not: 'to|tego|o tym|nie[ ,].*|mnie',
    erase: ['(?:usuń|wykasuj|skasuj)', 'z pamięci'],
  },
  ru: {
    verb: 'забудь(?:те)?|(?:можешь|можете) забыть',
    all: 'вс[её](?:,? что (?:ты )?(?:знаешь|знаете|я говорила?))?',
    about: '(?:то,? )?что я (?:тебе )?(?:говорил|сказал)а? (?:про|об?)|про|об?|насч[её]т',
    that: 'что',
    not: 'это|об этом|не .*|меня',
    erase: ['(?:удали|сотри|убери)', 'из памяти'],
  },
  sv: {
    verb: 'glöm(?: bort)?|(?:kan du|skulle du kunna) glömma',
    all: 'allt(?: du vet| jag sa)?',
    about: 'vad jag sa om|det jag sa om|om',
    that: 'att',
    not: 'det|inte(?:[ ,].*)?|mig|bort',
    erase: ['(?:ta bort|radera)', 'ur (?:ditt |)minnet?'],
  },
}

const LANGUAGES = Object.entries(WORDS) as [Language, Words][]
const asks = lazily(() =>
  LANGUAGES.map(([language, { verb, all, about, that, not, end, erase }]) => ({
    language,
    ask: new RegExp(
      `^${PLEASE}(?:${verb})(?![\\p{L}\\p{N}])[,:]?\\s+(?:${PLEASE.slice(0, -1)}?)(?:(${all})(?:[,\\s]+|$))?(?:,?\\s*(?:${about})(?![\\p{L}\\p{N}])\\s*)?(?:,?\\s*(?:${that})(?![\\p{L}])\\s*(?=\\S))?(.*)$`,
      'iu',
    ),
    erase: new RegExp(`^${PLEASE}${erase[0]}\\s+()(.+?)\\s+${erase[1]}$`, 'iu'),
    not: new RegExp(`^(?:${not})?$`, 'iu'),
    end: end === undefined ? null : new RegExp(`${end}$`, 'iu'),
  })),
)

/** Languages whose verb is at the end, or that put no spaces between words. */
const OTHERS: readonly (readonly [Language, RegExp])[] = [
  [
    'zh',
    /^(?!.*(?:别忘|別忘|不要忘|没忘|不能忘|忘不))(?:请|請)?(?:你)?把(所有)?(?:关于|關於)?(.+?)(?:忘记|忘掉|忘了|忘記)(?:吧)?$/u,
  ],
  [
    'zh',
    /^(?!别|別|不要|我|没)(?:请|請)?(?:你)?(?:忘记|忘掉|忘了|忘記)(所有|一切)?(?:关于|關於|有关)?(.+?)(?:吧)?$/u,
  ],
  ['zh', /^(?:请|請)?(?:别再|不要再|別再)(?:记得|记住|記得|記住)()(.+?)(?:了|吧)?$/u],
  ['zh', /^(?:请|請)?从(?:你的)?(?:记忆|記憶)(?:中|里)(?:删除|移除|抹去)()(.+)$/u],
  [
    'ja',
    /^(すべて|全部)?(.+?)(?:のこと|という(?:こと|の)|こと|について(?:は)?)?(?:を|は|も)?(?:全部|すべて)?忘れて(?:ください|くれ|ね|下さい|ほしい)?$/u,
  ],
  ['ja', /^(.*?)(.+?)を(?:記憶|メモリ)から(?:消して|削除して)(?:ください|下さい)?$/u],
  [
    'ko',
    /^(?:제발\s*)?(전부)?\s*(.+?)(?:다는 (?:걸|것을|거)|라는 (?:걸|것을)|을|를|에 대해(?:서)?)?\s*(?:전부|모두)?\s*잊어(?:\s?줘|주세요|버려)?$/u,
  ],
  [
    'tr',
    /^(?:lütfen\s+)?()(.+?)(?:\s+hakkında(?:ki)?)?(?:\s+her şeyi)?(?:\s+olduğunu)?\s+unut(?:un|unuz|ur musun)?(?:\s+lütfen)?$/iu,
  ],
]
const EVERYTHING = /一切|所有|全部|すべて|전부|모두|her şeyi/u

/** The request in a message; null if it isn't one. */
export function askedToForget(text: string): Asked | null {
  const line = text.trim().replace(/[.!?。！？\s]+$/u, '')
  for (const { language, ask, erase, not, end } of asks()) {
    const found = erase.exec(line) ?? ask.exec(line)
    if (found === null) continue
    const what = (found[2] ?? '').replace(end ?? /$^/u, '').trim()
    return not.test(what) ? null : { language, what, all: (found[1] ?? '') !== '' }
  }
  for (const [language, pattern] of OTHERS) {
    const found = pattern.exec(line)
    if (found === null) continue
    const what = (found[2] ?? '').replace(/(?:的一切|的所有事?|的事情?|的)$/u, '').trim()
    return what === '' ? null : { language, what, all: (found[1] ?? '') !== '' || EVERYTHING.test(line) }
  }
  return null
}
