/** What an entry of a transcript says, in one line. Pure. */
import type { TranscriptEntry } from './read-transcript.ts'

/** Letters of what was said and read that a line shows. */
const LINE = 160

/** What an entry says, on one line. */
export function saysOf(entry: TranscriptEntry): string {
  switch (entry.type) {
    case 'start':
      return `${textOf(entry, 'title')} (${textOf(entry, 'worker')}, ${textOf(entry, 'branch')})`
    case 'tool_call':
      return entry['command'] === undefined ? agentCall(entry) : stepCall(entry)
    case 'assistant':
      // Lines from elsewhere may have their words as text, not in parts.
      return firstLine(saidBy(entry) || textOf(entry, 'text')) || callsOf(entry)
    case 'tool_result':
    case 'verify':
      return entry['result'] === undefined
        ? `${endedOf(entry)} after ${textOf(entry, 'ms')} ms`
        : firstLine(textIn(entry['result'], 'text'))
    default:
      return firstLine(
        textOf(entry, 'message') ||
          textOf(entry, 'text') ||
          textOf(entry, 'error') ||
          textOf(entry, 'outcome'),
      )
  }
}

/** All words of an answer, without what it thought and called; '' if it only called. */
export function saidBy(entry: TranscriptEntry): string {
  return partsOf(entry, 'text')
    .map((part) => textIn(part, 'text'))
    .join('\n')
    .trim()
}

/** What a tool is called with, in short: its first text. */
export function callWords(tool: string, input: unknown): string {
  const values = typeof input === 'object' && input !== null ? Object.values(input) : []
  const text = values.find((value) => typeof value === 'string') ?? ''
  const [line = ''] = String(text).split('\n')
  const letters = [...line]
  return `${tool} ${letters.length > 80 ? `${letters.slice(0, 79).join('')}…` : line}`.trim()
}

/** Whether it tells of a failure: of a step, a tool, or the session. */
export function isFailure(entry: TranscriptEntry): boolean {
  return entry['is_error'] === true || entry.type === 'error' || textIn(entry['result'], 'isError') === 'yes'
}

function agentCall(entry: TranscriptEntry): string {
  return callWords(textOf(entry, 'tool'), entry['input'])
}

function stepCall(entry: TranscriptEntry): string {
  const name = textOf(entry, 'name')
  const first = firstLine(textOf(entry, 'command'))
  return name === '' || name === first ? first : `${name}: ${first}`
}

function callsOf(entry: TranscriptEntry): string {
  const names = partsOf(entry, 'call').map((part) => textIn(part, 'name'))
  return names.length === 0 ? '' : `calls ${names.join(', ')}`
}

function partsOf(entry: TranscriptEntry, kind: string): readonly unknown[] {
  const parts = entry['parts']
  return Array.isArray(parts) ? parts.filter((part) => textIn(part, 'kind') === kind) : []
}

function textIn(value: unknown, key: string): string {
  const found: unknown =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : ''
  return typeof found === 'string' ? found : ''
}

function firstLine(text: string): string {
  const lines = text.trim().split(/\r?\n/)
  const [first = ''] = lines
  const letters = [...first]
  const cut = letters.length > LINE ? `${letters.slice(0, LINE - 1).join('')}…` : first
  return lines.length > 1 && cut === first ? `${first} …` : cut
}

function endedOf(entry: TranscriptEntry): string {
  const ended = textOf(entry, 'ended')
  return ended === 'exit' || ended === '' ? `exit code ${textOf(entry, 'exit_code')}` : ended
}

/** The text under a key; '' if there is none. */
export function textOf(entry: TranscriptEntry, key: string): string {
  const value = entry[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
