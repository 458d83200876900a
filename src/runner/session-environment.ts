/**
 * The environment of a session's commands: a small base, the names that room and task list, a template's parameters and
 * Neo's own; and the room's `env_files`, copied from the workspace into a fresh worktree and never committed. Invariants:
 * 1. nothing of the daemon's environment passes that is not listed here or named by a person: no keys; 2. what is handed
 * out is masked by value in every text from then on; 3. no program is looked for in a relative folder: it would be one
 * of the worktree, also for what confines; 4. a template's parameters are values of the environment, never text of a
 * command; 5. a copy is inside the worktree and comes from inside the workspace: no `..`, no link on the way, checked
 * each time, because a session may have created a link since; 6. copies are out of the worktree while it is committed,
 * whether git ignores them or not; 7. a file that the repository has under that name is not changed.
 */
import { join, relative } from 'node:path'
import { absoluteFolders } from '../domain/agent/confinement.ts'
import { learnHandedOut } from '../domain/secrets/known-secrets.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { learnSettingsText } from '../files/config/config-secrets.ts'
import type { World } from '../ports/world.ts'

/** Keys and settings are small; what is larger is a mistake. */
const ENV_FILE_BYTES = 1024 * 1024

/** All absolute. */
export interface CopyRoots {
  readonly workspace: string
  /** The same folder in the worktree, and the worktree's top. */
  readonly worktree: string
  readonly top: string
}

type EnvFiles =
  | { readonly kind: 'ok'; readonly copies: readonly string[] }
  | { readonly kind: 'wrong'; readonly why: string }

type Disk = Pick<World, 'files'>
type Found = 'missing' | 'file' | 'other'

/** Says which of the files are to be copied, or why one of them cannot be. */
export function planEnvFiles({ files }: Disk, roots: CopyRoots, names: readonly string[]): EnvFiles {
  const copies: string[] = []
  for (const name of names) {
    const why = wrongName(name) ?? wrongSource(find({ files }, roots.workspace, name), roots.workspace)
    if (why !== null) return { kind: 'wrong', why: `Cannot copy env file "${name}": ${why}` }
    const there = findInWorktree({ files }, roots, name)
    if (there === 'other')
      return {
        kind: 'wrong',
        why: `Cannot copy env file "${name}": the worktree already has a link or folder there`,
      }
    if (there === 'missing') copies.push(name)
  }
  return { kind: 'ok', copies }
}

/** Copies those that are not there. */
export function copyEnvFiles({ files }: Disk, roots: CopyRoots, copies: readonly string[]): void {
  for (const name of copies) {
    if (find({ files }, roots.workspace, name) !== 'file') continue
    if (findInWorktree({ files }, roots, name) !== 'missing') continue
    const source = files.read(join(roots.workspace, name), ENV_FILE_BYTES)
    if (source.kind === 'file') files.save(join(roots.worktree, name), source.bytes, null)
  }
}

/** Lets what is in them be masked in every text. */
export function learnEnvFiles({ files }: Disk, roots: CopyRoots, names: readonly string[]): void {
  for (const name of names) {
    const source = files.read(join(roots.workspace, name), ENV_FILE_BYTES)
    if (source.kind === 'file') learnSettingsText(source.bytes.toString('utf8'))
  }
}

/** Takes the copies out of the worktree, also those that a step has changed. What is behind a link is left alone. */
export function removeEnvFiles(
  { files, git }: Pick<World, 'files' | 'git'>,
  roots: CopyRoots,
  copies: readonly string[],
): void {
  for (const name of copies) {
    if (findInWorktree({ files }, roots, name) !== 'file') continue
    const path = join(roots.worktree, name)
    const copy = files.read(path, ENV_FILE_BYTES)
    if (copy.kind === 'file') files.remove(path, git.blobId(copy.bytes))
  }
}

/** Whether the copy in the worktree has the bytes that the person's file has now. */
export function isCopy({ files }: Disk, roots: CopyRoots, name: string): boolean {
  if (find({ files }, roots.workspace, name) !== 'file') return false
  if (findInWorktree({ files }, roots, name) !== 'file') return false
  const source = files.read(join(roots.workspace, name), ENV_FILE_BYTES)
  const copy = files.read(join(roots.worktree, name), ENV_FILE_BYTES)
  return source.kind === 'file' && copy.kind === 'file' && source.bytes.equals(copy.bytes)
}

/** Whether the workspace's folder is a plain one in the worktree, or is not there yet. */
export function isPlainFolder({ files }: Disk, top: string, folder: string): boolean {
  if (folder === '') return true
  return files.scan(top, (path) => path === folder || folder.startsWith(`${path}/`)).length === 0
}

function findInWorktree(disk: Disk, { top, worktree }: CopyRoots, name: string): Found {
  return find(disk, top, relative(top, join(worktree, name)))
}

function wrongName(name: string): string | null {
  const parts = name.split('/')
  if (name === '' || name.startsWith('/') || name.includes('\\') || name.includes('\0')) return notInside
  return parts.some((part) => part === '' || part === '.' || part === '..' || part === '.git')
    ? notInside
    : null
}

const notInside = 'the path leads out of the workspace; expected a path inside it'

function wrongSource(found: Found, workspace: string): string | null {
  if (found === 'missing') return `not found in ${workspace}`
  return found === 'other' ? 'it is a folder, a link or behind a link; expected a file' : null
}

/** Looks along the path without following links. An empty folder looks like nothing, as it does to git. */
function find({ files }: Disk, root: string, name: string): Found {
  const onTheWay = (path: string) => path === name || name.startsWith(`${path}/`)
  const [entry] = files.scan(root, onTheWay)
  if (entry === undefined) return files.names(join(root, name)).length > 0 ? 'other' : 'missing'
  return entry.path === name && entry.kind === 'file' ? 'file' : 'other'
}

const BASE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'SHELL', 'TMPDIR']
/** Values of a template can't change where programs are found and what the sandbox shows. */
const FIXED = ['PATH', 'HOME', 'TMPDIR', 'SHELL']
/** If the daemon itself was started without one. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin'

/** @param env the daemon's environment */
export function stepEnvironment(
  record: SessionRecord,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  learnHandedOut(record.env, env)
  const locale = Object.keys(env).filter((name) => name.startsWith('LC_'))
  const passed: Record<string, string> = { PATH: DEFAULT_PATH }
  for (const name of [...BASE, ...locale, ...record.env]) {
    const value = env[name]
    if (value !== undefined) passed[name] = value
  }
  for (const [name, value] of Object.entries(record.params ?? {}))
    if (!FIXED.includes(name)) passed[name] = value.replaceAll('\0', '')
  return {
    ...passed,
    PATH: absoluteFolders(passed['PATH'] ?? '') || DEFAULT_PATH,
    TERM: 'dumb',
    NEO_SESSION: record.id,
    NEO_TASK: record.taskId,
    NEO_ROOM: record.room,
    NEO_HOME: home,
  }
}
