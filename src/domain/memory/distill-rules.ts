/**
 * Distilling by rule: statements of people become facts (MEMORY.md), replaced facts move to HISTORY.md, everything
 * else goes into the notes of the day. Invariants: 1. the same message changes nothing the second time; 2. a fact
 * names who said it, when and where; 3. words of others than people are only quoted in notes; 4. lines that a person
 * wrote don't change;
 * 5. splitting into sentences loses nothing except spaces and list marks.
 */

import { maskSecrets } from '../secrets/distill-secrets.ts'
import { cut, oneLine } from '../text/one-line.ts'
import { type Fact, factsOf } from './distill-facts.ts'
import {
  ASKED_TO_FORGET,
  type ForgetRequest,
  factsMeant,
  forgetAsked,
  withoutFacts,
} from './distill-forget.ts'
import { factLine, joined, linesOf, readFact, shrink, sourcesIn } from './distill-lines.ts'

export interface Said {
  /** `human`, `member:<id>`, `neo`, `session:<id>`, … */
  readonly speaker: string
  /** Only people's words make facts. */
  readonly isPerson: boolean
  readonly text: string
  /** `2026-03-01` and `09:12`, in the home's time. */
  readonly day: string
  readonly time: string
  /** `neo-2026-03-01-1:12`: transcript and line. */
  readonly source: string
  /** A second source that the same message may have: the one while it waited in the queue. */
  readonly also?: string
}

export interface Texts {
  readonly memory: string
  readonly history: string
  /** By day. */
  readonly notes: ReadonlyMap<string, string>
}

interface Distilled extends Texts {
  readonly facts: number
  readonly noted: number
  /** Secrets that were masked: `human: password`. */
  readonly refused: readonly string[]
}

const MOST_NOTE = 300

export function distill(said: readonly Said[], before: Texts): Distilled {
  const state: State = {
    memory: linesOf(before.memory, '# What is known'),
    history: linesOf(before.history, '# What was known'),
    notes: new Map([...before.notes].map(([day, text]) => [day, linesOf(text, `# ${day}`)])),
    known: new Set(sourcesIn([before.memory, before.history, ...before.notes.values()])),
    facts: 0,
    noted: 0,
    refused: [],
  }
  const isKnown = ({ source, also = source }: Said) => state.known.has(source) || state.known.has(also)
  for (const one of said) if (!isKnown(one)) take(state, one)
  const moved = shrink(state.memory)
  state.history.push(...moved)
  state.facts += moved.length
  return {
    memory: state.facts === 0 ? before.memory : joined(state.memory),
    history: joinedIf(before.history, state.history),
    notes: new Map([...state.notes].map(([day, lines]) => [day, joined(lines)])),
    facts: state.facts,
    noted: state.noted,
    refused: state.refused,
  }
}

interface State {
  readonly memory: string[]
  readonly history: string[]
  readonly notes: Map<string, string[]>
  readonly known: ReadonlySet<string>
  facts: number
  noted: number
  readonly refused: string[]
}

function joinedIf(before: string, lines: readonly string[]): string {
  return lines.length <= 2 && before.trim() === '' ? before : joined(lines)
}

function take(state: State, said: Said): void {
  const masked = maskSecrets(said.text)
  for (const key of masked.keys) state.refused.push(`${said.speaker}: ${key}`)
  if (said.isPerson) {
    const request = forgetAsked(masked.text)
    if (request !== null) forget(state, said, request)
    for (const sentence of request === null ? sentencesOf(masked.text) : []) {
      if (!sentence.includes('***')) for (const fact of factsOf(sentence)) keep(state, said, fact)
    }
  }
  note(state, said, isForget(said, masked.text) ? ASKED_TO_FORGET : masked.text)
}

/** The request contains the words to forget, so its note must not. */
function isForget({ isPerson }: Said, text: string): boolean {
  return isPerson && forgetAsked(text) !== null
}

/**
 * Messages are handled in order: facts stated after the request stay. The rights over other people's facts are
 * checked elsewhere.
 */
function forget(state: State, { speaker }: Said, request: ForgetRequest): void {
  const notes = new Map([...state.notes].map(([day, lines]) => [day, joined(lines)]))
  const before = { memory: joined(state.memory), history: joined(state.history), notes, speaker }
  const meant = factsMeant(request, before)
  if (meant.length === 0 || (meant.length > 1 && !request.all)) return
  const after = withoutFacts(request, meant, before)
  state.memory.splice(0, state.memory.length, ...linesOf(after.memory, '# What is known'))
  state.history.splice(0, state.history.length, ...linesOf(after.history, '# What was known'))
  for (const [day, text] of after.notes) state.notes.set(day, linesOf(text, `# ${day}`))
  state.facts += meant.length
}

