/**
 * Messages of a scope in the queues of the bus, where no bus runs: taken out of the files, with all that was done.
 * Invariant 1: keys stay, so that nothing that was handled is handled again; texts go.
 */
import { join } from 'node:path'
import type { Files } from '../../ports/world.ts'
import { readLines, replaceLines } from '../commit/jsonl.ts'

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

interface Line {
  readonly op: string
  readonly key: string
  readonly item?: unknown
}

/** Gives how many waited. */
export function forgetQueued(files: Pick<Files, 'read' | 'save'>, dir: string, of: OfScope): number {
  const queues = ['inbound', 'outbound', 'media'].map((name) => join(dir, 'queues', `${name}.jsonl`))
  return queues.reduce((sum, path) => sum + forgetIn(files, path, of), 0)
}

function forgetIn(files: Pick<Files, 'read' | 'save'>, path: string, of: OfScope): number {
  const lines = readLines(files, path).values.filter(isLine)
  const own = new Set(
    lines.filter((line) => line.op === 'put' && isOfScope(line.item, of)).map(({ key }) => key),
  )
  if (own.size === 0) return 0
  const done = new Set(lines.filter(({ op }) => op === 'done').map(({ key }) => key))
  const kept = lines.filter((line) => !own.has(line.key))
  replaceLines(files, path, [...[...own].map((key) => ({ op: 'done', key })), ...kept])
  return [...own].filter((key) => !done.has(key)).length
}

function isLine(value: unknown): value is Line {
  const { op, key } = (value ?? {}) as Partial<Line>
  return typeof op === 'string' && typeof key === 'string'
}
