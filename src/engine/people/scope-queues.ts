/**
 * Messages of a scope in the queues of the bus, where no bus runs: taken out of the files, with all that was done.
 * Invariant 1: keys stay, so that nothing that was handled is handled again; texts go.
 */
import { join } from 'node:path'
import type { Files } from '../../ports/world.ts'
import { openQueue } from '../../store/durable-queue.ts'

export interface OfScope {
  readonly name: string
  /** `telegram:7`, as the channel calls it. */
  readonly key: string
}

/** Whether a message belongs to a scope: by its name, or, on its way out, by its place. */
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
