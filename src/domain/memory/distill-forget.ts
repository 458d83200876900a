/**
 * Which facts a request to forget means, and the texts of memory without them. Invariants: 1. a fact is removed only
 * if it contains all telling words of the request; a member removes only facts of their own; 2. if several facts
 * match, none is removed unless the request asks for all; 3. a removed note keeps its line and loses its words.
 */
import { type FactLine, joined, linesOf, readFact } from './distill-lines.ts'
import { askedToForget, type Language } from './forget-words.ts'
import { isLittle, wordsOf } from './recall-words.ts'

export interface ForgetRequest {
  readonly what: string
  readonly language: Language
  /** `everything about …` */
  readonly all: boolean
}

export function forgetAsked(text: string): ForgetRequest | null {
  const line = text.trim()
  if (line.includes('\n') || line.length > 400) return null
  const asked = askedToForget(line)
  return asked === null || tellingWords(asked.what).length === 0 ? null : asked
}

/** Possessives, question words and fillers of other languages, which tell nothing about the fact. */
const SMALL: ReadonlySet<string> = new Set(
  `mein meine meinen meinem meiner meines unser unsere der die das den dem des ein eine ist sind heißt wer wie wo welche welcher welches
mi mis tu su el la los las un una es son quién quien cuál cual cómo dónde soy
mon ma mes notre le les l est sont une c qui quel quelle quels quelles où comment
mio mia miei mie il lo gli i e sono chi quale dove mio nostro
meu minha os as o um uma é são quem qual onde como é è
mijn ons onze de het een is wie wat hoe waar
mój moja moje moj mojego mojej moim moją jest to kto co gdzie jaki jaka
я это мой моя моё мои мое мою моего моей моем моих кто что где как какой какая
ich je j yo io eu ik ja jag known fact facts`.split(/\s+/),
)
/** Words for the value of a fact: `forget my doctor's name`. They count only if there are no other words. */
const OF_VALUE: ReadonlySet<string> = new Set(
  `name names namen nombre nom nome naam imię nazwisko nazwa имя фамилия называется value live lives called lebe wohne wohnt heiße`.split(
    /\s+/,
  ),
)

function tellingWords(what: string): readonly string[] {
  const plain = withoutQuestion(
    what.normalize('NFC').replace(/^(?:我的|我們的|我们的|私の|僕の|俺の|わたしの)/u, ''),
  )
  const raw = withoutParticles(plain)
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}'’]+/u)
    .filter((word) => word !== '' && !isLittle(word) && !SMALL.has(word))
  const own = raw.filter((word) => !OF_VALUE.has(word))
  return [...new Set((own.length > 0 ? own : raw).flatMap((word) => wordsOf(word)))]
}

/** `…是谁`, `…が誰か`: the question that the fact answers. */
function withoutQuestion(what: string): string {
  return what
    .replace(/(?:是谁|是誰|是什么|是什麼|叫什么|叫什麼|叫什么名字|在哪里?|在哪裡|的名字)$/u, '')
    .replace(/(?:[がは](?:誰|何|どこ|どれ)(?:である|なの|だった)?か|の名前)$/u, '')
}

/** Particles of Japanese and Korean, which differ between a request and a fact. */
function withoutParticles(what: string): string {
  return what
    .replaceAll(/(?<=[\p{sc=Han}\p{sc=Katakana}ー])[はがをにのもで](?=\P{sc=Hiragana}|[あい])/gu, ' ')
    .replace(/(?:ある|あります|いる|います|です|だ)$/u, '')
    .replaceAll(/(?<=\p{sc=Hangul})(?:은|는|이|가|을|를|에서|에|의|도)(?=\s|$)/gu, '')
    .replace(/\s있다?$/u, '')
}

/** True if a text contains all telling words of a request. A word can have another ending. */
export function holdsAll(text: string, what: string): boolean {
  const wanted = tellingWords(what)
  const own = wordsOf(text)
  return wanted.length > 0 && wanted.every((word) => own.some((one) => isSameWord(one, word)))
}

const LEAST_STEM = 4

