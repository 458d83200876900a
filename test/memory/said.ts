/** Lines of a room's conversation with Neo, as its transcript holds them, for tests of distilling. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

export const DAY = '2026-03-01'

const ENTRY = { v: 1, parent: null, ts: `${DAY}T09:12:00Z`, session: 'neo-shop', room: 'shop', task: '' }

let ids = 0

function line(more: object): string {
  ids += 1
  return `${JSON.stringify({ ...ENTRY, id: `e${ids}`, ...more })}\n`
}

export function user(text: string, from = 'human'): string {
  const mark = from === 'human' || from.startsWith('member:') ? 'message' : 'data'
  return line({ type: 'user', text: `<${mark} from="${from}">\n${text}\n</${mark}>` })
}

export function neoSays(text: string): string {
  return line({ type: 'assistant', parts: [{ kind: 'text', text }] })
}

export function closed(): string {
  return line({ type: 'end', of: 'conversation', why: 'new' })
}

/** Adds them to the conversation of the room `shop`. */
export function say(home: string, ...lines: readonly string[]): void {
  mkdirSync(join(home, '.git/neo/transcripts'), { recursive: true })
  appendFileSync(join(home, '.git/neo/transcripts/neo-shop-2026-03-01-1.jsonl'), lines.join(''))
}
