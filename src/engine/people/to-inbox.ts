/**
 * A message to a room's Neo: a file in the room's inbox, as if a person had put it there. Invariant 1: a message is one
 * new file, written whole, or nothing and an error.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Context } from '../context.ts'

export interface Message {
  readonly room: string
  readonly content: string
  readonly from: string
  /** Called with its path before the file is there. */
  readonly before?: (path: string) => void
}

/** Throws NeoError (`failed`) where it cannot be put there. */
export function putMessage({ world, home, look }: Context, of: Message): string {
  const at = isoSecond(world.clock.now())
  const text = renderDocument({ from: of.from, at }, `${of.content.trim()}\n`)
  const path = `rooms/${of.room}/inbox/${at.replaceAll(/[^0-9TZ]/g, '')}-${world.random.id('a')}.md`
  of.before?.(path)
  const saved = world.files.save(join(home, path), Buffer.from(text), null)
  if (saved.kind !== 'saved') throw new NeoError('failed', `Cannot write "${path}": it already exists`)
  look.wrote(path, text)
  return path
}
