/**
 * The memories of rooms, as their files tell them, and finding in them by words.
 * Takes rooms and a query; gives memories, best first. Leaves to an index: meaning. Broken files are left out.
 * Invariant 1: any query is all right: quotes, operators, emoji, other scripts, nothing.
 */
import { join } from 'node:path'
import { type Memory, readMemory } from '../formats/memory.ts'
import { MAX_BYTES } from '../flow/transact.ts'
import type { HubEnv } from './env.ts'

export interface MemoryAt {
  readonly id: string
  readonly room: string
  readonly path: string
  /** Blob id of the file. */
  readonly hash: string
  readonly memory: Memory
  /** 1-based line on which the content begins. */
  readonly line: number
}

export function memoriesOf({ context }: HubEnv, room: string): readonly MemoryAt[] {
  const { files, git } = context.world
  const folder = `rooms/${room}/memories`
  const names = files
    .names(join(context.home, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
  return names.toSorted().flatMap((name) => {
    const path = `${folder}/${name}`
    const read = files.read(join(context.home, path), MAX_BYTES)
    if (read.kind !== 'file') return []
    const memory = readMemory(path, read.bytes)
    if (memory.kind !== 'ok') return []
    const text = read.bytes.toString('utf8')
    const line = text.slice(0, text.length - memory.value.body.length).split('\n').length
    const id = memory.value.neo.id ?? name.slice(0, -3)
    return [{ id, room, path, hash: git.blobId(read.bytes), memory: memory.value, line }]
  })
}

export interface Hit {
  readonly at: MemoryAt
  /** Above 0; what holds more of the words, and more often, is higher. */
  readonly score: number
  readonly snippet: string
  readonly line: number
}

/** Those that hold at least one of the words, best first; none for a query without words. */
export function search(memories: readonly MemoryAt[], query: string): readonly Hit[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const hits = memories.flatMap((at) => hitOf(at, words) ?? [])
  return hits.toSorted((a, b) => b.score - a.score || (a.at.path < b.at.path ? -1 : 1))
}

/** Runs of letters, digits and signs such as emoji; punctuation parts them. */
function wordsOf(query: string): readonly string[] {
  const found =
    query
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu) ?? []
  return [...new Set(found)].slice(0, MOST_WORDS)
}

const MOST_WORDS = 50
const SNIPPET = 300
const WEIGHT = { low: 0.8, normal: 1, high: 1.2 } as const

function hitOf(at: MemoryAt, words: readonly string[]): Hit | null {
  const { memory } = at
  const text = `${memory.body} ${memory.tags.join(' ')}`.normalize('NFKC').toLowerCase()
  const held = words.filter((word) => text.includes(word))
  if (held.length === 0) return null
  const often = held.reduce((sum, word) => sum + Math.log2(1 + text.split(word).length - 1), 0)
  const score = (held.length / words.length + often / (10 * words.length)) * WEIGHT[memory.importance]
  const lines = memory.body.split('\n')
  const best = lines.findIndex((line) =>
    held.some((word) => line.normalize('NFKC').toLowerCase().includes(word)),
  )
  const line = Math.max(0, best)
  const snippet = (lines[line] ?? '').trim().slice(0, SNIPPET)
  return { at, score: Math.round(score * 1000) / 1000, snippet, line: at.line + line }
}
