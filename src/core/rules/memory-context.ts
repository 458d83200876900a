/**
 * What of memory stands in every turn and brief: MEMORY.md and the notes of yesterday and today, of the home and of the
 * room. Takes how to read a file, a room and the day; gives the texts, cut to a size.
 * Leaves to neo/ and flow/effects/brief.ts: reading, and marking them as statements of others.
 * Invariant 1: no text is longer than MOST_FACTS or MOST_DAY, whatever the files hold, and what is left out is said. Invariant 2: of facts the beginning is kept, of a day's notes the end.
 */
import { LOBBY } from './policy.ts'

export interface Remembered {
  /** `workspace/memory/MEMORY.md` */
  readonly path: string
  readonly text: string
}

const MOST_FACTS = 8_000
const MOST_DAY = 3_000
const DAY_MS = 86_400_000

/** Where a room's facts and notes lie: the lobby's are the home's. */
export function memoryFolderOf(room: string): string {
  return room === LOBBY ? 'workspace/memory' : `rooms/${room}/memories`
}

/** @param wallMs what the wall clock of the home reads, as if it were UTC */
export function rememberedFor(
  read: (path: string) => string | null,
  { room, wallMs }: { readonly room: string; readonly wallMs: number },
): readonly Remembered[] {
  return rememberedIn(read, { folders: [...new Set([memoryFolderOf(LOBBY), memoryFolderOf(room)])], wallMs })
}

/** The same of any folders that hold MEMORY.md and notes of days, such as those of scopes. */
export function rememberedIn(
  read: (path: string) => string | null,
  { folders, wallMs }: { readonly folders: readonly string[]; readonly wallMs: number },
): readonly Remembered[] {
  const days = [wallMs - DAY_MS, wallMs].map((ms) => new Date(ms).toISOString().slice(0, 10))
  return folders.flatMap((folder) =>
    ['MEMORY', ...days].flatMap((name) => {
      const path = `${folder}/${name}.md`
      const text = (read(path) ?? '').trim()
      if (text === '' || isNoText(text)) return []
      return [{ path, text: name === 'MEMORY' ? begin(text, path) : end(text, path) }]
    }),
  )
}

/** True where MEMORY.md is longer than what of it reaches anybody by itself. */
export function isTooLong(text: string): boolean {
  return text.trim().length > MOST_FACTS
}

function isNoText(text: string): boolean {
  return text.slice(0, 8_000).includes('\0')
}

function begin(text: string, path: string): string {
  if (text.length <= MOST_FACTS) return text
  const at = text.lastIndexOf('\n', MOST_FACTS)
  const kept = text.slice(0, at > MOST_FACTS / 2 ? at : MOST_FACTS)
  return `${kept}\n… (${text.length - kept.length} more letters of ${path} left out: search memory for them)`
}

function end(text: string, path: string): string {
  if (text.length <= MOST_DAY) return text
  const from = text.length - MOST_DAY
  const at = text.indexOf('\n', from)
  const kept = at >= 0 && at < from + MOST_DAY / 2 ? text.slice(at + 1) : text.slice(from)
  return `(${text.length - kept.length} letters before this of ${path} left out: search memory for them) …\n${kept}`
}
