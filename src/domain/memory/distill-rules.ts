/**
 * Distilling by rule: what people say becomes facts (MEMORY.md), what they said before moves to HISTORY.md, the rest are
 * notes of the day. Invariants: 1. the same words from the same place change nothing the second time; 2. a fact names
 * who said it, when and where; 3. what others than people say is only ever quoted in a note; 4. lines that a person
 * wrote stay as they are.
 */

import { type Fact, factOf } from './distill-facts.ts'
import {
  ASKED_TO_FORGET,
  type ForgetRequest,
  factsMeant,
  forgetAsked,
  withoutFacts,
} from './distill-forget.ts'
import { cut, factLine, joined, linesOf, readFact, shrink, sourcesIn } from './distill-lines.ts'
import { maskSecrets } from '../secrets/distill-secrets.ts'
import { sentencesOf } from './split-sentences.ts'

export interface Said {
  /** `human`, `member:<id>`, `neo`, `session:<id>`, … */
  readonly speaker: string
  /** `yes` for people, whose word makes facts; `no` for everything else. */
  readonly isPerson: boolean
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

const MOST_NOTE = 300

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
  if (said.isPerson) {
    const request = forgetAsked(masked.text)
    if (request !== null) forget(state, said, request)
    for (const sentence of request === null ? sentencesOf(masked.text) : []) {
      const fact = sentence.includes('***') ? null : factOf(sentence)
      if (fact !== null) keep(state, said, fact)
    }
  }
  note(state, said, isForget(said, masked.text) ? ASKED_TO_FORGET : masked.text)
}

/** The request holds the very words that are to go. */
function isForget({ isPerson }: Said, text: string): boolean {
  return isPerson && forgetAsked(text) !== null
}

/** In the order in which it was said: what is remembered after it stays. Who may forget what of others is asked at once, not here. */
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
  const flat = text.replaceAll(/\s+/gu, ' ').trim()
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
