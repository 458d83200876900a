/**
 * Whether a merge would change a path that somebody works on. Changes nothing of the person's, their index included.
 */
import { lstatSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WorkTree } from '../locate.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'

/** Names per command line. */
const CHUNK = 200

/** The first path of the merge that a person has changed, staged or put in the way; null for none. */
export async function workedOn(
  tree: WorkTree,
  [old, now]: readonly [string, string],
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const listed = zeroSplit(
    (await runGit(tree, ['diff-tree', '-r', '-z', '--name-status', '--no-renames', old, now])).out,
  )
  const changes = listed.flatMap((status, at) =>
    at % 2 === 0 ? [{ status, path: listed[at + 1] ?? '' }] : [],
  )
  const inTheWay = changes.find(({ status, path }) => status === 'A' && blocked(tree.top, path))
  if (inTheWay !== undefined) return inTheWay.path
  const present = changes.filter(({ status }) => status !== 'A').map(({ path }) => path)
  for (let at = 0; at < changes.length; at += CHUNK) {
    const paths = changes.slice(at, at + CHUNK).map(({ path }) => path)
    const staged = zeroSplit(
      (await runGit(tree, ['diff-index', '--cached', '--name-only', '-z', old, '--', ...paths], { env })).out,
    )
    if (staged[0] !== undefined) return staged[0]
  }
  for (let at = 0; at < present.length; at += CHUNK) {
    const paths = present.slice(at, at + CHUNK)
    // Brings the stat data up, so that a touched but equal file does not count as changed.
    await runGit(tree, ['add', '--refresh', '--', ...paths], { env, ok: 'any' })
    const changed = zeroSplit(
      (
        await runGit(tree, ['diff-files', '--ignore-submodules=all', '--name-only', '-z', '--', ...paths], {
          env,
        })
      ).out,
    )
    if (changed[0] !== undefined) return changed[0]
  }
  return null
}

/** True where something is at a path that must be new, or a file stands where a folder must be. */
function blocked(dir: string, path: string): boolean {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stat = standsAt(join(dir, parent))
    if (stat !== undefined && !stat.isDirectory()) return true
  }
  return standsAt(join(dir, path)) !== undefined
}

/** Undefined also if a folder on the way is a file. */
function standsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined
    throw error
  }
}
