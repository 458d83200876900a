/**
 * The tracked files of a workspace as its base branch has them, and what is in them. Nothing is read from the work tree,
 * so ignored files never are. Invariant 1: links and submodules are no files; what is larger than asked for is not read.
 */
import type { Place } from '../../../domain/session/session.ts'
import type { TrackedFiles } from '../../../ports/worktree-port.ts'
import { type Repository, tipOf } from '../git-repository.ts'
import { runGit } from '../process/run-git.ts'
import { zeroSplit } from '../process/spawn.ts'

/**
 * Null if the base is gone. With `unless` the commit that is known already: no list is made for it; with `only` the
 * files and folders that are listed.
 */
export async function filesAt(
  repository: Repository,
  { folder, base }: Place,
  { unless, only }: { readonly unless: string; readonly only?: readonly string[] | undefined },
): Promise<TrackedFiles | null> {
  const commit = await tipOf(repository, base)
  if (commit === null || commit === unless) return commit === null ? null : { commit, files: new Map() }
  const inside = folder === '' ? '' : `${folder}/`
  const paths = only?.map((path) => `${inside}${path}`) ?? (folder === '' ? [] : [inside])
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', ...paths]
  const listed = await runGit(repository, args)
  const files = zeroSplit(listed.out).flatMap((line) => {
    const [, id, size, path] = /^100\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? []
    if (id === undefined || path === undefined) return []
    return [[folder === '' ? path : path.slice(folder.length + 1), { id, size: Number(size) }] as const]
  })
  return { commit, files: new Map(files) }
}

export async function bytesOf({ living }: Repository, id: string): Promise<Buffer | null> {
  return (await living.contents(id))?.bytes ?? null
}