function keep(state: State, said: Said, { key, value }: Fact): void {
  const line = lineOf(said, { key, value })
  const at = state.memory.findIndex((one) => isOfKey(one, said.speaker, { key, value }))
  const old = state.memory[at]
  if (old === undefined) state.memory.push(line)
  else if (valueIn(old) === value) return
  else {
    state.history.push(`- ${said.day}: ${old.replace(/^- /, '')}`)
    state.memory[at] = line
  }
  state.facts++
}

function lineOf({ speaker, day, source }: Said, { key, value }: Fact): string {
  const says = key === '' ? `"${value.replaceAll('"', "'")}"` : value
  return factLine({ key, speaker, value: says, day, sources: [source] })
}

function valueIn(line: string): string {
  return (readFact(line)?.value ?? '').replace(/^"(.*)"$/, '$1')
}

function isOfKey(line: string, speaker: string, { key, value }: Fact): boolean {
  const found = readFact(line)
  if (found === null || found.speaker !== speaker || found.key !== key) return false
  return key !== '' || valueIn(line).toLowerCase() === value.replaceAll('"', "'").toLowerCase()
}

function note(state: State, said: Said, text: string): void {
  const flat = oneLine(text)
  if (flat === '') return
  const lines = state.notes.get(said.day) ?? linesOf('', `# ${said.day}`)
  state.notes.set(said.day, lines)
  const who = said.isPerson ? 'member' : said.speaker === 'neo' ? 'neo' : 'other'
  const says =
    who === 'other'
      ? `${said.speaker} wrote: "${cut(flat, MOST_NOTE).replaceAll('"', "'")}"`
      : cut(flat, MOST_NOTE)
  lines.push(`- ${said.time} [${who}] ${says} (${said.source})`)
  state.noted++
}

const END = /[.!?…]+["'”»)\]]*\s+/gu
const STARTS =
  /^(?:my|remember|note|forget|i|we|the|it|please|mein|meine|merk|vergiss|ich|wir|mi|recuerda|olvida|mon|ma)\b/i

const ABBREVIATIONS: ReadonlySet<string> = new Set(
  `dr mr mrs ms prof st sr jr vs no nr hr fr dipl ing inc ltd corp co dept est fig gen gov hon lt sgt rev mt ave blvd apt approx
min max e.g i.e eg ie cf viz a.k.a tel str bzw ggf vgl evtl inkl exkl z.b d.h u.a o.ä ca abs art bspw sog usf nachm vorm
sra dra srta ud uds ej p.ej pág av avda aprox núm mme mlle mm pr env c.-à-d dott dssa sig avv es pag
dhr mevr mw bijv o.a d.w.z ul np tj godz im tzw т.е т.к т.д т.п г ул д стр им см напр
jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue wed thu fri sat sun`.split(/\s+/),
)
/** Titles: a name always follows. */
const TITLES: ReadonlySet<string> = new Set(
  'dr mr mrs ms prof sr sra dra srta mme mlle hr fr dott dssa sig avv dhr mevr st'.split(' '),
)

export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[。！？])/u)
    .flatMap(sentencesIn)
    .map((one) => one.replace(/^[-*>\s]+/, '').trim())
    .filter((one) => one !== '')
}

function sentencesIn(line: string): readonly string[] {
  const found: string[] = []
  let from = 0
  for (const { 0: end, index } of line.matchAll(END)) {
    const next = index + end.length
    if (!isEnd(line.slice(from, index), end, line.slice(next))) continue
    found.push(line.slice(from, next))
    from = next
  }
  return [...found, line.slice(from)]
}

function isEnd(before: string, mark: string, after: string): boolean {
  const isStart = STARTS.test(after)
  if (!isStart && !/^["'“„«(¿¡]?[\p{Lu}\p{Lo}]/u.test(after)) return false
  if (!/^\.["'”»)\]]*\s/.test(mark)) return true
  const word = /[\p{L}\p{N}.’'-]+$/u.exec(before)?.[0].toLowerCase() ?? ''
  if (TITLES.has(word)) return false
  // `J. Smith`, `z. B.`, `3. Mai`, `U.S. Navy`: no end of a sentence, unless the next word begins one.
  const isShort = ABBREVIATIONS.has(word) || /^\p{L}$|^\d{1,4}$|^(?:\p{L}\.)+\p{L}$/u.test(word)
  return !isShort || isStart
}
