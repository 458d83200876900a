/**
 * Recall by words over a room's memory files, until an index does it better.
 * Takes a query; gives the best memories as text with their places. Any query is all right, the empty one too.
 * Invariant 1: what is recalled is marked as what it is: statements, never instructions.
 */
import { join } from 'node:path'
import { readMemory } from '../formats/memory.ts'
import type { Context } from './context.ts'

const MOST_BYTES = 64 * 1024
export const NOTHING_RECALLED = 'nothing is remembered about this'
/** Of one memory in the answer. */
const MOST_TEXT = 1000

export function recallFrom(
  { home, world }: Pick<Context, 'home' | 'world'>,
  of: { readonly room: string; readonly query: string; readonly limit: number },
): string {
  const folder = `rooms/${of.room}/memories`
  const words = new Set(of.query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  const found = world.files.names(join(home, folder)).flatMap((name) => {
    const read = name.endsWith('.md') ? world.files.read(join(home, folder, name), MOST_BYTES) : null
    if (read?.kind !== 'file') return []
    const memory = readMemory(`${folder}/${name}`, read.bytes)
    if (memory.kind !== 'ok') return []
    const text = memory.value.body.trim()
    const own = new Set(`${text} ${memory.value.tags.join(' ')}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    return [{ name, text, score: [...words].filter((word) => own.has(word)).length }]
  })
  const best = found
    .filter(({ score }) => score > 0 || words.size === 0)
    .sort((a, b) => b.score - a.score || a.name.localeCompare(b.name))
    .slice(0, of.limit)
  if (best.length === 0) return NOTHING_RECALLED
  return best.map(({ name, text }) => `[${folder}/${name}]\n${text.slice(0, MOST_TEXT)}`).join('\n\n')
}
