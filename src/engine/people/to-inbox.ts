/** A message to a room's Neo: one new file in the room's inbox, as if a person had put it there. */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Context } from '../context.ts'

export interface Message {
  readonly room: string
  readonly content: string
  readonly from: string
  /** Called with the path before the file exists. */
  readonly before?: (path: string) => void
}

/** Throws NeoError `failed` if the file exists. */
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
