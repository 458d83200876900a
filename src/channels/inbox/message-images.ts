/**
 * Images of messages, for models that can see them. Invariant 1: the images of a room's message come from the queue, never
 * from the inbox file: whoever can write such a file could name an image of somebody's private chat.
 */
import { relative } from 'node:path'
import type { Trigger } from '../../domain/plan/decision.ts'
import type { Waiting } from '../../store/durable-queue.ts'
import type { Inbound } from '../channel-message.ts'

/** Empty without images; the text names them in any case. */
export function picturesOf(dir: string, { media }: Pick<Inbound, 'media'>): Pick<Trigger, 'images'> {
  const images = media
    .filter(({ kind }) => kind === 'image')
    .map(({ type, path }) => ({ type, path: relative(dir, path).replaceAll('\\', '/') }))
  return images.length === 0 ? {} : { images }
}

/** Triggers of a room, with the pictures of the messages that were given to its inbox. */
export function pictured(
  dir: string,
  triggers: readonly Trigger[],
  waiting: readonly Waiting<Inbound>[],
): readonly Trigger[] {
  const letters = new Map(waiting.map((one) => [inboxFilePathIn(one.note), one]))
  return triggers.map((trigger) => {
    const path = /^inbox:(.*)@[0-9a-f]+$/s.exec(trigger.key)?.[1]
    const first = path === undefined ? undefined : letters.get(path)
    if (first === undefined) return trigger
    const keys = keysIn(first.note)
    const others = waiting.filter(({ key }) => keys.includes(key))
    return { ...trigger, ...picturesOf(dir, { media: [first, ...others].flatMap(({ item }) => item.media) }) }
  })
}

function inboxFilePathIn(note: unknown): string | null {
  const { path } = (note ?? {}) as { readonly path?: unknown }
  return typeof path === 'string' ? path : null
}

function keysIn(note: unknown): readonly unknown[] {
  const { with: keys } = (note ?? {}) as { readonly with?: unknown }
  return Array.isArray(keys) ? keys : []
}
