/**
 * What a room remembers about a query, for its workers and their briefs, and one file of its workspace, for people with
 * access. Each result has its source, because it is a statement, never an instruction. A path or link that leads out of
 * the workspace is refused.
 */
import { basename, join } from 'node:path'
import { readInside } from '../../agent/tools/confined-paths.ts'
import type { Room } from '../../domain/room/room.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { readMemory } from '../../files/kinds/read-memory.ts'
import type { World } from '../../ports/world.ts'

const MOST_BYTES = 64 * 1024
export const NOTHING_RECALLED = 'no memories about this'
/** Of one memory in the answer. */
const MOST_TEXT = 1000

interface Where {
  readonly home: string
  readonly world: World
}

interface RecallQuery {
  readonly room: string
  readonly query: string
  readonly limit: number
}

interface Recalled {
  /** `rooms/shop/memories/x.md:12` */
  readonly source: string
  readonly text: string
}

/** Null: the index has no answer now. */
type Recall = (of: RecallQuery) => readonly Recalled[] | null

/** By World: one home is open over it. */
const better = new WeakMap<World, Recall>()

/** From now on this answers; it is called within a round, so it must not wait. */
export function attachRecall(world: World, recall: Recall): void {
  better.set(world, recall)
}

/** A workspace file in the index. */
export interface KnownFile {
  /** Relative to the workspace's folder. */
  readonly path: string
  /** One line: its description and what it defines; may be ''. */
  readonly about: string
}

type FindFiles = (of: RecallQuery) => readonly KnownFile[] | null

const knowsFiles = new WeakMap<World, FindFiles>()

/** From now on this finds files of workspaces. */
export function attachFiles(world: World, find: FindFiles): void {
  knowsFiles.set(world, find)
}

/** Null without an index. */
export function filesFrom(world: World, of: RecallQuery): readonly KnownFile[] | null {
  return of.query.trim() === '' ? [] : (knowsFiles.get(world)?.(of) ?? null)
}

/** Files as lines, within a number of characters. */
export function fileLines(files: readonly KnownFile[], letters: number): string {
  let text = ''
  for (const { path, about } of files) {
    const line = `- ${path}${about === '' ? '' : `: ${about}`}`.slice(0, MOST_FILE_LINE)
    if (text.length + line.length + 1 > letters) break
    text += `${text === '' ? '' : '\n'}${line}`
  }
  return text
}

const MOST_FILE_LINE = 200
/** Files in an answer of `recall`. */
const RECALL_FILES = 5
const RECALL_FILES_LETTERS = 1_000

export function recallWithFiles(of: Where, query: RecallQuery): string {
  const known = recallFrom(of, query)
  const files = filesFrom(of.world, { ...query, limit: RECALL_FILES }) ?? []
  if (files.length === 0) return known
  return `${known}\n\nFiles of the workspace that may be about it:\n${fileLines(files, RECALL_FILES_LETTERS)}`
}

export function recallFrom({ home, world }: Where, of: RecallQuery): string {
  const found = of.query.trim() === '' ? null : (better.get(world)?.(of) ?? null)
  return found === null ? byWords({ home, world }, of) : shown(found)
}

function shown(found: readonly Recalled[]): string {
  if (found.length === 0) return NOTHING_RECALLED
  return found.map(({ source, text }) => `[${source}]\n${text.slice(0, MOST_TEXT)}`).join('\n\n')
}

function byWords({ home, world }: Where, of: RecallQuery): string {
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
  return shown(best.map(({ name, text }) => ({ source: `${folder}/${name}`, text })))
}

export async function roomFile(
  { world }: { readonly world: World },
  { workspace }: Pick<Room, 'workspace'>,
  path: string,
): Promise<{ readonly name: string; readonly bytes: Buffer } | { readonly refused: string }> {
  if (world.agent === undefined) return { refused: 'this build has no support for workspaces' }
  const place = await world.git.place(workspace ?? DEFAULT_WORKSPACE, null)
  if ('wrong' in place) return { refused: `${place.wrong}; ${place.hint}` }
  const root = join(place.repository, place.folder)
  const permissions = { shell: 'deny', network: 'deny', write: [] } as const
  const found = readInside({ root, cwd: root, permissions, home: 'no', tree: world.agent.tree }, path)
  return found.kind === 'file'
    ? { name: basename(found.path), bytes: found.bytes }
    : { refused: found.refused }
}
