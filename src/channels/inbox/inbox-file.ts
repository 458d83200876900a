/**
 * A message as a file in a room's inbox, and the reply in its archived copy. Invariant 1: the same message always has the
 * same path and text, so that it is written once.
 */
import { join } from 'node:path'
import { shortHash } from '../../domain/policy/known-people.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import type { Files } from '../../ports/files-port.ts'
import { type Inbound, placeText } from '../channel-message.ts'

/** Relative to the home. */
export function inboxFilePath({ room, key, at, channel }: Inbound): string {
  return `rooms/${room}/inbox/${at.replaceAll(/[^0-9TZ]/g, '')}-${channel}-${shortHash(key)}.md`
}

export function inboxFileText(message: Inbound): string {
  const { speaker, at, scope, target, key } = message
  const about = target === speaker ? {} : { about: target }
  const place = message.channel === 'system' ? {} : { channel: placeText(message), scope }
  return renderDocument({ from: speaker, at, ...place, ...about, key }, `${bodyOf(message)}\n`)
}

/** Files are named in words: a model that does not see them knows that they are there. */
export function bodyOf({ content, media }: Inbound): string {
  const named = media.map(({ kind, type, bytes }) => {
    const unseen = kind === 'image' ? '' : "; you can't see it"
    return `[${kind} received: ${type}, ${bytes} bytes${unseen}]`
  })
  return [content.trim(), ...named].filter((text) => text !== '').join('\n\n')
}

export type Answer =
  | { readonly kind: 'waits' }
  | { readonly kind: 'answered'; readonly text: string }
  /** In neither place: somebody has taken it away, or it is just on its way to the archive. */
  | { readonly kind: 'gone' }

const HEADING = '\n## Reply\n'

/** The reply to the message at this path of an inbox; `text` is the whole file as it was put there. */
export function answerAt(
  files: Pick<Files, 'read'>,
  home: string,
  { path, text }: { readonly path: string; readonly text: string },
): Answer {
  const at = path.replace('/inbox/', '/inbox/archive/')
  const read = files.read(join(home, at), MAX_BYTES)
  if (read.kind === 'file') return { kind: 'answered', text: replyIn(read.bytes.toString('utf8'), text) }
  return files.read(join(home, path), MAX_BYTES).kind === 'missing' ? { kind: 'gone' } : { kind: 'waits' }
}

/** The message may contain the same heading: its text is skipped if it is unchanged. */
function replyIn(archived: string, asked: string): string {
  const own = asked.trimEnd()
  const rest = archived.startsWith(own) ? archived.slice(own.length) : archived
  const from = rest.indexOf(HEADING)
  return from < 0 ? '' : rest.slice(from + HEADING.length).trim()
}
