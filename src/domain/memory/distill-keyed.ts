/**
 * Statements with a key, such as `my name is Ana`, and where their value ends: at a clause with a subject of its own (`and
 * we ship on Mondays`). Invariant 1: value and rest have all words of the statement but those that join clauses.
 */
import { lazily } from '../text/lazily.ts'

export interface Keyed {
  readonly key: string
  readonly value: string
  /** The clause after the value, and what follows it; may be ''. */
  readonly rest: string
}

const VERBS =
  'is|are|was|were|has|have|had|will|can|should|must|calls?|likes?|needs?|owns?|lives?|works?|wants?|starts?|runs?|ships?'

/**
 * What joins clauses, and what begins one if a word follows. A noun begins one only with its verb: else it is one more item
 * of a list (`my mum and my dad`).
 */
const LANGUAGES: readonly (readonly [my: string, is: string, and: string, we: string])[] = [
  [
    'my',
    'is|are|=',
    '(?:and|but)(?: that)?|so|because|while',
    `I|we|you|he|she|it|they|everyone|everybody|people|there|\\p{L}+(?:['’]s\\s+\\p{L}+)?\\s+(?:${VERBS})|(?:my|our|his|her|their|your|the)\\s+(?:[\\p{L}\\p{N}'’-]+\\s+){1,4}?(?:${VERBS})`,
  ],
  [
    'meine?',
    'ist|sind|heißt|=',
    'und|aber|denn',
    'ich|wir|du|ihr|er|sie|es|man|alle|(?:meine?|unsere?|der|die|das)\\s+[\\p{L}-]+\\s+(?:ist|sind|hat|haben|heißt)',
  ],
  [
    'mis?',
    'es|son|se llama|=',
    'y|pero',
    'yo|nosotr[oa]s|ella|él|vivo|trabajo|soy|estoy|tengo|\\p{L}+[aei]mos|(?:mis?|el|la)\\s+[\\p{L}-]+\\s+(?:es|son|tiene|se llama)',
  ],
  [
    'mon|ma|mes',
    "est|sont|s['’]appelle|=",
    'et|mais',
    "je|j['’]\\p{L}+|nous|on|ils?|elles?|(?:mon|ma|mes|notre|le|la)\\s+[\\p{L}-]+\\s+(?:est|sont|a|s['’]appelle)",
  ],
  [
    '(?:il |la |i |le )?(?:mio|mia|miei|mie)',
    'è|sono|si chiama|=',
    'e|ma',
    'io|noi|lui|lei|vivo|abito|lavoro|sono|ho|\\p{L}+iamo|(?:il |la )?(?:mio|mia)\\s+[\\p{L}-]+\\s+(?:è|ha|si chiama)',
  ],
  [
    '(?:o |a )?(?:meu|minha|meus|minhas)',
    'é|são|se chama|=',
    'e|mas',
    'eu|nós|ele|ela|moro|trabalho|sou|tenho|\\p{L}+[aei]mos|(?:o |a )?(?:meu|minha)\\s+[\\p{L}-]+\\s+(?:é|tem|se chama)',
  ],
  [
    'mijn',
    'is|zijn|heet|=',
    'en|maar',
    'ik|wij|we|hij|zij|ze|het|(?:mijn|de)\\s+[\\p{L}-]+\\s+(?:is|heeft|heet)',
  ],
  ['mój|moja|moje', 'to|jest|=', 'i|a|ale', 'ja|my|on|ona|mieszkam|pracuję|jestem|mam|\\p{L}+[aei]my'],
  ['мой|моя|моё|мои', 'это|—|–|-|=', 'и|а|но', 'я|мы|он|она|они|живу|работаю'],
]

export const PLEASE =
  '(?:(?:please|pls|bitte|por favor|s’il te plaît|per favore|alsjeblieft|proszę|пожалуйста)[,\\s]+)?'
const KEY = "([\\p{L}\\p{N}][\\p{L}\\p{N} '’_-]{0,60}?)"

/** The key with all after the verb, and what is between a value and the clause after it. */
const patterns = lazily((): readonly (readonly [whole: RegExp, breaks: RegExp])[] => [
  ...LANGUAGES.map(([my, is, and, we]) => {
    const clause = `(?=(?:${we})(?:['’]\\p{L}+)?\\s+[\\p{L}\\p{N}])`
    const comma = '(?:\\s*[,;]|\\s[–—-])'
    return [
      new RegExp(`^${PLEASE}(?:${my})\\s+${KEY}\\s+(?:${is})(?![\\p{L}\\p{N}])\\s*(.+)$`, 'iu'),
      new RegExp(`${comma}?\\s+(?:${and})\\s+${clause}|${comma}\\s+${clause}`, 'iu'),
    ] as const
  }),
  [/^我的(.{1,30}?)(?:是|叫)(.+)$/u, /[，,；;]\s*(?:而且|但是?)?(?=[我他她]\S)/u],
  [/^(?:私|僕|俺|わたし|うち)の(.{1,30}?)は(.+?)(?:です|だ)?[。.]?$/u, /(?:で|です|だ)、(?=\S)/u],
])

/** Null for a question and for every other sentence. */
export function keyedIn(sentence: string): Keyed | null {
  if (/[?？]\s*$/.test(sentence)) return null
  for (const [whole, breaks] of patterns()) {
    const found = whole.exec(sentence)
    if (found === null) continue
    const [, name = '', all = ''] = found
    const key = name.trim().toLowerCase()
    if (HEARSAY.test(key)) return null
    return { key, ...parted(all, [breaks, ...(NAMES.test(key) ? [AFTER_NAME] : [])]) }
  }
  return null
}

/** `My boss said my desk is 12` states nothing. */
const HEARSAY = /(?<!\p{L})(?:said|says|told|thinks|believes)(?!\p{L})/u
const NAMES = /(?:^|\s)(?:nick|sur)?name$/u
/** After `and`, a name goes on with a capital letter or with one word. */
const AFTER_NAME = /,?\s+(?:and|but)\s+(?=\p{Ll}[\p{L}'’]*\s+\S)/u
/** The value is a clause itself: what follows belongs to it. */
const CLAUSE =
  /^(?:that|if|when|whether|to|how|what|why|because|not|I|we|you|they|he|she|it|dass|wenn|ob|que|si|che|dat|als|że|что)(?![\p{L}\p{N}])/iu

function parted(all: string, ends: readonly RegExp[]): Pick<Keyed, 'value' | 'rest'> {
  const [first] = ends
    .map((end) => end.exec(all))
    .filter((found) => found !== null)
    .toSorted((a, b) => a.index - b.index)
  const value = all.slice(0, first?.index ?? all.length)
  // In quotes or brackets, all of it is the value.
  const isWhole = /^["'“”„«‘(]/u.test(value) || /\([^)]*$/u.test(value) || CLAUSE.test(value)
  if (first === undefined || isWhole || value.trim() === '') return { value: all, rest: '' }
  return { value, rest: all.slice(first.index + first[0].length) }
}
