/**
 * Facts that a sentence asks to remember, in many languages. Invariant 1: a passing state (`my dog is sick today`,
 * `im Urlaub`, `until Friday`, `my mood`) is not a fact. It is only in the notes of its day, with the date.
 */

import { lazily } from '../text/lazily.ts'
import { cut } from '../text/one-line.ts'
import { keyedIn, PLEASE } from './distill-keyed.ts'

export interface Fact {
  /** '' for a statement without a key. */
  readonly key: string
  readonly value: string
}

const MOST_FACT = 400

/** A verb, then the word for `that`. `Don't forget` needs that word: without it, the sentence is about a task. */
const VERBS: readonly (readonly [verbs: string, that: string])[] = [
  ['remember|note|memori[sz]e|keep in mind|make a note', 'that|of'],
  ['merk(?:e|en)? (?:dir|sie sich)|bitte merken?|notier(?:e|en sie)?|behalte?|denk(?:e)? da?ran', 'dass'],
  ['recuerda|recuerde|acuérdate(?: de)?|anota|apunta|ten en cuenta', 'que'],
  ['souviens-toi|souvenez-vous|rappelle-toi|retiens|retenez|notez?|mémorise', "que|qu['’](?=\\p{L})"],
  ['ricorda(?:ti)?|tieni a mente|annota|segnati', 'che'],
  ['lembra(?:-te| de)?|lembre(?:-se)?|recorda|anote|memoriza', '(?:de )?que'],
  ['onthoud|noteer|schrijf op', 'dat'],
  ['zapamiętaj|pamiętaj|zanotuj|zapisz', 'że'],
  ["запомни(?:те)?|помни(?:те)?|запиши(?:те)?|учти(?:те)?|запам[’']ятай", 'что|що'],
  [
    "don[’']t forget|vergiss nicht|no olvides|n[’']oublie pas|non dimenticare|não (?:te )?esqueças?|vergeet niet|nie zapomnij|не забудь(?:те)?",
    '!',
  ],
]
const ALL_THAT = "that|dass|que|qu['’]|che|dat|że|что"

const asked = lazily(() =>
  VERBS.map(([verbs, that]) =>
    that === '!'
      ? new RegExp(`^${PLEASE}(?:${verbs})[,:]?\\s+(?:${ALL_THAT})\\s*(.+)$`, 'iu')
      : new RegExp(
          `^${PLEASE}(?:${verbs})(?![\\p{L}\\p{N}-])[,:：]?\\s*(?:(?:${that})(?:(?<=['’])|(?![\\p{L}\\p{N}]))[:,]?\\s*)?(.+)$`,
          'iu',
        ),
  ),
)
const ASKED_WIDE = [
  /^(?:请|請)?(?:你)?(?:帮我)?(?:记住|記住|记下|記下|记一下|牢记|记着)[了：:，,、\s]*(.+)$/u,
  /^(.+?)(?:を|と|って|ことを)?(?:覚えて|記憶して|メモして)(?:おいて)?(?:ください|くれ|ね)?[。.]?$/u,
  /^(?:覚えて|記憶して|メモして)(?:おいて)?(?:ください|ね)?[：:、,。\s]+(.+)$/u,
  /^(.+?)(?:을|를|라고|다고)?\s*(?:기억해|메모해)(?:\s?줘|\s?두세요|주세요)?[.]?$/u,
]

