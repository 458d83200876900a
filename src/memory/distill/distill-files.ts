/**
 * The files of distilling, of rooms and of scopes: MEMORY.md, HISTORY.md and notes. Invariants: 1. a file that can't be
 * read, is not text or contains merge conflict markers stops the run; it is never overwritten, nor is one that a person
 * is editing; 2. nothing of a private scope leaves its folder; an interrupted write is finished before the next read; 3.
 * in a shared scope a change is one commit.
 */
import { isUtf8 } from 'node:buffer'
import { join, relative } from 'node:path'
import type { Said, Texts } from '../../domain/memory/distill-rules.ts'
import { memoryFolderOf } from '../../domain/memory/memory-context.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import { transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { subjectOf } from '../../engine/effects/commit-words.ts'
import { eolOf } from '../../files/header/read-header.ts'
import type { Person } from '../../ports/git-port.ts'
import { isBinary } from '../index/passages.ts'

export interface OpenTexts extends Texts {
  readonly folder: string
  /** Blob ids by path; `null` if there is no file. */
  readonly hashes: ReadonlyMap<string, string | null>
  /** Paths of files with CRLF: they keep it. The texts have LF, and no byte order mark. */
  readonly crlf: ReadonlySet<string>
}

const MOST_BYTES = 8 * 1024 * 1024
const MERGE_MARK = /^(?:<{7}|>{7}) /m

/** @param said names the days whose notes are wanted */
export function openTexts(context: Context, room: string, said: readonly Said[]): OpenTexts {
  return openTextsAt(context, { root: context.home, folder: memoryFolderOf(room) }, said)
}

/** The same of any folder; paths are relative to `root`. */
function openTextsAt(
  { world }: Pick<Context, 'world'>,
  { root, folder }: { readonly root: string; readonly folder: string },
  said: readonly Said[],
): OpenTexts {
  const hashes = new Map<string, string | null>()
  const crlf = new Set<string>()
  const text = (name: string): string => {
    const path = `${folder}/${name}`
    const read = world.files.read(join(root, path), MOST_BYTES)
    const why = read.kind === 'refused' ? read.why : read.kind === 'file' ? wrongIn(read.bytes) : ''
    if (why !== '') throw new Error(`Cannot distil into ${path}: ${why}`)
    hashes.set(path, read.kind === 'file' ? world.git.blobId(read.bytes) : null)
    const whole = read.kind === 'file' ? read.bytes.toString('utf8').replace(/^\uFEFF/, '') : ''
    if (eolOf(whole) === '\r\n') crlf.add(path)
    return whole.replaceAll('\r\n', '\n')
  }
  const days = [...new Set(said.map(({ day }) => day))]
  const notes = new Map(days.map((day) => [day, text(`${day}.md`)]))
  return { folder, memory: text('MEMORY.md'), history: text('HISTORY.md'), notes, hashes, crlf }
}

/** Why nothing is written into a file of these bytes; '' if it can be. */
function wrongIn(bytes: Buffer): string {
  if (isBinary(bytes)) return 'it is not a text file'
  if (!isUtf8(bytes)) return 'it is not UTF-8'
  return MERGE_MARK.test(bytes.toString('utf8')) ? 'it contains merge conflict markers' : ''
}

export function changesOf(
  before: OpenTexts,
  { memory, history, notes }: Pick<Texts, 'memory' | 'history' | 'notes'>,
): readonly FileChange[] {
  const changed = (name: string, was: string, after: string): readonly FileChange[] => {
    const path = `${before.folder}/${name}`
    const text = before.crlf.has(path) ? after.replaceAll('\n', '\r\n') : after
    return was === after ? [] : [{ path, before: before.hashes.get(path) ?? null, after: text }]
  }
  return [
    ...changed('MEMORY.md', before.memory, memory),
    ...changed('HISTORY.md', before.history, history),
    ...[...notes].flatMap(([day, text]) => changed(`${day}.md`, before.notes.get(day) ?? '', text)),
  ]
}

/** The texts as they are; `said` names the days whose notes are wanted. */
export function openScopeTexts(context: Context, scope: ScopeAt, said: readonly Said[]): OpenTexts {
  if (scope.keeps === 'private') {
    finishPendingWrite(context, scope)
    return openTextsAt(context, { root: scope.folder, folder: '.' }, said)
  }
  return openTextsAt(context, { root: context.home, folder: relative(context.home, scope.folder) }, said)
}

interface ScopeWrite {
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
  if (changes.some((change) => !isUnchanged(context, scope, change))) return 'lost'
  files.writeJson(pendingPath(scope), { changes })
  carryOut(context, scope, changes)
  return 'done'
}

function isUnchanged({ world }: Context, { folder }: ScopeAt, { path, before }: FileChange): boolean {
  const read = world.files.read(join(folder, path), MOST_BYTES)
  return (read.kind === 'file' ? world.git.blobId(read.bytes) : null) === before
}

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
