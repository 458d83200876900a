/**
 * Words for the index and for queries, by the same rules, so that one spelling finds another. Invariant 1: a word has
 * only letters, marks and digits, so that it is never query syntax. Invariant 2: scripts without spaces become single
 * characters and pairs of neighbours, so that one character is found as well as two.
 */

/** Runs of letters and digits, and signs such as emoji. */
const RUNS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu
/** Scripts without spaces, or with grammatical endings on each word. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu
const ISO_DATE = /\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/g
const THOUSANDS = /(?<=\d),(?=\d{3}(?!\d))/g

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...MONTHS.filter((month) => month !== 'may').map((month) => [month.slice(0, 3), month] as const),
  ...pairsIn(
    'sept:september mon:monday tue:tuesday tues:tuesday wed:wednesday thu:thursday thur:thursday thurs:thursday',
  ),
  ...pairsIn(
    'fri:friday one:1 two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12',
  ),
  ...pairsIn('fifteen:15 twenty:20 thirty:30 forty:40 fifty:50 sixty:60 ninety:90 hundred:100'),
  ...pairsIn('db:database repo:repository config:configuration prod:production'),
])

function pairsIn(text: string): readonly (readonly [string, string])[] {
  return text.split(' ').map((pair) => pair.split(':') as [string, string])
}

/** Words that say little about the subject of a text. */
const LITTLE: ReadonlySet<string> = new Set(
  `a about above after all also am an and any are as at be because been before being below between both but by can could
did do does doing done down during each else ever every few for from further get gets give given go goes going had has
have having he her here hers him his how however i if in into is it its itself just know let like made make may me might
more most much must my need no nor not of off on only onto or other our ours out over own per please same shall she
should so some such tell than that the their theirs them then there these they this those through to too under until up
upon us use used uses using very want was we were what when where whether which while who whom whose why will with
within would yes you your yours isn't aren't wasn't don't doesn't didn't won't can't it's that's what's there's i'm we're
they're isnt dont`.split(/\s+/),
)

/** All words of a text for the index, in order. */
export function wordsOf(text: string): readonly string[] {
  return rawWordsOf(text).flatMap(({ word, isWide }) => (isWide ? pairsOf(word) : formsOf(word)))
}

/** The terms of a query, each once, at most `MOST_TERMS`. Words of LITTLE count only if there are no others. */
export function termsOf(query: string): readonly string[] {
  const raw = rawWordsOf(query.slice(0, MOST_LETTERS))
  const telling = raw.filter(({ word }) => !LITTLE.has(word))
  const used = telling.length > 0 ? telling : raw
  const terms = used.flatMap(({ word, isWide }) => (isWide ? pairsOf(word) : queryForms(word, used.length)))
  // Pairs come first, so that a long question leaves out single characters.
  const isSingle = (term: string) => [...term].length === 1
  const ordered = [...terms.filter((term) => !isSingle(term)), ...terms.filter(isSingle)]
  return [...new Set(ordered)].slice(0, MOST_TERMS)
}

const MOST_TERMS = 64
const MOST_LETTERS = 20_000

/** The telling words of a text, unchanged, as the table of meanings has them. */
export function plainWordsOf(text: string): readonly string[] {
  const plain = rawWordsOf(text).flatMap(({ word, isWide }) => (isWide ? [] : [word]))
  const telling = plain.filter((word) => !LITTLE.has(word))
  return telling.length > 0 ? telling : plain
}

/** What English question words ask for. They are too common to tell anything, but not the kind of the answer. */
const ASKED: readonly (readonly [question: RegExp, kind: string])[] = [
  [/\bhow (?:long|much time)\b/i, 'hours minutes'],
  [/\bwhen\b/i, 'day time'],
  [/\bwhere\b/i, 'place'],
]

/** The question with words of the kind of its answer, for its meaning. */
export function withKind(question: string): string {
  return [question, ...ASKED.flatMap(([words, kind]) => (words.test(question) ? [kind] : []))].join(' ')
}

/**
 * All words of a text, unchanged, without numbers and signs; and how many characters belong to scripts without
 * spaces.
 */
export function scriptsOf(text: string): { readonly words: readonly string[]; readonly wide: number } {
  const raw = rawWordsOf(text.slice(0, MOST_LETTERS))
  const wide = raw.reduce((sum, one) => sum + (one.isWide ? one.word.length : 0), 0)
  return {
    words: raw.flatMap(({ word, isWide }) => (!isWide && /\p{L}/u.test(word) ? [word] : [])),
    wide,
  }
}

/** True for English words such as `the`, which say little about the subject of a text. */
export function isLittle(word: string): boolean {
  return LITTLE.has(word)
}

