/**
 * For which members messages in a room's inbox were written: their permissions limit the turn that handles the message.
 * Invariant 1: the notes are beside the queues and never in git, because they would tell who wrote in a private chat.
 * Invariant 2: a turn that continues after a restart keeps the speakers that it began with.
 */
import { join } from 'node:path'
import type { Trigger } from '../domain/plan/decision.ts'
import type { ScopeSpeaker } from '../domain/policy/scope-types.ts'
import type { Files } from '../ports/files-port.ts'

interface Kept {
  readonly files: Pick<Files, 'read' | 'readJson' | 'writeJson'>
  /** `<git dir>/neo`. */
  readonly dir: string
  readonly home: string
}

type Noted = Readonly<Record<string, readonly ScopeSpeaker[]>>

/** Before the letter itself is written. Letters that are gone from the inbox are forgotten, but those of `open`. */
export function noteSpeakers(
  { files, dir, home }: Kept,
  room: string,
  more: { readonly of: Noted; readonly open: readonly string[] },
): void {
  if (Object.keys(more.of).length === 0) return
  const before = notedIn({ files, dir }, room)
  const open = new Set(more.open.map(pathOf))
  const isThere = (path: string) => open.has(path) || files.read(join(home, path), 0).kind !== 'missing'
  const still = Object.entries(before).filter(([path]) => isThere(path))
  const next = { ...Object.fromEntries(still), ...more.of }
  if (JSON.stringify(next) !== JSON.stringify(before)) files.writeJson(placeOf(dir, room), next)
}

/** Members who speak in these triggers, or for whom they were written; and those of the turn that is open. */
export function speakersIn(
  kept: Kept,
  room: string,
  { triggers, open }: { readonly triggers: readonly Trigger[]; readonly open: readonly string[] },
): readonly ScopeSpeaker[] {
  const own = triggers.flatMap(({ kind, from, key }) =>
    kind === 'message' && isMember(from) ? [[pathOf(key), [from]] as const] : [],
  )
  noteSpeakers(kept, room, { of: Object.fromEntries(own), open })
  const noted = notedIn(kept, room)
  const keys = [...triggers.map(({ key }) => key), ...open]
  return [...new Set([...own.flatMap(([, who]) => who), ...keys.flatMap((key) => noted[pathOf(key)] ?? [])])]
}

function isMember(from: string): from is ScopeSpeaker {
  return from.startsWith('member:')
}

/** Of `inbox:<path>@<hash>`, as `messageKey` makes it: what is edited while it waits is still theirs. */
function pathOf(key: string): string {
  return key.replace(/^inbox:/, '').replace(/@[^@]*$/, '')
}

function placeOf(dir: string, room: string): string {
  return join(dir, 'speakers', `${room}.json`)
}

function notedIn({ files, dir }: Pick<Kept, 'files' | 'dir'>, room: string): Noted {
  const read = files.readJson(placeOf(dir, room))
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return {}
  return Object.fromEntries(
    Object.entries(read).flatMap(([path, who]) =>
      Array.isArray(who) ? [[path, who.map(String) as ScopeSpeaker[]]] : [],
    ),
  )
}
