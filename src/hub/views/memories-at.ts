/**
 * The memories of rooms, as their files tell them. Broken files are left out, and what is distilled (MEMORY.md,
 * HISTORY.md, daily notes): those are lists of facts, not memories of their own.
 */
import { join } from 'node:path'
import { type Memory, readMemory } from '../../files/kinds/read-memory.ts'
import { MAX_BYTES } from '../../engine/commit/file-change.ts'
import { memoryKind } from '../../memory/index/sources.ts'
import type { HubEnv } from '../env.ts'

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
    .filter((name) => name.endsWith('.md') && name !== 'README.md' && memoryKind(name) === 'memory')
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
