/**
 * Bringing the index up to the tracked files of workspaces: path, what a file says of itself, names that it defines. By
 * commit first, then by blob id. Invariants: 1. only what git tracks is looked at; 2. in small steps, and never more
 * than MOST_FILES of one workspace; 3. each workspace is a partition of its own: rooms find the files of theirs alone.
 */

import { NeoError } from '../../domain/home/error.ts'
import { summaryOf } from '../../domain/memory/recall-texts.ts'
import type { Place } from '../../domain/session/session.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Indexed, IndexStore, SourceMark } from '../../ports/index-port.ts'
import { type Embeddings, NO_MEANING } from '../search/embeddings.ts'
import { FILES, isFileSource } from './change-detector.ts'
import { indexedOf } from './index-sync.ts'
import { isBinary } from './passages.ts'
import { openSteps, type Steps } from './sources.ts'

export interface Workspace {
  /** Partition of its files: `workspacePart`. */
  readonly part: string
  readonly place: Place
  /** `kept`: it was looked at a moment ago, and what is in the index stays. */
  readonly look: 'now' | 'kept'
}

export interface WorkspaceSync {
  readonly store: IndexStore
  readonly git: Pick<Git, 'filesAt' | 'bytesAt' | 'rest' | 'blobId'>
  readonly meaning: Embeddings
  readonly signal?: AbortSignal
}

/** Of a workspace; those whose paths are shortest come first. */
export const MOST_FILES = 20_000
const MOST_BYTES = 256 * 1024
const BATCH = 60
const LEAST_WORD = 4
/** Among fewer files words alone find enough, and a daemon need not hold the table of meaning. */
const LEAST_MEANT = 40
/** No room has such a name. */
export function workspacePart(blobId: Git['blobId'], { repository, folder, base }: Place): string {
  return `@${blobId(Buffer.from(`${repository}\0${folder}\0${base}`)).slice(0, 16)}`
}

/** True where something of them was news. */
export async function syncWorkspaces(of: WorkspaceSync, workspaces: readonly Workspace[]): Promise<boolean> {
  const parts = new Set(workspaces.map(({ part }) => part))
  const strays = [...of.store.sources().values()].filter(
    ({ path, part }) => isFileSource(path) && !parts.has(part),
  )
  await drop(of, strays, openSteps())
  let changed = strays.length > 0
  for (const workspace of workspaces) {
    if (of.signal?.aborted === true || workspace.look === 'kept') continue
    try {
      if (await syncOne(of, workspace)) changed = true
      await of.git.rest(workspace.place)
    } catch (error) {
      // A repository that is broken or gone costs its own files alone.
      if (!(error instanceof NeoError) || error.code !== 'git') throw error
    }
  }
  return changed
}

async function syncOne(of: WorkspaceSync, { part, place }: Workspace): Promise<boolean> {
  const { store, git } = of
  const known = store.sources()
  const head = `${FILES}${part}:`
  const tracked = await git.filesAt(place, known.get(head)?.hash ?? '')
  if (tracked === null || tracked.commit === known.get(head)?.hash) return false
  const steps = openSteps()
  const wanted = chosen(tracked.files)
  const meant = wanted.size >= LEAST_MEANT ? of : { ...of, meaning: NO_MEANING }
  let waiting: { mark: SourceMark; passages: Indexed[] }[] = []
  for (const [path, { id, size }] of wanted) {
    if (of.signal?.aborted === true) return true
    if (known.get(head + path)?.hash === id) continue
    waiting.push(await bringUp(meant, { part, place, path, id, size, source: head + path }))
    await steps.rest()
    if (waiting.length < BATCH) continue
    store.put(waiting, 'replace')
    waiting = []
  }
  const gone = [...known.values()].filter(
    ({ path }) => path.startsWith(head) && path !== head && !wanted.has(path.slice(head.length)),
  )
  await drop(of, gone, steps)
  // Last: until then the next sync continues where this one was interrupted.
  store.put([...waiting, { mark: markOf(head, part, tracked.commit), passages: [] }], 'replace')
  return true
}

type Tracked = ReadonlyMap<string, { readonly id: string; readonly size: number }>

function chosen(files: Tracked): Tracked {
  if (files.size <= MOST_FILES) return files
  const depth = (path: string) => path.split('/').length
  return new Map(
    [...files].toSorted(([a], [b]) => depth(a) - depth(b) || a.length - b.length).slice(0, MOST_FILES),
  )
}

interface File {
  readonly part: string
  readonly place: Place
  readonly path: string
  readonly id: string
  readonly size: number
  readonly source: string
}

async function bringUp(
  { git, meaning }: WorkspaceSync,
  { part, place, path, id, size, source }: File,
): Promise<{ mark: SourceMark; passages: Indexed[] }> {
  const bytes = size > MOST_BYTES ? null : await git.bytesAt(place, id)
  const isText = bytes !== null && !isBinary(bytes)
  const { line, symbols, words } = summaryOf(path, isText ? bytes.toString('utf8') : '')
  const text = [path, line, symbols.join(', ')].filter((one) => one !== '').join('\n')
  const what = { kind: 'file', type: 'note', id: path, tags: words, text } as const
  const passage = { source, part, at: '', line: 1, weight: 1, ...what }
  // Endings of paths mean nothing, and would be rare words.
  const prose = `${line} ${words.filter((word) => word.length >= LEAST_WORD).join(' ')}`
  const indexed = { ...indexedOf(passage, NO_MEANING), vector: meaning.of(prose) }
  return { mark: markOf(source, part, id), passages: [indexed] }
}

function markOf(path: string, part: string, hash: string): SourceMark {
  return { path, part, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, hash, offset: 0 }
}

async function drop({ store }: WorkspaceSync, marks: readonly SourceMark[], steps: Steps): Promise<void> {
  for (let at = 0; at < marks.length; at += BATCH) {
    store.drop(marks.slice(at, at + BATCH).map(({ path }) => path))
    await steps.rest()
  }
}
