/**
 * Search in a scope: a private one has its own index file, a shared one a part of the home's index. Invariant 1: nothing of
 * a private scope is in another index. Invariant 2: few are open at a time.
 */
import { join } from 'node:path'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import type { Context } from '../../engine/context.ts'
import type { SyncPlaces } from '../index/index-sync.ts'
import { inFolder, isNote, isTalk, memoryKind, scopePart } from '../index/sources.ts'
import { Memory, memoryOf } from '../open-memory.ts'
import type { Found, Search } from './search-index.ts'

const MOST_OPEN = 16
const opened = new WeakMap<Context['look'], Map<string, Memory>>()

export async function searchScope(
  context: Context,
  scope: ScopeAt,
  of: Omit<Search, 'parts'>,
): Promise<Found> {
  if (scope.keeps === 'shared') return memoryOf(context).search({ ...of, parts: [scopePart(scope.name)] })
  return indexOf(context, scope).search({ ...of, parts: null })
}

/** Closes and forgets the index of a scope; its file can be removed then. */
export function closeScopeIndex(context: Context, scope: ScopeAt): void {
  const all = opened.get(context.look)
  all?.get(scope.name)?.close()
  all?.delete(scope.name)
}

/** Something is remembered there that is to be found soon. */
export function scopeChanged(context: Context, scope: ScopeAt): void {
  if (scope.keeps === 'shared') memoryOf(context).changed()
  else opened.get(context.look)?.get(scope.name)?.changed()
}

function indexOf(context: Context, scope: ScopeAt): Memory {
  const all = opened.get(context.look) ?? new Map<string, Memory>()
  opened.set(context.look, all)
  const memory = all.get(scope.name) ?? openIndex(context, scope)
  all.delete(scope.name)
  all.set(scope.name, memory)
  for (const [name, oldest] of all) {
    if (all.size <= MOST_OPEN) break
    oldest.close()
    all.delete(name)
  }
  return memory
}

function openIndex({ dir, world, look }: Context, { name, state }: ScopeAt): Memory {
  const { files, clock, git } = world
  return new Memory({
    ...{ home: state, dir, files, clock },
    blobId: (bytes) => git.blobId(bytes),
    stores: world.index ?? null,
    sentences: world.sentences,
    index: join(state, 'index.db'),
    sources: sourcesIn(name),
    config: () => look.config(),
  })
}

/** Notes and talk of one folder; a source is named `<file>`, and tells no path of this machine. */
function sourcesIn(scope: string): NonNullable<SyncPlaces['sources']> {
  return async function* sources(places, steps) {
    yield* inFolder(places, steps, { folder: '.', part: scope, kind: memoryKind, isLike: isNote })
    yield* inFolder(places, steps, { folder: 'transcripts', part: scope, kind: () => 'talk', isLike: isTalk })
  }
}
