/**
 * Places in transcripts that the index leaves out because they were forgotten: `neo-2026-03-01-1:12`, without their words.
 * A damaged list counts as empty.
 */
import { join } from 'node:path'
import type { Files } from '../../ports/files-port.ts'

/** The oldest places go first. */
const MOST_PLACES = 5_000

const MOST_BYTES = 1024 * 1024

/** Of a room, or of a conversation in the home's index. `dir`: `<git dir>/neo`. */
export function forgottenPath(dir: string, part: string): string {
  return join(dir, 'memory', `${encodeURIComponent(part)}.forgotten.json`)
}

/** Of a conversation, in its own folder. */
export function forgottenInScope(state: string): string {
  return join(state, 'forgotten.json')
}

export function forgottenIn(files: Pick<Files, 'read'>, path: string): ReadonlySet<string> {
  try {
    const read = files.read(path, MOST_BYTES)
    const kept: unknown = read.kind === 'file' ? JSON.parse(read.bytes.toString('utf8')) : []
    return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [])
  } catch {
    return new Set()
  }
}

const TALK = /^(?:.*\/)?(neo-.*\d{4}-\d{2}-\d{2}-\d+)\.jsonl$/

/** How facts name a transcript: without the room that the name of a live one holds. */
export function talkName(path: string, part: string): string {
  const name = TALK.exec(path)?.[1] ?? ''
  const room = part.replace(/^scope:/, '')
  return name.startsWith(`neo-${room}-`) ? `neo-${name.slice(`neo-${room}-`.length)}` : name
}

export function noteForgotten(
  files: Pick<Files, 'read' | 'writeJson'>,
  path: string,
  places: readonly string[],
): void {
  if (places.length === 0) return
  files.writeJson(path, [...new Set([...forgottenIn(files, path), ...places])].slice(-MOST_PLACES))
}
