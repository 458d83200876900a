/**
 * What an entry of a transcript says, in one line. Takes an entry; gives words. Pure.
 * Leaves to transcript.ts: reading entries; to whoever shows them: cutting and escaping.
 */
import type { TranscriptEntry } from './transcript.ts'

/** What an entry says, on one line. */
export function saysOf(entry: TranscriptEntry): string {
  switch (entry.type) {
    case 'start':
      return `${textOf(entry, 'title')} (${textOf(entry, 'worker')}, ${textOf(entry, 'branch')})`
    case 'tool_call': {
      const name = textOf(entry, 'name')
      const command = textOf(entry, 'command').trim().split('\n')
      const first = command.length > 1 ? `${command[0]} …` : (command[0] ?? '')
      return name === '' || name === first ? first : `${name}: ${first}`
    }
    case 'tool_result':
    case 'verify':
      return `${endedOf(entry)} after ${textOf(entry, 'ms')} ms`
    default:
      return (
        textOf(entry, 'message') ||
        textOf(entry, 'text') ||
        textOf(entry, 'error') ||
        textOf(entry, 'outcome')
      )
  }
}

function endedOf(entry: TranscriptEntry): string {
  const ended = textOf(entry, 'ended')
  return ended === 'exit' || ended === '' ? `exit code ${textOf(entry, 'exit_code')}` : ended
}

/** The text under a key; '' where there is none. */
export function textOf(entry: TranscriptEntry, key: string): string {
  const value = entry[key]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
