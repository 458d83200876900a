/**
 * What a person's sentence asks to be remembered, in the languages of homes; and what only holds for now.
 * Leaves to distill.ts: keeping it; to sentences.ts: where a sentence ends.
 * Invariant: a passing state (`my dog is sick today`) is no fact. It stands in the notes of its day, with the date.
 */
import { cut } from './distill-lines.ts'
import { lazily } from './lazily.ts'

export interface Fact {
  /** '' for a statement without a key. */
  readonly key: string
  readonly value: string
}

const MOST_FACT = 400

const PLEASE =
  '(?:(?:please|pls|bitte|por favor|s’il te plaît|per favore|alsjeblieft|proszę|пожалуйста)[,\\s]+)?'
/** Verb, then the word for `that`. The verbs of `don't forget` need that word: without it they are about a task. */
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

const KEY = "([\\p{L}\\p{N}][\\p{L}\\p{N} '’_-]{0,60}?)"
const keyed = lazily(() =>
  [
    ['my', 'is|are|='],
    ['meine?', 'ist|sind|heißt|='],
    ['mis?', 'es|son|se llama|='],
    ['mon|ma|mes', "est|sont|s['’]appelle|="],
    ['(?:il |la |i |le )?(?:mio|mia|miei|mie)', 'è|sono|si chiama|='],
    ['(?:o |a )?(?:meu|minha|meus|minhas)', 'é|são|se chama|='],
    ['mijn', 'is|zijn|heet|='],
    ['mój|moja|moje', 'to|jest|='],
    ['мой|моя|моё|мои', 'это|—|–|-|='],
  ].map(
    ([mine, is]) =>
      new RegExp(`^${PLEASE}(?:${mine})\\s+${KEY}\\s+(?:${is})(?![\\p{L}\\p{N}])\\s*(.+)$`, 'iu'),
  ),
)
const KEYED_WIDE = [
  /^我的(.{1,30}?)(?:是|叫)(.+)$/u,
  /^(?:私|僕|俺|わたし|うち)の(.{1,30}?)は(.+?)(?:です|だ)?[。.]?$/u,
]

