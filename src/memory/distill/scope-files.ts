/**
 * The memory files of a scope, changed together. Invariant 1: nothing of a private scope leaves its folder; an interrupted
 * write is finished before the next read. Invariant 2: a file that a person is editing is not overwritten. Invariant 3: in a
 * shared scope a change is one commit.
 */
import { join, relative } from 'node:path'
import type { Said, Texts } from '../../domain/memory/distill-rules.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import { transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { subjectOf } from '../../engine/effects/commit-words.ts'
import type { Person } from '../../ports/git-port.ts'
import { changesOf, type OpenTexts, openTextsAt } from './distill-files.ts'

/** The texts as they are; `said` names the days whose notes are wanted. */
export function openScopeTexts(context: Context, scope: ScopeAt, said: readonly Said[]): OpenTexts {
  if (scope.keeps === 'private') {
    finishPendingWrite(context, scope)
    return openTextsAt(context, { root: scope.folder, folder: '.' }, said)
  }
  return openTextsAt(context, { root: context.home, folder: relative(context.home, scope.folder) }, said)
}

export interface ScopeWrite {
  readonly before: OpenTexts
  readonly after: Pick<Texts, 'memory' | 'history' | 'notes'>
  /** For the commit, if there is one: counts, never what was said. */
  readonly says: string
  readonly author?: Person
}

/** `lost`: a file had changed in the meantime, nothing was written. Of a shared scope to be called in the Context's line. */
export async function writeScopeTexts(
  context: Context,
  scope: ScopeAt,
  write: ScopeWrite,
): Promise<'done' | 'lost'> {
  const changes = changesOf(write.before, write.after)
  if (changes.length === 0) return 'done'
  if (scope.keeps === 'private') return writePrivate(context, scope, changes)
  const done = await transact(context, {
    kind: 'scope',
    changes,
    subject: subjectOf(scope.name, 'distill', write.says),
    trailers: [['Neo-Event', 'distill']],
    author: write.author ?? NEO,
  })
  return done === 'lost' ? 'lost' : 'done'
}

/** What is to be written, kept until it is. */
function pendingPath({ state }: ScopeAt): string {
  return join(state, 'memory-pending.json')
}

function writePrivate(context: Context, scope: ScopeAt, changes: readonly FileChange[]): 'done' | 'lost' {
  const { files } = context.world
  if (changes.some((change) => !stands(context, scope, change))) return 'lost'
  files.writeJson(pendingPath(scope), { changes })
  carryOut(context, scope, changes)
  return 'done'
}

function stands({ world }: Context, { folder }: ScopeAt, { path, before }: FileChange): boolean {
  const read = world.files.read(join(folder, path), MOST_BYTES)
  return (read.kind === 'file' ? world.git.blobId(read.bytes) : null) === before
}

const MOST_BYTES = 8 * 1024 * 1024

/** Skips a change that is already made, or whose file was edited since. */
function carryOut({ world }: Context, scope: ScopeAt, changes: readonly FileChange[]): void {
  for (const { path, before, after } of changes)
    if (after !== null) world.files.savePrivate(join(scope.folder, path), Buffer.from(after), before)
  world.files.writeJson(pendingPath(scope), { changes: [] })
}

function finishPendingWrite(context: Context, scope: ScopeAt): void {
  const { changes } = (context.world.files.readJson(pendingPath(scope)) ?? {}) as { changes?: unknown }
  const left = Array.isArray(changes) ? changes.filter(isChange) : []
  if (left.length > 0) carryOut(context, scope, left)
}

function isChange(value: unknown): value is FileChange {
  const { path, before, after } = (value ?? {}) as Partial<FileChange>
  const isName = typeof path === 'string' && /^\.\/[\w-]+\.md$/.test(path)
  return isName && (before === null || typeof before === 'string') && typeof after === 'string'
}
