/**
 * The reply to a message: once Neo has had his turn, the message lies in `inbox/archive/` with `## Reply` below it.
 * Takes the path of the message; gives the reply, or null while the message waits.
 */
import { join } from 'node:path'
import { readDocument } from '../../formats/document.ts'
import { MAX_BYTES } from '../edit-file.ts'
import type { Opened } from '../with-world.ts'

export interface Reply {
  /** Where the message lies now. */
  readonly path: string
  /** Empty where Neo said nothing. */
  readonly text: string
}

const HEADING = '\n## Reply\n'

export function replyTo({ home, world }: Opened, path: string): Reply | null {
  const at = path.replace('/inbox/', '/inbox/archive/')
  const read = world.files.read(join(home, at), MAX_BYTES)
  if (read.kind !== 'file') return null
  const archived = readDocument(at, read.bytes)
  const body = archived.kind === 'ok' ? archived.value.body : read.bytes.toString('utf8')
  const from = body.indexOf(HEADING)
  return { path: at, text: from < 0 ? '' : body.slice(from + HEADING.length).trim() }
}
