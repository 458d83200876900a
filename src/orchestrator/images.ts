/**
 * Images that people sent, for the model: read from the media folders of scopes, the newest only. Invariant 1: only
 * paths with the shape of a saved image are read. Invariant 2: an image that is not sent is described in words.
 */
import { join } from 'node:path'
import type { ImagePart } from '../domain/agent/model-message.ts'
import type { Model } from '../ports/model-port.ts'
import type { NeoOptions } from './options.ts'
import type { Conversation } from './orchestrator-conversation.ts'

/** Each costs as much as a page of text, with every call. */
const MOST_SHOWN = 6
/** Servers take 5 MB of base 64. */
const MOST_BYTES = 3_700_000
const KEPT = /^scopes\/[a-z0-9-]+\/media\/[a-z0-9]+\.(?:png|jpg|gif|webp)$/

export function imagesFor(
  { files, dir }: Pick<NeoOptions, 'files' | 'dir'>,
  { items }: Pick<Conversation, 'items'>,
  { sees }: Pick<Model, 'sees'>,
): ReadonlyMap<string, string> {
  if (sees !== true) return new Map()
  const sent = items.flatMap(({ message }) =>
    message.role === 'user' ? message.parts.filter((part): part is ImagePart => part.kind === 'image') : [],
  )
  const shown = sent.slice(-MOST_SHOWN).filter(({ path }) => KEPT.test(path))
  return new Map(
    shown.flatMap(({ path }) => {
      const read = files.read(join(dir, path), MOST_BYTES)
      return read.kind === 'file' ? [[path, read.bytes.toString('base64')] as const] : []
    }),
  )
}
