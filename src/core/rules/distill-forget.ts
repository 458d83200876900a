/**
 * What a person asks to be forgotten, in the languages of homes, and what of memory that is.
 * Leaves to memory/forgetting.ts: files, and what is answered.
 * Invariants: 1. nothing goes unless all telling words of the request stand in it, and nothing that somebody else said goes
 * for a member; 2. of several that fit none goes, unless all are asked for; 3. notes keep their place and lose their words.
 */
import { type FactLine, joined, linesOf, readFact } from './distill-lines.ts'
import { isLittle, wordsOf } from './recall-words.ts'

export interface ForgetRequest {
  readonly what: string
  /** `everything about …` */
  readonly all: boolean
}

const PLEASE = '(?:(?:please|bitte|por favor|per favore|alsjeblieft|proszę|пожалуйста|neo)[,\\s]+)*'
const ALL =
  '(?:everything|all|anything|alles|tod[oa]|tout|tutto|tudo|wszystko|всё|все)(?:\\s+(?:you know|i said|was du|lo que sabes))?'
const ABOUT = '(?:about|on|über|zu|von|sobre|acerca de|de|del|sur|à propos de|su|di|over|van|o|об?|про)'
const THAT = "(?:that|dass|que|qu['’]|che|dat|że|что|the fact that)"
const VERB =
  '(?:forget|vergiss|vergessen sie|olvida|olvide|olvídate de|oubliez?|dimentica(?:ti di)?|esquece|esqueça|esqueci|vergeet|zapomnij|забудь(?:те)?|забудь)'
const REQUEST = new RegExp(
  `^${PLEASE}${VERB}(?![\\p{L}\\p{N}])[,:]?\\s+(?:bitte[,\\s]+)?(?:(${ALL})(?:\\s+|$))?(?:,?\\s*${ABOUT}\\s+)?(?:,?\\s*${THAT}\\s*(?=[^\\s]))?(.*)$`,
  'iu',
)
const WIDE = [
  /^(?:请|請)?(?:你)?(?:把)?(?:忘记|忘掉|忘了|忘記)(关于|關於)?(.+?)(?:吧|的事)?[。.]?$/u,
  /^(?:请|請)?把(所有)?(?:关于|關於)?(.+?)(?:忘记|忘掉|忘了|忘記)(?:吧)?[。.]?$/u,
  /^(すべて|全部)?(.+?)(?:のこと|について)?(?:を|は|も)?忘れて(?:ください|くれ|ね|下さい)?[。.]?$/u,
  /^(전부)?\s*(.+?)(?:을|를|에 대해)?\s*잊어(?:\s?줘|주세요|버려)?[.]?$/u,
]
/** `forget it`, `vergiss nicht …`: about the talk, not about memory. */
const NOT =
  /^(?:it|that|this|about (?:it|that)|me(?: not)?|nothing|not|nicht|es|das|niet|het|lo|eso|ça|cela|non|no|nie|не|to\b.*|how\b.*|zu\b.*|de\b.*)?[.!]*$|^(?:nicht|niet|not)[,\s]/iu

export function forgetAsked(text: string): ForgetRequest | null {
  const line = text.trim()
  if (line.includes('\n') || line.length > 400) return null
  const found = REQUEST.exec(line) ?? WIDE.map((one) => one.exec(line)).find((one) => one !== null) ?? null
  if (found === null) return null
  const what = (found[2] ?? '').replace(/[.!。！\s]+$/u, '').trim()
  if (NOT.test(what) || tellingWords(what).length === 0) return null
  const all = found[1] !== undefined && !/^(?:关于|關於)$/u.test(found[1])
  return { what, all }
}

/** Words of other languages that say whose it is, or nothing. */
const SMALL: ReadonlySet<string> = new Set(
  `mein meine meinen meinem meiner unser unsere der die das den dem des ein eine ist sind heißt heisst mi mis el la los las un una es son
mon ma mes le les l est sont un une mio mia miei mie il lo gli i e sono meu minha o os as um uma sao mijn ons onze de het een
moj moja moje mojego mojej jest to мои моя мое мою моего моеи это я known fact facts`.split(/\s+/),
)

function tellingWords(what: string): readonly string[] {
  const plain = what.replace(/^(?:我的|我們的|我们的|私の|僕の|俺の|わたしの)/u, '')
  const raw = plain.toLowerCase().split(/[^\p{L}\p{M}\p{N}'’]+/u)
  const telling = raw.filter((word) => word !== '' && !isLittle(word)).flatMap((word) => wordsOf(word))
  return [...new Set(telling)].filter((word) => !SMALL.has(word))
}

/** Whether a text holds all telling words of a request; a word may have another ending. */
export function holdsAll(text: string, what: string): boolean {
  const wanted = tellingWords(what)
  const own = wordsOf(text)
  return wanted.length > 0 && wanted.every((word) => own.some((one) => isSameWord(one, word)))
}

const LEAST_STEM = 4

function isSameWord(a: string, b: string): boolean {
  if (a === b) return true
  const shorter = Math.min(a.length, b.length)
  // English words have lost their endings already; those of other languages differ in the last letters.
  if (shorter < LEAST_STEM || /^[a-z\d]+$/.test(a)) return false
  const stem = Math.max(LEAST_STEM, shorter - 2)
  return a.slice(0, stem) === b.slice(0, stem) && Math.abs(a.length - b.length) <= 3
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
  const lines = linesOf(memory, '').filter((line) => {
    const fact = readFact(line)
    if (fact === null) return speaker === null && /^\s*[-*+]\s/.test(line) && holdsAll(line, request.what)
    return isTheirs(fact.speaker, speaker) && holdsAll(`${fact.key} ${fact.value}`, request.what)
  })
  return lines
}

function isTheirs(said: string, speaker: string | null): boolean {
  return speaker === null || said === speaker
}

/** What a fact says, for people. */
export function saidBy(line: string): string {
  const fact = readFact(line)
  if (fact === null) return line.replace(/^\s*[-*+]\s+/, '').trim()
  const value = fact.value.replace(/^"(.*)"$/, '$1')
  return fact.key === '' ? value : `${fact.key}: ${value}`
}

export const FORGOTTEN = '(forgotten)'
const NOTE = /^(- \d{2}:\d{2} \[[^\]]*\] ).*( \([\w.-]+:\d+\))$/

/** The texts without these facts; with them go older values, and the words of notes that say the same. */
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

/** HISTORY.md has the day on which a fact became old before it. */
function olderFact(line: string): FactLine | null {
  return readFact(line.replace(/^- \d{4}-\d{2}-\d{2}: /, '- '))
}
