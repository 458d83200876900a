/**
 * Which files of a home memory is made of. Links are not followed. Invariants: 1. a folder is looked through in small
 * steps: no more than about STEP_MS of work between two rests, so that rounds and clients don't wait; 2. private state
 * under the git dir is no source, except transcripts of rooms' own conversations; 3. a file that `isKnown` costs its
 * stat and little else; a folder that can't be read affects itself alone.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { kindOf } from '../../domain/home/home-paths.ts'
import { scopeName } from '../../domain/policy/known-people.ts'
import { SHARED_SCOPES } from '../../engine/people/scope-store.ts'
import type { Files, Stat } from '../../ports/files-port.ts'
import type { PassageKind } from '../../ports/index-port.ts'
import type { Source } from './passages.ts'

const STEP_MS = 15

export interface Steps {
  /** Yields if the step is over; else returns at once. */
  rest(): Promise<void>
  isOver(): boolean
  /** Yields now: what comes next is a step of its own. */
  next(): Promise<void>
}

export function openSteps(now: () => number = () => performance.now()): Steps {
  let began = now()
  const isOver = () => now() - began >= STEP_MS
  const next = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve))
    began = now()
  }
  return {
    ...{ isOver, next },
    async rest() {
      if (isOver()) await next()
    },
  }
}

export interface Places {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly files: Pick<Files, 'names' | 'stat'>
  /** True if nothing is news of a file of this stat: it is not given. Absent: all are given. */
  readonly isKnown?: (folder: string, name: string, stat: Stat) => boolean
  /** Told of a folder that may not be looked into, and why; absent: that is thrown. */
  readonly closed?: (folder: string, why: string) => void
}

export interface Seen extends Source {
  readonly full: string
  readonly stat: Stat
}

/** Files that are given together. */
const BATCH = 500
/** Files between two looks at the clock. */
const LOOKS = 64
const DAILY = /^\d{4}-\d{2}-\d{2}\.md$/
const LIVE_NEO = /^neo-(.+)-\d{4}-\d{2}-\d{2}-\d+\.jsonl$/

/** What a file of a folder of memories is. */
export function memoryKind(name: string): PassageKind {
  if (name === 'MEMORY.md') return 'fact'
  if (name === 'HISTORY.md') return 'history'
  return DAILY.test(name) ? 'daily' : 'memory'
}

const IN_ROOMS: ReadonlyMap<string, Pick<Folder, 'kind' | 'isLike'>> = new Map([
  ['memories', { kind: memoryKind, isLike: isNote }],
  ['sessions', { kind: () => 'session' as const, isLike: isNote }],
  ['transcripts', { kind: () => 'talk' as const, isLike: isTalk }],
])

export async function* sourcesOf(places: Places, steps: Steps): AsyncGenerator<readonly Seen[]> {
  yield* inFolder(places, steps, { folder: 'workspace/memory', part: '', kind: memoryKind, isLike: isNote })
  for (const room of namesIn(places, 'rooms')) {
    if (room.startsWith('.')) continue
    const at = (folder: string) => ({ folder: `rooms/${room}/${folder}`, part: room })
    for (const folder of namesIn(places, `rooms/${room}`)) {
      if (folder === 'tasks') yield* tasksOf(places, steps, room)
      const of = IN_ROOMS.get(folder)
      if (of !== undefined) yield* inFolder(places, steps, { ...at(folder), ...of })
    }
  }
  yield* sharedScopes(places, steps)
  yield* liveTalks(places, steps)
}

/** What is committed of scopes, each a part of its own; private ones have nothing here. */
async function* sharedScopes(places: Places, steps: Steps): AsyncGenerator<readonly Seen[]> {
  for (const folder of namesIn(places, SHARED_SCOPES)) {
    if (folder.startsWith('.')) continue
    const at = { part: scopePart(scopeName(folder)) }
    const isWanted = (name: string) => isNote(name) && name !== 'SCOPE.md'
    yield* inFolder(places, steps, {
      ...at,
      ...{ folder: `${SHARED_SCOPES}/${folder}`, kind: memoryKind, isLike: isWanted },
    })
    yield* inFolder(places, steps, {
      ...at,
      ...{ folder: `${SHARED_SCOPES}/${folder}/transcripts`, kind: () => 'talk', isLike: isTalk },
    })
  }
}

