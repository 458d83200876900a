/**
 * Where scopes are stored, and their rules. Invariants: 1. a private scope is completely under
 * `<git dir>/neo/scopes/<scope>/`; a shared one has its memory in `workspace/scopes/<scope>/`, and only its runtime state
 * under the git dir; 2. files are read each time, so that a change counts at once; 3. what can't be read is private.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import { baseOfTopic, isScopeName, scopeName } from '../../domain/policy/known-people.ts'
import type { ScopeAt, ScopeRules } from '../../domain/policy/scope-types.ts'
import { readScope } from '../../files/kinds/read-scope.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Context } from '../context.ts'

export interface ScopeStore {
  readonly home: string
  /** `<git dir>/neo` */
  readonly dir: string
  readonly files: Pick<Files, 'names' | 'read' | 'readJson' | 'writeJson'>
}

const MOST_BYTES = 64 * 1024
/** Relative to the home. */
export const SHARED_SCOPES = 'workspace/scopes'
const PRIVATE_CHAT: ScopeRules = {
  type: 'dm',
  roles: [],
  members: [],
  keeps: 'private',
  guards: {},
  problem: null,
}

export function scopeStore({ home, dir, world }: Pick<Context, 'home' | 'dir' | 'world'>): ScopeStore {
  return { home, dir, files: world.files }
}

/** An unknown name is a private chat. Throws for an invalid name. */
export function scopeAt(desk: ScopeStore, name: string): ScopeAt {
  if (!isScopeName(name))
    throw new NeoError('usage', `Cannot find scope "${name}": use lowercase letters, digits and hyphens`)
  const state = join(desk.dir, 'scopes', name)
  const found = fileOf(desk, name) ?? fileOf(desk, baseOfTopic(name) ?? name)
  const rules = found?.rules ?? PRIVATE_CHAT
  return {
    ...rules,
    name,
    key: keyIn(desk.files.readJson(join(state, 'scope.json'))) || (found?.channel ?? ''),
    file: found?.path ?? null,
    folder: rules.keeps === 'private' ? state : join(desk.home, SHARED_SCOPES, name),
    state,
  }
}

/** Scopes with a file or with messages, by name. */
export function allScopes(desk: ScopeStore): readonly ScopeAt[] {
  const spoken = desk.files.names(join(desk.dir, 'scopes')).filter(isScopeName)
  const filed = desk.files
    .names(join(desk.home, SHARED_SCOPES))
    .filter((folder) => read(desk, join(desk.home, SHARED_SCOPES, folder)) !== null)
  return [...new Set([...spoken, ...filed.map(scopeName)])]
    .toSorted()
    .map((name) => scopeAt(desk, name))
    .filter(({ file, key }) => file !== null || key !== '')
}

/** Saves the channel's name for a scope, which does not follow from its own. */
export function noteKey(desk: ScopeStore, name: string, key: string): void {
  const path = join(desk.dir, 'scopes', name, 'scope.json')
  if (keyIn(desk.files.readJson(path)) !== key) desk.files.writeJson(path, { key }, 'later')
}

function keyIn(value: unknown): string {
  const { key } = (value ?? {}) as { readonly key?: unknown }
  return typeof key === 'string' ? key : ''
}

interface Found {
  readonly path: string
  readonly rules: ScopeRules
  readonly channel: string
}

/** Of two files for one scope the one under the git dir counts. */
function fileOf(desk: ScopeStore, name: string): Found | null {
  const own = read(desk, join(desk.dir, 'scopes', name))
  if (own !== null) return own
  const root = join(desk.home, SHARED_SCOPES)
  const there = desk.files.names(root)
  const folder = there.includes(name) ? name : there.find((one) => scopeName(one) === name)
  return folder === undefined ? null : read(desk, join(root, folder))
}

/** Null without a file. An unreadable one allows nobody, and stays private. */
function read({ files }: ScopeStore, folder: string): Found | null {
  const path = join(folder, 'SCOPE.md')
  const bytes = files.read(path, MOST_BYTES)
  if (bytes.kind === 'missing') return null
  const scope = bytes.kind === 'file' ? readScope(path, bytes.bytes) : null
  if (scope?.kind === 'ok') {
    const { type, roles, members, keeps, guards, channel = '' } = scope.value
    return { path, channel, rules: { type, roles, members, keeps, guards, problem: null } }
  }
  const why = scope?.kind === 'bad' ? (scope.problems[0]?.message ?? '') : ''
  const problem = `SCOPE.md cannot be read${why === '' ? '' : `: ${why}`}`
  return { path, channel: '', rules: { ...PRIVATE_CHAT, type: 'group', problem } }
}
