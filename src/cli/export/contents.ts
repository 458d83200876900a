/**
 * The contents of an export: files that git tracks or does not ignore, the audit log and other state, and private
 * conversations if requested. Invariant 1: `contentsOf` lists no private file, queue, key, `.env` or file with a value
 * of `.env`.
 */

import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { linkTrouble, openExportPaths } from '../../domain/home/export-paths.ts'
import { counted } from '../../domain/text/counted.ts'
import type { Env } from '../spec.ts'
import { pathsOf } from './export-repository.ts'
import { filesBelow, holdsSecret } from './secrets.ts'

export type Content =
  | { readonly kind: 'file'; readonly path: string; readonly mode: '644' | '755' }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

export interface Contents {
  readonly files: readonly Content[]
  /** Relative to `<git dir>/neo`. */
  readonly state: readonly string[]
  /** The same, below `scopes/`. */
  readonly scopes: readonly string[]
  /** `path: why`, for people. */
  readonly left: readonly string[]
}

/** Logs and positions that the home continues with. Queues, keys and running sessions are left out. */
const STATE = /^(?:audit(?:-\d+)?\.jsonl|schedules\.json|usage\/[^/]+|memory\/(?:by-model\/)?[^/]+\.json)$/
/** Transcripts of sessions and of rooms' own conversations. */
const SESSION = /^transcripts\/s-[a-z0-9]+\.jsonl$/
const OF_ROOM = /^transcripts\/neo-(.+)-\d{4}-\d{2}-\d{2}-\d+\.jsonl$/
const MARK_OF_ROOM = /^memory\/(?:by-model\/)?([^/]+)\.json$/
const NO_SECRETS = 'secrets are never exported'
const SECRET = /(?:^|\/)\.env(?:\.(?!example$|sample$|template$)[^/]*)?$/

export async function contentsOf(
  { home, dir }: { readonly home: string; readonly dir: string },
  env: Env,
): Promise<Contents> {
  const left: string[] = []
  const keeper = openExportPaths()
  const tracked = new Set(await pathsOf(home, 'cached', env))
  const others = (await pathsOf(home, 'others', env)).filter((path) => !tracked.has(path))
  const files = [...tracked, ...others].flatMap((path): readonly Content[] => {
    // Tracked files are in git's history anyway; a tracked .env has already stopped the export.
    const found = SECRET.test(path) && !tracked.has(path) ? NO_SECRETS : contentAt(home, path)
    if (found === 'gone') return []
    const why =
      typeof found === 'string'
        ? found
        : (keeper.take(path) ?? (found.kind === 'link' ? linkTrouble(path, found.target) : null))
    if (why !== null) left.push(`${path}: ${why}`)
    return why === null && typeof found !== 'string' ? [found] : []
  })
  const all = filesBelow(dir)
  return {
    files,
    state: all.filter((path) => isState(home, path)),
    scopes: all.filter((path) => path.startsWith('scopes/')),
    left,
  }
}

/** The content; or `gone`, or why it is left out. */
function contentAt(home: string, path: string): Content | string {
  if (path.endsWith('/')) return 'it is a git repository'
  const stat = lstatSync(join(home, path), { throwIfNoEntry: false })
  if (stat === undefined) return 'gone'
  if (stat.isSymbolicLink()) return { kind: 'link', path, target: readlinkSync(join(home, path)) }
  if (!stat.isFile()) return stat.isDirectory() ? 'it is a git repository' : 'it is not a file'
  if (holdsSecret(join(home, path))) return 'it contains a secret'
  return { kind: 'file', path, mode: (stat.mode & 0o100) === 0 ? '644' : '755' }
}

/** Whether an export may contain state with this name; nothing else is written to the git dir. */
export function isStatePath(path: string): boolean {
  return STATE.test(path) || SESSION.test(path) || OF_ROOM.test(path)
}

function isState(home: string, path: string): boolean {
  if (!isStatePath(path)) return false
  const room = OF_ROOM.exec(path)?.[1] ?? MARK_OF_ROOM.exec(path)?.[1]
  if (room === undefined) return true
  return lstatSync(join(home, 'rooms', room), { throwIfNoEntry: false }) !== undefined
}

/** How much an export holds; `state`: logs and transcripts. */
export function contentText(files: number, state: number): string {
  const logs = state === 1 ? '1 log or transcript' : `${state} logs and transcripts`
  return `${counted(files, 'file')}, git history, ${logs}`
}