function isSameWord(a: string, b: string): boolean {
  if (a === b) return true
  const shorter = Math.min(a.length, b.length)
  // Endings of English words are removed already; words of other languages differ in the last letters.
  if (shorter < LEAST_STEM) return false
  // `klucz`, `kluczu`
  if (/^[a-z\d]+$/.test(a)) return shorter > LEAST_STEM && isLonger(a, b)
  const stem = Math.max(LEAST_STEM, shorter - 2)
  return a.slice(0, stem) === b.slice(0, stem) && Math.abs(a.length - b.length) <= 3
}

/** True if the words differ only in an ending of at most three letters. */
function isLonger(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return long.startsWith(short) && long.length - short.length <= 3
}

export interface ForgetFrom {
  readonly memory: string
  readonly history: string
  /** By day. */
  readonly notes: ReadonlyMap<string, string>
  /** Only facts of this speaker; null for all, which only the owner may. */
  readonly speaker: string | null
}

/** The facts that a request means, as lines of MEMORY.md. */
export function factsMeant(request: ForgetRequest, { memory, speaker }: ForgetFrom): readonly string[] {
  return linesOf(memory, '').filter((line) => {
    const fact = readFact(line)
    if (fact === null) return speaker === null && /^\s*[-*+]\s/.test(line) && holdsAll(line, request.what)
    return isTheirs(fact.speaker, speaker) && holdsAll(`${fact.key} ${fact.value}`, request.what)
  })
}

function isTheirs(said: string, speaker: string | null): boolean {
  return speaker === null || said === speaker
}

export function saidBy(line: string): string {
  const fact = readFact(line)
  if (fact === null) return line.replace(/^\s*[-*+]\s+/, '').trim()
  const value = fact.value.replace(/^"(.*)"$/, '$1')
  return fact.key === '' ? value : `${fact.key}: ${value}`
}

export const FORGOTTEN = '(forgotten)'
/** The text of a note about a request to forget. */
export const ASKED_TO_FORGET = 'asked to forget something'
const NOTE = /^(- \d{2}:\d{2} \[[^\]]*\] ).*( \([\w.-]+:\d+\))$/

/** True for a note without words, or about a request to forget: there is nothing to find in it. */
export function isForgottenNote(line: string): boolean {
  const said = /^(?:- )?\d{2}:\d{2} \[[^\]]*\] (.*) \([\w.-]+:\d+\)$/.exec(line.trim())?.[1]
  return said === FORGOTTEN || said === ASKED_TO_FORGET
}

/** The texts without these facts, their older values, and the words of notes that say the same. */
export function withoutFacts(
  request: ForgetRequest,
  gone: readonly string[],
  before: ForgetFrom,
): Pick<ForgetFrom, 'memory' | 'history' | 'notes'> {
  const lines = new Set(gone)
  const keys = new Set(gone.flatMap((line) => readFact(line)?.key ?? []).filter((key) => key !== ''))
  const says = (line: string) => before.speaker === null && holdsAll(line, request.what)
  const isOld = (line: string) => {
    const old = olderFact(line)
    if (old === null) return says(line)
    return isTheirs(old.speaker, before.speaker) && (keys.has(old.key) || holdsAll(line, request.what))
  }
  const older = linesOf(before.history, '').filter(isOld).map(olderFact)
  const sources = new Set([...gone.map(readFact), ...older].flatMap((fact) => fact?.sources ?? []))
  const isSaid = (line: string) => says(line) || [...sources].some((source) => line.endsWith(`(${source})`))
  const kept = (text: string, isGone: (line: string) => boolean) => {
    const all = linesOf(text, '')
    const left = all.filter((line) => !isGone(line))
    return left.length === all.length ? text : joined(left)
  }
  const notes = [...before.notes].map(([day, text]): readonly [string, string] => {
    const all = linesOf(text, '')
    const left = all.map((line) => (isSaid(line) ? line.replace(NOTE, `$1${FORGOTTEN}$2`) : line))
    return [day, left.every((line, at) => line === all[at]) ? text : joined(left)]
  })
  return {
    memory: kept(before.memory, (line) => lines.has(line)),
    history: kept(before.history, isOld),
    notes: new Map(notes),
  }
}

/** A line of HISTORY.md without the day on which the fact became outdated. */
function olderFact(line: string): FactLine | null {
  return readFact(line.replace(/^- \d{4}-\d{2}-\d{2}: /, '- '))
}