/** `2026-03-05` as `2026 march 05`. */
function spelled(date: string): string {
  const [year, month, day] = date.split('-')
  return `${year} ${MONTHS[Number(month) - 1]} ${day}`
}

interface Raw {
  readonly word: string
  readonly isWide: boolean
}

function rawWordsOf(text: string): readonly Raw[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(THOUSANDS, '').replaceAll(ISO_DATE, spelled)
  return [...plain.matchAll(RUNS)].flatMap(([run]) => partsOf(run))
}

/** Splits a run between scripts. */
function partsOf(run: string): readonly Raw[] {
  if (!HAS_WIDE.test(run)) return [{ word: run, isWide: false }]
  const parts: Raw[] = []
  let end = 0
  for (const { 0: word, index } of run.matchAll(WIDE)) {
    if (index > end) parts.push({ word: run.slice(end, index), isWide: false })
    parts.push({ word, isWide: true })
    end = index + word.length
  }
  if (end < run.length) parts.push({ word: run.slice(end), isWide: false })
  return parts
}

const HAS_WIDE = new RegExp(WIDE.source, 'u')

/** Each character, and each pair of neighbours. */
function pairsOf(run: string): readonly string[] {
  const letters = [...run]
  const pairs = letters.slice(1).map((letter, at) => (letters[at] ?? '') + letter)
  return [...letters, ...pairs]
}

/** Forms of words that were met; texts of a home share most of their words. */
const met = new Map<string, readonly string[]>()
const MOST_MET = 10_000
const LONGEST_MET = 40

/** The indexed forms of a word: without accents and ending; of letters joined with digits, also the parts. */
function formsOf(word: string): readonly string[] {
  const known = met.get(word)
  if (known !== undefined) return known
  if (word.length > LONGEST_MET) return makeForms(word)
  if (met.size >= MOST_MET) met.clear()
  // A copy: a part of a text would keep the whole text in memory.
  const own = [...word].join('')
  const forms = makeForms(own)
  met.set(own, forms)
  return forms
}

function makeForms(word: string): readonly string[] {
  if (SIGN.test(word)) return [`sign${word.codePointAt(0)?.toString(16) ?? ''}`]
  const plain = word
    .replaceAll(/['’]s?$|['’]/g, '')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
  // Scripts whose vowels are marks keep them.
  const bare = plain === '' ? word.replaceAll(/['’]/g, '') : plain
  if (bare === '') return []
  if (!/^[a-z\d]+$/.test(bare)) return [bare]
  const parts = bare.match(/\d+|[a-z]+/g) ?? []
  const forms = parts.map((part) =>
    /\d/.test(part) ? part.replace(/^0+(?=\d)/, '') : stemOf(ALIASES.get(part) ?? part),
  )
  if (parts.length === 1) return forms
  // `3rd` is the number; `v2`, `9am` and `oauth2` are also words themselves.
  if (parts.length === 2 && /^(?:st|nd|rd|th)$/.test(parts[1] ?? '')) return forms.slice(0, 1)
  return [bare, ...forms.filter((form) => form.length > 1 || /\d/.test(form))]
}

const SIGN = /^\p{Extended_Pictographic}/u

/** In a short query, words also match beginnings of words. */
function queryForms(word: string, words: number): readonly string[] {
  const forms = formsOf(word)
  const [only] = forms
  if (words > 2 || forms.length !== 1 || only === undefined || !/^\p{L}{3,}$/u.test(only)) return forms
  return [only, `${only}*`]
}

const DOUBLED = /([bdfgmnprt])\1$/

/** An English word without its ending, so that its forms match. */
export function stemOf(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word
  let stem = singularOf(word)
  for (const [ending, put] of ENDINGS) {
    if (!stem.endsWith(ending) || stem.length - ending.length < 3) continue
    if (!/[aeiouy]/.test(stem.slice(0, -ending.length))) continue
    stem = stem.slice(0, -ending.length) + put
    break
  }
  if (DOUBLED.test(stem) && stem.length > 4) stem = stem.slice(0, -1)
  return stem.length > 3 ? stem.replace(/(?<=[a-z]{3})e$/, '').replace(/(?<=[a-z]{2}[^aeiou])y$/, 'i') : stem
}

const ENDINGS: readonly (readonly [string, string])[] = [
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['ational', 'at'],
  ['ations', 'at'],
  ['ation', 'at'],
  ['ments', ''],
  ['ment', ''],
  ['nesses', ''],
  ['ness', ''],
  ['ingly', ''],
  ['edly', ''],
  ['ings', ''],
  ['ing', ''],
  ['ied', 'y'],
  ['ed', ''],
  ['ers', ''],
  ['er', ''],
  ['ions', ''],
  ['ion', ''],
  ['ally', 'al'],
  ['ly', ''],
]

function singularOf(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  if (word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1)
  return word
}