/** `remember to …` is a task, `note …?` a question. So are the infinitives of other languages. */
const NO_FACT =
  /^(?:to|when|how|me|my name\?)\b|[?？]\s*$|^(?:de|d['’]|di)\s|^(?:żeby|aby|чтобы)(?!\p{L})|^\p{L}+(?:ar|er|ir|ть|чь|ти)(?:\s|$)|\szu\s\p{Ll}+en$|\ste\s\p{Ll}+en$/iu
/** English verbs end like Spanish infinitives: `paper is there`. */
const INFINITIVE = /^\p{L}+(?:ar|er|ir)(?:\s|$)/iu
const SPANISH = /^(?:recuerda|recuerde|acuérdate|anota|apunta|lembra|lembre|recorda|anote|memoriza|ricorda)/iu

/** What a person's sentence asks to be kept; null for anything else. */
export function factOf(sentence: string): Fact | null {
  const fact = keyedIn(withoutVerb(sentence) ?? sentence) ?? askedIn(sentence)
  return fact === null || fact.value === '' || isPassing(fact, sentence) ? null : fact
}

function keyedIn(sentence: string): Fact | null {
  if (/[?？]\s*$/.test(sentence)) return null
  for (const pattern of [...keyed(), ...KEYED_WIDE]) {
    const found = pattern.exec(sentence)
    if (found !== null) return { key: (found[1] ?? '').trim().toLowerCase(), value: bare(found[2] ?? '') }
  }
  return null
}

function askedIn(sentence: string): Fact | null {
  const value = bare(withoutVerb(sentence) ?? '')
  if (value === '' || isTask(value, sentence)) return null
  return { key: '', value }
}

function isTask(value: string, sentence: string): boolean {
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

/** Words that say: only now. */
const NOW_WORDS = [
  ...[
    'today',
    'tonight',
    'tomorrow',
    'yesterday',
    'now',
    'right now',
    'currently',
    'at the moment',
    'for now',
  ],
  ...['this (?:week|month|morning|afternoon|evening|weekend)', 'temporarily', 'just now', 'these days'],
  ...['heute', 'gerade', 'jetzt', 'momentan', 'zurzeit', 'derzeit', 'gestern', 'im moment', 'diese woche'],
  ...['heute abend', 'morgen früh', 'übermorgen', 'vorübergehend'],
  ...[
    'hoy',
    'ahora',
    'ayer',
    '(?<!la )mañana',
    'esta (?:semana|tarde|noche)',
    'por ahora',
    'en este momento',
  ],
  ...["aujourd[’']hui", 'maintenant', 'demain', 'hier', 'cette semaine', 'ce (?:matin|soir)', 'en ce moment'],
  ...['oggi', 'adesso', 'domani', 'ieri', 'stasera', 'questa settimana', 'in questo momento', 'per ora'],
  ...['hoje', 'agora', 'amanhã', 'ontem', 'esta semana', 'neste momento'],
  ...['vandaag', 'nu', 'gisteren', 'deze week', 'vanavond', 'op dit moment'],
  ...['dziś', 'dzisiaj', 'teraz', 'jutro', 'wczoraj', 'w tym tygodniu', 'w tej chwili'],
  ...['сегодня', 'сейчас', 'завтра', 'вчера', 'на этой неделе', 'пока', 'теперь'],
]
const NOW_WIDE =
  '今天|现在|明天|昨天|这周|本周|今晚|目前|今日|今夜|今週|今朝|今は|今、|明日|昨日|오늘|지금|내일|어제'
const now = lazily(
  () => new RegExp(`(?<![\\p{L}\\p{N}])(?:${NOW_WORDS.join('|')})(?![\\p{L}\\p{N}])|${NOW_WIDE}`, 'iu'),
)
const GERMAN_TOMORROW = /(?<!(?:jeden|am) )(?<!guten )\bmorgen\b/u
const LASTING =
  /(?<![\p{L}\p{N}])(?:from now on|every|each|always|ab jetzt|ab sofort|jede[nrsm]?|immer|de ahora en adelante|a partir de (?:ahora|hoy|agora|hoje)|cada|siempre|désormais|à partir de maintenant|chaque|toujours|d[’']ora in poi|ogni|sempre|vanaf nu|elke?|altijd|od teraz|każd\p{L}+|zawsze|отныне|кажд\p{L}+|всегда)(?![\p{L}\p{N}])|从现在起|每|总是|これから|毎|いつも/iu
/** States that pass by themselves: what is said of a key, without being asked to remember it. */
const STATE =
  /^(?:(?:very|so|a bit|really|too|not|still|sehr|so|ziemlich|muy|très|molto|muito|heel|erg|bardzo|очень|很|とても)\s*)*(?:sick|ill|tired|hungry|thirsty|late|busy|away|asleep|awake|angry|sad|happy|bored|stressed|sleepy|stuck|lost|here|there|home|at home|ready|gone|fine|ok|okay|out|off|on (?:his|her|the|their|my) way|(?:sleeping|waiting|coming|leaving|crying|resting|running late)(?:\s.*)?|krank|müde|hungrig|durstig|beschäftigt|unterwegs|weg|wach|traurig|wütend|da|hier|enferm[oa]|cansad[oa]|ocupad[oa]|malade|fatiguée?|occupée?|malat[oa]|stanc[oa]|occupat[oa]|doente|ziek|moe|druk|chor[ya]|zmęczon[ya]|zajęt[ya]|болен|больна|болеет|устал[аи]?|занят[аы]?|病了|生病.*|累了?|病気|疲れて.*)$/iu

function isPassing({ key, value }: Fact, sentence: string): boolean {
  if (LASTING.test(sentence)) return false
  if (now().test(value) || GERMAN_TOMORROW.test(value) || now().test(key)) return true
  return key !== '' && withoutVerb(sentence) === null && STATE.test(value)
}