/** `remember to …` is a task, `note …?` a question; infinitives of other languages are tasks too. */
const NO_FACT =
  /^(?:to|when|how|me|my name\?)\b|[?？]\s*$|^(?:de|d['’]|di)\s|^(?:żeby|aby|чтобы)(?!\p{L})|^\p{L}+(?:ar|er|ir|ть|чь|ти)(?:\s|$)|\szu\s\p{Ll}+en$|\ste\s\p{Ll}+en$/iu
/** English nouns can end like Spanish infinitives: `paper is there`. */
const INFINITIVE = /^\p{L}+(?:ar|er|ir)(?:\s|$)/iu
/** `de` is an article in Dutch. */
const DUTCH = /^(?:onthoud|noteer|schrijf op|vergeet niet)(?!\p{L})/iu
const SPANISH = /^(?:recuerda|recuerde|acuérdate|anota|apunta|lembra|lembre|recorda|anote|memoriza|ricorda)/iu

/**
 * What the sentence states with a key or asks to remember. What it says after the value of a key is a fact of its own.
 * @param before whether the words before it asked to remember it
 */
export function factsOf(sentence: string, before: Statement['asked'] = 'no'): readonly Fact[] {
  const plain = withoutVerb(sentence)
  const asked = plain === null ? before : 'yes'
  const keyed = keyedIn(plain ?? sentence)
  if (keyed === null) return plain === null ? [] : lasting(askedIn(plain, sentence), { sentence, asked })
  const { key, value, rest } = keyed
  const own = rest === '' ? sentence : sentence.slice(0, -rest.length)
  const more = rest.replace(ELLIPSIS, `$1 ${key.replace(/^.*['’]s\s/u, '')}`)
  return [...lasting({ key, value: bare(value) }, { sentence: own, asked }), ...factsAfter(more, asked)]
}

/** `my wife's is 6 June`, after `my birthday is 4 May`. */
const ELLIPSIS = /^(my\s+[\p{L} -]{1,40}?['’]s)(?=\s+(?:is|are)(?!\p{L}))/iu

const REQUEST = /^(?:(?:can|could|would|will) you|please|pls|let[’']s)\b/iu
/** What `I am tired` says of somebody. */
const SAID_OF = /^(?:I|we|he|she|it|they)(?:\s+(?:am|is|are|was|were)|[’'](?:m|s|re))\s+(.+)$/iu

function factsAfter(rest: string, asked: Statement['asked']): readonly Fact[] {
  if (withoutVerb(rest) !== null || keyedIn(rest) !== null) return factsOf(rest, asked)
  const value = bare(rest)
  const isNow = asked === 'no' && state().test(SAID_OF.exec(value)?.[1] ?? '')
  return isNow || REQUEST.test(value) ? [] : lasting({ key: '', value }, { sentence: rest, asked })
}

function lasting(fact: Fact | null, of: Pick<Statement, 'sentence' | 'asked'>): readonly Fact[] {
  return fact === null || fact.value === '' || isPassing({ ...fact, ...of }) ? [] : [fact]
}

function askedIn(plain: string, sentence: string): Fact | null {
  const value = bare(plain)
  return value === '' || isTask(value, sentence) ? null : { key: '', value }
}

function isTask(value: string, sentence: string): boolean {
  if (DUTCH.test(sentence) && /^de\s/iu.test(value)) return /[?？]\s*$/.test(value)
  if (INFINITIVE.test(value) && !SPANISH.test(sentence))
    return /^(?:to|when|how|me)\b|[?？]\s*$/iu.test(value)
  return NO_FACT.test(value)
}

function withoutVerb(sentence: string): string | null {
  for (const pattern of [...asked(), ...ASKED_WIDE]) {
    const found = pattern.exec(sentence)
    if (found !== null) return found[1] ?? ''
  }
  return null
}

function bare(text: string): string {
  return cut(text.trim().replace(/[.。！!\s]+$/u, ''), MOST_FACT)
}

interface Statement {
  readonly key: string
  readonly value: string
  readonly sentence: string
  /** True if the person asked to remember it. */
  readonly asked: 'yes' | 'no'
}

/** Words that limit a statement to now. */
const NOW_WORDS = [
  'today|tonight|tomorrow|yesterday|now|right now|currently|at the moment|for now|temporarily|just now|these days',
  'this (?:week|month|morning|afternoon|evening|weekend)|(?:next|last) (?:week|month|weekend)',
  'heute|gerade|jetzt|momentan|zurzeit|derzeit|gestern|im moment|diese woche|heute abend|morgen früh|übermorgen|vorübergehend',
  'hoy|ahora|ayer|(?<!la )mañana|esta (?:semana|tarde|noche)|por ahora|en este momento',
  "aujourd[’']hui|maintenant|demain|hier|cette semaine|ce (?:matin|soir)|en ce moment",
  'oggi|adesso|domani|ieri|stasera|questa settimana|in questo momento|per ora',
  'hoje|agora|amanhã|ontem|esta semana|neste momento',
  'vandaag|nu|gisteren|deze week|vanavond|op dit moment',
  'dziś|dzisiaj|teraz|jutro|wczoraj|w tym tygodniu|w tej chwili',
  'сегодня|сейчас|завтра|вчера|на этой неделе|пока|теперь',
]
const NOW_WIDE =
  '今天|现在|明天|昨天|这周|本周|今晚|目前|今日|今夜|今週|今朝|今は|今、|明日|昨日|오늘|지금|내일|어제'
const now = lazily(
  () => new RegExp(`(?<![\\p{L}\\p{N}])(?:${NOW_WORDS.join('|')})(?![\\p{L}\\p{N}])|${NOW_WIDE}`, 'iu'),
)
const GERMAN_TOMORROW = /(?<!(?:jeden|am) )(?<!guten )\bmorgen\b/u
const LASTING =
  /(?<![\p{L}\p{N}])(?:from now on|every|each|always|ab jetzt|ab sofort|jede[nrsm]?|immer|de ahora en adelante|a partir de (?:ahora|hoy|agora|hoje)|cada|siempre|désormais|à partir de maintenant|chaque|toujours|d[’']ora in poi|ogni|sempre|vanaf nu|elke?|altijd|od teraz|każd\p{L}+|zawsze|отныне|кажд\p{L}+|всегда)(?![\p{L}\p{N}])|从现在起|每|总是|これから|毎|いつも/iu
/** Adverbs of degree before a state. */
const DEGREES =
  'very|so|a bit|really|too|not|still|already|all|running|sehr|so|ziemlich|schon|noch|etwas|muy|aún|ya|très|déjà|encore|un peu|molto|già|ancora|muito|já|ainda|heel|erg|al|nog|bardzo|już|jeszcze|очень|уже|ещё|很|とても'
/** States that pass by themselves. They count as facts only if the person asked to remember them. */
const STATES = [
  'sick|ill|tired|hungry|thirsty|late|busy|away|asleep|awake|angry|sad|happy|bored|stressed|sleepy|stuck|lost|here|there|home|at home|ready|gone|fine|ok|okay|out|off|delayed|cancell?ed|postponed|broken|down|offline|closed|open|locked|empty|full|nervous|worried|excited|hurt|injured|dirty|on (?:his|her|the|their|my) way|on (?:holidays?|vacation|leave|a break|a call|the phone|strike)|in (?:a meeting|a call|hospital|the hospital|bed|traffic)|at (?:work|school|the (?:doctor|dentist|vet|gym|office))|out of (?:office|order|town)|under the weather|in a (?:good|bad|great) mood|(?:sleeping|waiting|coming|leaving|crying|resting|running late|running out|feeling)(?:\\s.*)?',
  'krank|müde|hungrig|durstig|beschäftigt|unterwegs|weg|wach|traurig|wütend|da|hier|verspätet|zu spät|ausgefallen|kaputt|geschlossen|zu|offen|leer|voll|nervös|verletzt|im (?:urlaub|büro|krankenhaus|stau|bett|stress)|in (?:den ferien|der schule|einer besprechung|einem meeting)|beim (?:arzt|zahnarzt|tierarzt)|auf (?:reisen|arbeit|dem weg)|zu hause|gut gelaunt|schlecht gelaunt',
  'enferm[oa]s?|cansad[oa]s?|ocupad[oa]s?|retrasad[oa]s?|cancelad[oa]s?|rot[oa]s?|averiad[oa]s?|cerrad[oa]s?|abiert[oa]s?|vací[oa]s?|de vacaciones|de viaje|de baja|en (?:una reunión|el hospital|el médico|casa|camino)|content[oa]s?|triste',
  "malades?|fatiguée?s?|occupée?s?|en (?:retard|panne|vacances|réunion|congé|grève|route)|annulée?s?|cassée?s?|ferm(?:é|ée|és|ées)|ouverte?s?|vides?|à (?:la maison|l[’']hôpital)|chez le (?:médecin|dentiste)|triste|content",
  'malat[oaie]|stanc[oaie]|occupat[oaie]|in (?:ritardo|vacanza|riunione|ferie|ospedale|sciopero|viaggio)|cancellat[oaie]|rott[oaie]|guast[oaie]|chius[oaie]|apert[oaie]|vuot[oaie]|a casa|dal (?:medico|dentista)|triste|content[oa]',
  'doentes?|cansad[oa]s?|ocupad[oa]s?|atrasad[oa]s?|cancelad[oa]s?|quebrad[oa]s?|avariad[oa]s?|estragad[oa]s?|fechad[oa]s?|abert[oa]s?|vazi[oa]s?|de férias|em (?:reunião|casa)|no (?:hospital|médico|dentista)|triste|contente',
  'ziek|moe|druk|vertraagd|te laat|kapot|dicht|gesloten|open|leeg|vol|op (?:vakantie|reis|weg|kantoor)|in (?:een vergadering|het ziekenhuis)|thuis|bij de (?:dokter|tandarts)|boos|blij|verdrietig',
  'chor[yae]|zmęczon[yae]|zajęt[yae]|spóźnion[yae]|opóźnion[yae]|zepsut[yae]|zamknięt[yae]|otwart[yae]|pust[yae]|na (?:urlopie|wakacjach|spotkaniu)|w (?:szpitalu|domu|pracy|drodze)|u (?:lekarza|dentysty)|smutn[yae]',
  'болен|больна|болеет|болеют|устал[аи]?|занят[аы]?|опаздывает|опаздывают|задерживается|задержан[аоы]?|отмен[её]н[аоы]?|сломан[аоы]?|сломал(?:ся|ась|ось|ись)|закрыт[аоы]?|открыт[аоы]?|пуст[аоы]?|в (?:отпуске|больнице|пути)|на (?:работе|совещании|каникулах)|дома|у врача',
  '病了|生病.*|累了?|迟到.*|晚点.*|延误.*|坏了|关门.*|关了|取消了|在(?:开会|家|医院|路上|度假|休假)',
  '病気|疲れて.*|遅れて.*|遅刻.*|壊れて.*|壊れた|故障中|閉まって.*|休み|中止|会議中|旅行中|入院中|出張中',
]
const state = lazily(() => new RegExp(`^(?:(?:${DEGREES})\\s*)*(?:${STATES.join('|')})$`, 'iu'))

/** Keys with passing values: `my mood`. */
const KEYS =
  /^(?:mood|current \p{L}+|feelings?|stress level|laune|stimmung|befinden|humor|estado de ánimo|ánimo|humeur|umore|humeur|stemming|nastrój|настроение|самочувствие|心情|気分|機嫌)$/iu

/** `until Friday`, not `until 2031` or `until 18:00`, which last. */
const DAYS =
  'mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|noon|midnight|lunch|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mittag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|mediodía|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|midi|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta|sábado|domingo|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|poniedziałku|wtorku|środy|czwartku|piątku|soboty|niedzieli|понедельника|вторника|среды|четверга|пятницы|субботы|воскресенья'
const UNTIL =
  "until|till|til|bis(?: zum)?|hasta(?: el)?|jusqu[’']à|jusqu[’']au|fino a|até(?: a| à)?|tot|do|до"
const bounded = lazily(
  () =>
    new RegExp(
      `(?<![\\p{L}\\p{N}])(?:${UNTIL})\\s+(?:(?:next|the|this|nächsten?|kommenden?)\\s+)?(?:${DAYS})(?![\\p{L}\\p{N}])|(?:直到?|到)(?:星期|周|禮拜)[一二三四五六日天]|[月火水木金土日]曜日?まで`,
      'iu',
    ),
)
/**
 * A duration at the end, to remove before the rest is compared: `is closed for two weeks`, `ist seit gestern kaputt`.
 */
const SPAN =
  /[,\s]+(?:for (?:now|an? (?:few )?\p{L}+|\d+ \p{L}+|(?:two|three|four) \p{L}+)|since \p{L}+|again|as well|by \d+ \p{L}+)$/iu

function isPassing({ key, value, sentence, asked }: Statement): boolean {
  if (LASTING.test(sentence)) return false
  if (now().test(value) || GERMAN_TOMORROW.test(value) || now().test(key)) return true
  if (bounded().test(value)) return true
  return key !== '' && asked === 'no' && (KEYS.test(key) || state().test(value.replace(SPAN, '')))
}
