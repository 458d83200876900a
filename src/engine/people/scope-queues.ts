/**
 * Removes messages of a scope from the channel queues while no channel runs. Keys stay, so that nothing is handled twice;
 * texts are removed.
 */
import { join } from 'node:path'
import type { Files } from '../../ports/files-port.ts'
import { openQueue } from '../../store/durable-queue.ts'

export interface OfScope {
  readonly name: string
  /** The channel's name for it, such as `telegram:7`. */
  readonly key: string
}

/** By its scope, or for an outgoing message by its chat. */
export function isOfScope(item: unknown, { name, key }: OfScope): boolean {
  const { scope, channel, chatId, thread, path } = (item ?? {}) as Readonly<Record<string, unknown>>
  if (typeof scope === 'string') return scope === name
  if (typeof path === 'string') return path.includes(`/scopes/${name}/`)
  const place = [channel, chatId, thread].filter((part) => part !== undefined).join(':')
  return key !== '' && place === key
}

/** Returns how many waited. */
export function forgetQueued(
  files: Pick<Files, 'read' | 'append' | 'save' | 'sync'>,
  dir: string,
  of: OfScope,
): number {
  const queues = ['inbound', 'outbound', 'media'].map((name) => join(dir, 'queues', `${name}.jsonl`))
  const forget = (path: string) => openQueue(files, path).forget((item) => isOfScope(item, of))
  return queues.reduce((sum, path) => sum + forget(path), 0)
}
