/**
 * Distilling by rule: what people say becomes facts (MEMORY.md), what they said before moves to HISTORY.md, the rest are
 * notes of the day. Takes what was said and the texts as they are; gives the texts as they are to be.
 * Leaves to memory/distilling.ts: reading, writing, watermarks. Leaves to distill-secrets.ts: what is never kept.
 * Invariants: 1. the same words from the same place change nothing the second time; 2. a fact names who said it, when and
 * where; 3. what others than people say is only ever quoted in a note; 4. lines that a person wrote stay as they are.
 */
import { cut, factLine, joined, linesOf, readFact, shrink, sourcesIn } from './distill-lines.ts'
import { maskSecrets } from './distill-secrets.ts'

export interface Said {
  /** `human`, `member:<id>`, `neo`, `session:<id>`, … */
  readonly speaker: string
  /** `yes` for people, whose word makes facts; `no` for everything else. */
  readonly isPerson: 'yes' | 'no'
  readonly text: string
  /** `2026-03-01` and `09:12`, in the home's time. */
  readonly day: string
  readonly time: string
  /** `neo-2026-03-01-1:12`: transcript and line. */
  readonly source: string
  /** Where the same words may have been heard before: while their message waited. */
  readonly also?: string
}

export interface Texts {
  readonly memory: string
  readonly history: string
  /** By day. */
  readonly notes: ReadonlyMap<string, string>
}

export interface Distilled extends Texts {
  readonly facts: number
  readonly noted: number
  /** Secrets that were said and not kept: `human: password`. */
  readonly refused: readonly string[]
}

const MOST_FACT = 400
const MOST_NOTE = 300

const KEYED =
  /^(?:(?:please\s+)?(?:remember|note)(?:\s+that)?[:,]?\s+)?my\s+([\p{L}\p{N}][\p{L}\p{N} '’_-]{0,60}?)\s+(?:is|are|=)\s+(.+)$/iu
const ASKED =
  /^(?:please[,\s]+)?(?:remember|note|bitte merke?n?|merke dir|retiens|recuerda)(?:\s+(?:that|dass|que))?[:,]?\s+(.+)$/iu
const ASKED_WIDE = /^(.+?)(?:を|と)?(?:覚えて|記憶して|メモして)(?:おいて)?(?:ください)?[。.]?$/u
/** `remember to …` is a task, `note …?` a question: neither is a fact. */
const NO_FACT = /^(?:to|when|how|me)\b|\?\s*$/i

interface Fact {
  /** '' for a statement without a key. */
  readonly key: string
  readonly value: string
}

/** What a person's sentence asks to be kept; null for anything else. */
export function factOf(sentence: string): Fact | null {
  const keyed = KEYED.exec(sentence)
  if (keyed !== null) return { key: (keyed[1] ?? '').trim().toLowerCase(), value: bare(keyed[2] ?? '') }
  const asked = ASKED.exec(sentence) ?? ASKED_WIDE.exec(sentence)
  const value = bare(asked?.[1] ?? '')
  return value === '' || NO_FACT.test(value) ? null : { key: '', value }
}

function bare(text: string): string {
  return cut(text.trim().replace(/[.。\s]+$/u, ''), MOST_FACT)
}

/** The texts after one more run over what was said. */
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
  if (said.isPerson === 'yes') {
    for (const sentence of sentencesOf(masked.text)) {
      const fact = sentence.includes('***') ? null : factOf(sentence)
      if (fact !== null) keep(state, said, fact)
    }
  }
  note(state, said, masked.text)
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!。！])\s+(?=\p{Lu}|my\b|remember\b|note\b)|(?<=[。！])/u)
    .map((one) => one.replace(/^[-*>\s]+/, '').trim())
    .filter((one) => one !== '')
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
  const flat = text.replaceAll(/\s+/gu, ' ').trim()
  if (flat === '') return
  const lines = state.notes.get(said.day) ?? linesOf('', `# ${said.day}`)
  state.notes.set(said.day, lines)
  const who = said.isPerson === 'yes' ? 'member' : said.speaker === 'neo' ? 'neo' : 'other'
  const says =
    who === 'other'
      ? `${said.speaker} wrote: "${cut(flat, MOST_NOTE).replaceAll('"', "'")}"`
      : cut(flat, MOST_NOTE)
  lines.push(`- ${said.time} [${who}] ${says} (${said.source})`)
  state.noted++
}
