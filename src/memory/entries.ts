/**
 * What a folder of memory holds, entry by entry: a memory's file, a line of MEMORY.md or HISTORY.md, a note of a day.
 * Invariant 1: the version of a line is the id of its own text, so a change of another line is no conflict.
 */
import { isForgottenNote } from '../domain/memory/distill-forget.ts'
import { readFact } from '../domain/memory/distill-lines.ts'
import { type Piece, piecesOf } from '../domain/memory/recall-texts.ts'
import type { Context } from '../engine/context.ts'
import { type Memory, readMemory } from '../files/kinds/read-memory.ts'
import type { Stat } from '../ports/files-port.ts'
import { inFolder, isNote, memoryKind, openSteps, type Seen, type Steps } from './index/sources.ts'

export interface Entry {
  readonly kind: 'memory' | 'fact' | 'history' | 'daily'
  /** Name of its file. */
  readonly name: string
  /** 1-based; null for the whole file. */
  readonly line: number | null
  readonly version: string
  /** Without list mark and bookkeeping. */
  readonly text: string
  /** The line or paragraph as it is in the file; '' for the whole file. */
  readonly raw: string
  /** Of a fact with a key, such as `time zone`. */
  readonly key: string
  readonly speaker: string | null
  /** ISO 8601, or a day. */
  readonly at: string | null
  readonly sources: readonly string[]
  /** Null for lines. */
  readonly memory: Memory | null
}

const MOST_BYTES = 1024 * 1024
/** Files whose entries are kept in memory. */
const MOST_KEPT = 20_000

interface Kept {
  readonly stat: Stat
  readonly entries: readonly Entry[]
}

const kept = new WeakMap<Context['look'], Map<string, Kept>>()

/** @param root absolute path of the folder */
export async function entriesIn(
  context: Context,
  root: string,
  wanted: (kind: Entry['kind']) => boolean,
): Promise<readonly Entry[]> {
  const { files } = context.world
  const steps: Steps = openSteps()
  const isLike = (name: string) => isNote(name) && name !== 'SCOPE.md' && wanted(kindOf(name))
  const found: Entry[] = []
  const of = { folder: root, root, part: '', kind: memoryKind, isLike }
  for await (const batch of inFolder({ home: context.home, dir: context.dir, files }, steps, of))
    for (const seen of batch) {
      // A file can have more entries than a call can have arguments.
      for (const entry of entriesOf(context, seen)) found.push(entry)
      await steps.rest()
    }
  return found
}

function kindOf(name: string): Entry['kind'] {
  return memoryKind(name) as Entry['kind']
}

function entriesOf(context: Context, { full, stat }: Seen): readonly Entry[] {
  const known = kept.get(context.look) ?? new Map<string, Kept>()
  kept.set(context.look, known)
  const before = known.get(full)
  if (before !== undefined && isSame(before.stat, stat)) return before.entries
  const entries = readEntries(context, full)
  if (known.size >= MOST_KEPT) known.clear()
  known.set(full, { stat, entries })
  return entries
}

function isSame(one: Stat, other: Stat): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.ino === other.ino
}

/** Empty for a file that is missing, not text, or broken. */
export function readEntries(
  { world: { files, git } }: Pick<Context, 'world'>,
  full: string,
): readonly Entry[] {
  const name = full.slice(full.lastIndexOf('/') + 1)
  const read = files.read(full, MOST_BYTES)
  if (read.kind !== 'file' || read.bytes.includes(0)) return []
  if (kindOf(name) !== 'memory') {
    const text = read.bytes.toString('utf8').replace(/^\uFEFF/, '')
    const pieces = piecesOf(text).filter((piece) => !isForgottenNote(piece.text))
    return pieces.map((piece) => ofPiece(name, piece, git.blobId(Buffer.from(piece.text))))
  }
  const memory = readMemory(name, read.bytes)
  if (memory.kind !== 'ok') return []
  const { neo, body } = memory.value
  const rest = {
    speaker: neo.createdBy ?? null,
    at: neo.createdAt ?? null,
    sources: [neo.source ?? []].flat(),
  }
  const whole = { kind: 'memory', name, line: null, raw: '', key: '', memory: memory.value } as const
  return [{ ...whole, ...rest, version: git.blobId(read.bytes), text: body.trim() }]
}

const NOTE = /^- (\d{2}:\d{2}) \[([^\]]*)\] (.*?)(?: \(([\w.-]+:\d+)\))?$/
const OUTDATED = /^- \d{4}-\d{2}-\d{2}: /

function ofPiece(name: string, { line, text: raw }: Piece, version: string): Entry {
  const kind = kindOf(name)
  const day = /^(\d{4}-\d{2}-\d{2})\.md$/.exec(name)?.[1] ?? null
  const base = { kind, name, line, version, raw, key: '', memory: null }
  const fact = readFact(kind === 'history' ? raw.replace(OUTDATED, '- ') : raw)
  if (fact !== null) {
    const { key, speaker, value, day: at, sources } = fact
    return { ...base, text: value, key, speaker, at, sources }
  }
  const [, time, speaker, said, source] = (kind === 'daily' ? NOTE.exec(raw) : null) ?? []
  if (said !== undefined && time !== undefined && day !== null)
    return {
      ...base,
      text: said,
      speaker: speaker ?? null,
      at: `${day}T${time}`,
      sources: [source ?? []].flat(),
    }
  return { ...base, text: raw.replace(/^\s*[-*+]\s+/, ''), speaker: null, at: day, sources: [] }
}
