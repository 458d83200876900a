/**
 * What the user's sentence asks to be remembered, in the languages of homes. Invariant: a passing state (`my dog is sick
 * today`) is no fact. It stands in the notes of its day, with the date.
 */
import { cut } from './distill-lines.ts'
import { isPassing } from './distill-passing.ts'
import { lazily } from '../text/lazily.ts'

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
/** `de` is an article in Dutch. */
const DUTCH = /^(?:onthoud|noteer|schrijf op|vergeet niet)(?!\p{L})/iu
const SPANISH = /^(?:recuerda|recuerde|acuérdate|anota|apunta|lembra|lembre|recorda|anote|memoriza|ricorda)/iu

/** What the user's sentence asks to be kept; null for anything else. */
export function factOf(sentence: string): Fact | null {
  const fact = keyedIn(withoutVerb(sentence) ?? sentence) ?? askedIn(sentence)
  return fact === null || fact.value === '' || isPassing({ ...fact, sentence, asked: isAsked(sentence) })
    ? null
    : fact
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
  if (DUTCH.test(sentence) && /^de\s/iu.test(value)) return /[?？]\s*$/.test(value)
  if (INFINITIVE.test(value) && !SPANISH.test(sentence))
    return /^(?:to|when|how|me)\b|[?？]\s*$/iu.test(value)
  return NO_FACT.test(value)
}

function isAsked(sentence: string): 'yes' | 'no' {
  return withoutVerb(sentence) === null ? 'no' : 'yes'
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
