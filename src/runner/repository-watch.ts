/**
 * Notices when a command changes the repository's own configuration or hooks, which git would act on later. It reports
 * and does not undo: a runbook may do this on purpose.
 */
import { join, resolve } from 'node:path'
import type { World } from '../ports/world.ts'

/** By name relative to the git dir: blob id, or why it could not be read. */
export type GitConfigState = Readonly<Record<string, string>>

const FILE_BYTES = 1024 * 1024

/** The picture now; empty for a folder that is no worktree. */
export function gitConfigState(
  { files, git }: Pick<World, 'files' | 'git'>,
  worktree: string,
): GitConfigState {
  const dir = commonDir({ files }, worktree)
  if (dir === null) return {}
  const hooks = files.names(join(dir, 'hooks')).filter((name) => !name.endsWith('.sample'))
  const names = ['config', 'config.worktree', ...hooks.map((name) => `hooks/${name}`)]
  const entries = names.flatMap((name) => {
    const found = files.read(join(dir, name), FILE_BYTES)
    if (found.kind === 'missing') return []
    return [[name, found.kind === 'file' ? git.blobId(found.bytes) : found.why] as const]
  })
  return Object.fromEntries(entries)
}

/** Names that differ. */
export function differences(before: GitConfigState, after: GitConfigState): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name]).sort()
}

/** The repository's own git dir; null for a folder that is no worktree. */
export function commonDir({ files }: Pick<World, 'files'>, worktree: string): string | null {
  const own = firstLine({ files }, join(worktree, '.git'))?.replace(/^gitdir: /, '')
  if (own === undefined) return null
  const gitDir = resolve(worktree, own)
  return resolve(gitDir, firstLine({ files }, join(gitDir, 'commondir')) ?? '.')
}

function firstLine({ files }: Pick<World, 'files'>, path: string): string | undefined {
  const found = files.read(path, FILE_BYTES)
  return found.kind === 'file' ? found.bytes.toString('utf8').split('\n')[0] : undefined
}