/** The partition of a shared scope; no room has such a name. */
export function scopePart(scope: string): string {
  return `scope:${scope}`
}

export function isNote(name: string): boolean {
  return name.endsWith('.md') && name !== 'README.md' && !name.startsWith('.') && !name.startsWith('_')
}

export function isTalk(name: string): boolean {
  return name.endsWith('.jsonl') && !name.startsWith('.')
}

interface Folder {
  /** Relative to the home: the beginning of its files' paths. */
  readonly folder: string
  /** Absolute path, if it is not in the home. */
  readonly root?: string
  readonly part: string | ((name: string) => string)
  readonly kind: (name: string) => PassageKind
  /** Quick, asked of every name. */
  readonly isLike: (name: string) => boolean
  /** For files that are not known yet. */
  readonly wanted?: (name: string) => boolean
  /** Its names, if they are listed already. */
  readonly names?: readonly string[]
}

/** The wanted files of one folder. */
export async function* inFolder(places: Places, steps: Steps, of: Folder): AsyncGenerator<readonly Seen[]> {
  try {
    const root = of.root ?? join(places.home, of.folder)
    yield* ofNames(places, steps, { ...of, root, names: of.names ?? places.files.names(root) })
  } catch (error) {
    tellClosed(places, of.folder, error)
  }
}

function tellClosed({ closed }: Places, folder: string, error: unknown): void {
  if (closed === undefined || !(error instanceof NeoError) || error.code !== 'disk') throw error
  closed(folder, error.message)
}

async function* ofNames(
  { files, isKnown }: Places,
  steps: Steps,
  of: Folder & { readonly root: string; readonly names: readonly string[] },
): AsyncGenerator<readonly Seen[]> {
  const { folder, part, kind, isLike, wanted, names, root } = of
  let found: Seen[] = []
  let looked = 0
  for (const name of names) {
    if (looked++ % LOOKS === 0) await steps.rest()
    if (!isLike(name)) continue
    const full = `${root}/${name}`
    const stat = files.stat(full)
    if (stat === null || isKnown?.(folder, name, stat) === true || wanted?.(name) === false) continue
    const path = `${folder}/${name}`
    found.push({ path, part: typeof part === 'string' ? part : part(name), kind: kind(name), full, stat })
    if (found.length < BATCH) continue
    yield found
    found = []
  }
  if (found.length > 0) yield found
}

/** Tasks of a room, folder by folder. */
async function* tasksOf(places: Places, steps: Steps, room: string): AsyncGenerator<readonly Seen[]> {
  const { home, files } = places
  const folders = [`rooms/${room}/tasks`]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const of = folder
    const names = namesIn(places, folder)
    const wanted = (name: string) => kindOf(`${of}/${name}`)?.kind === 'task'
    const what: Folder = { folder, part: room, kind: () => 'task', isLike: isMarkdown, wanted, names }
    yield* inFolder(places, steps, what)
    if (folder.split('/').length >= DEEPEST) continue
    const below = names.filter((name) => !name.includes('.') && files.stat(join(home, of, name)) === null)
    folders.push(...below.map((name) => `${of}/${name}`))
  }
}

const DEEPEST = 10

function isMarkdown(name: string): boolean {
  return name.endsWith('.md')
}

function namesIn(places: Places, folder: string): readonly string[] {
  try {
    return places.files.names(join(places.home, folder))
  } catch (error) {
    tellClosed(places, folder, error)
    return []
  }
}

/** Conversations of rooms that have not moved into them yet. */
async function* liveTalks(places: Places, steps: Steps): AsyncGenerator<readonly Seen[]> {
  const part = (name: string) => LIVE_NEO.exec(name)?.[1] ?? ''
  const isLike = (name: string) => LIVE_NEO.test(name)
  const root = join(places.dir, 'transcripts')
  yield* inFolder(places, steps, { folder: 'live', root, part, kind: () => 'talk', isLike })
}
