/**
 * Which files of a home memory is made of. Takes the home; gives its sources with their stats, folder by folder.
 * Leaves to index-sync.ts: what has changed. Links are not followed.
 * Invariant 1: a folder is stat'ed in batches, so that ten thousand files hold nobody up.
 * Invariant 2: private state under the git dir is no source, but for transcripts of rooms' own conversations.
 */
import { join } from 'node:path'
import { scopeName } from '../core/rules/people.ts'
import { kindOf } from '../core/rules/paths.ts'
import { SHARED_SCOPES } from '../flow/scopes.ts'
import type { Files, ScanEntry } from '../ports.ts'
import type { PassageKind } from '../ports-memory.ts'
import type { Source } from './passages.ts'
import type { Steps } from './steps.ts'

export interface Places {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly files: Pick<Files, 'names' | 'scan'>
}

export interface Seen extends Source {
  readonly full: string
  readonly stat: ScanEntry
}

const BATCH = 1_000
const DAILY = /^\d{4}-\d{2}-\d{2}\.md$/
const LIVE_NEO = /^neo-(.+)-\d{4}-\d{2}-\d{2}-\d+\.jsonl$/

/** What a file of a folder of memories is. */
export function memoryKind(name: string): PassageKind {
  if (name === 'MEMORY.md') return 'fact'
  if (name === 'HISTORY.md') return 'history'
  return DAILY.test(name) ? 'daily' : 'memory'
}

export async function* sourcesOf(places: Places, steps: Steps): AsyncGenerator<readonly Seen[]> {
  const { home, files } = places
  yield* inFolder(places, steps, { folder: 'workspace/memory', part: '', kind: memoryKind, wanted: isNote })
  for (const room of files.names(join(home, 'rooms'))) {
    if (room.startsWith('.')) continue
    const at = (folder: string) => ({ folder: `rooms/${room}/${folder}`, part: room })
    yield* inFolder(places, steps, { ...at('memories'), kind: memoryKind, wanted: isNote })
    yield* inFolder(places, steps, { ...at('sessions'), kind: () => 'session', wanted: isNote })
    yield* inFolder(places, steps, { ...at('transcripts'), kind: () => 'talk', wanted: isTalk })
    yield* tasksOf(places, steps, room)
  }
  yield* sharedScopes(places, steps)
  yield* liveTalks(places, steps)
}

/** What is committed of scopes, each a part of its own; private ones have nothing here. */
async function* sharedScopes(places: Places, steps: Steps): AsyncGenerator<readonly Seen[]> {
  for (const folder of places.files.names(join(places.home, SHARED_SCOPES))) {
    if (folder.startsWith('.')) continue
    const at = { part: scopePart(scopeName(folder)) }
    const isWanted = (name: string) => isNote(name) && name !== 'SCOPE.md'
    yield* inFolder(places, steps, {
      ...at,
      ...{ folder: `${SHARED_SCOPES}/${folder}`, kind: memoryKind, wanted: isWanted },
    })
    yield* inFolder(places, steps, {
      ...at,
      ...{ folder: `${SHARED_SCOPES}/${folder}/transcripts`, kind: () => 'talk', wanted: isTalk },
    })
  }
}

/** The partition of a shared scope; no room has such a name. */
export function scopePart(scope: string): string {
  return `scope:${scope}`
}

export function isNote(name: string): boolean {
  return name.endsWith('.md') && name !== 'README.md' && !/^[._]/.test(name)
}

export function isTalk(name: string): boolean {
  return name.endsWith('.jsonl') && !name.startsWith('.')
}

interface Folder {
  readonly folder: string
  readonly part: string
  readonly kind: (name: string) => PassageKind
  readonly wanted: (name: string) => boolean
}

export async function* inFolder(
  { home, files }: Places,
  steps: Steps,
  of: Folder,
): AsyncGenerator<readonly Seen[]> {
  const root = join(home, of.folder)
  for (const stats of batches(files, root, of.wanted)) {
    yield stats.map((one) => ({
      path: `${of.folder}/${one.path}`,
      part: of.part,
      kind: of.kind(one.path),
      full: `${root}/${one.path}`,
      stat: one,
    }))
    await steps.rest()
  }
}

/** The files of a folder: in one listing where they are few, else by their names. */
function* batches(
  files: Places['files'],
  root: string,
  wanted: (name: string) => boolean,
): Generator<readonly ScanEntry[]> {
  let count = 0
  const first = files.scan(root, (path, kind) => kind === 'file' && wanted(path) && ++count <= BATCH)
  yield first.filter(({ kind }) => kind === 'file')
  if (count <= BATCH) return
  const seen = new Set(first.map(({ path }) => path))
  const names = files.names(root).filter((name) => wanted(name) && !seen.has(name))
  for (let at = 0; at < names.length; at += BATCH) {
    const some = new Set(names.slice(at, at + BATCH))
    const found = files.scan(root, (path, kind) => kind === 'file' && some.has(path))
    yield found.filter(({ kind }) => kind === 'file')
  }
}

/** Tasks of a room, folder by folder. */
async function* tasksOf(places: Places, steps: Steps, room: string): AsyncGenerator<readonly Seen[]> {
  const folders = [`rooms/${room}/tasks`]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const of = folder
    const wanted = (name: string) => kindOf(`${of}/${name}`)?.kind === 'task'
    yield* inFolder(places, steps, { folder, part: room, kind: () => 'task', wanted })
    for (const name of places.files.names(join(places.home, folder)))
      if (!name.includes('.') && folder.split('/').length < DEEPEST) folders.push(`${folder}/${name}`)
  }
}

const DEEPEST = 10

/** Conversations of rooms that have not moved into them yet. */
async function* liveTalks({ dir, files }: Places, steps: Steps): AsyncGenerator<readonly Seen[]> {
  const root = join(dir, 'transcripts')
  for (const stats of batches(files, root, (name) => LIVE_NEO.test(name))) {
    yield stats.map((one) => ({
      path: `live/${one.path}`,
      part: LIVE_NEO.exec(one.path)?.[1] ?? '',
      kind: 'talk' as const,
      full: `${root}/${one.path}`,
      stat: one,
    }))
    await steps.rest()
  }
}
