/**
 * Paths that would have to go through a filter that does not run here: before files of a work tree are written. Why: git
 * takes a filter that it does not know for none, and would write what is stored (encrypted, or a pointer) over the file,
 * and later store the file as it is. Invariant 1: attributes are those of the commit that is to be written.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkTree } from '../locate.ts'
import { pathsBetween } from '../merge/merge-mend.ts'
import { runGit } from '../process/run-git.ts'
import { type Author, filtersFor, type Shadow, shadowOf } from '../process/shadow.ts'
import { zeroSplit } from '../process/spawn.ts'
import { attributesIn, filterOf } from '../work/stage.ts'

export interface Filtered {
  readonly path: string
  readonly filter: string
}

/** As errors say it; the command first, since long texts are cut. */
export function notRun(
  { path, filter }: Pick<Filtered, 'path' | 'filter'>,
  { top }: Pick<WorkTree, 'top'>,
): string {
  return `a git filter is not allowed: neo filter allow ${filter} ${top} (for ${path})`
}

/** The first path that differs between two commits and that could not be written; null for none. */
export async function filteredBetween(
  tree: WorkTree,
  of: { readonly from: string; readonly to: string; readonly author: Author },
): Promise<Filtered | null> {
  const { from, to, author } = of
  const shadow = await shadowOf(tree)
  if (!(await mayFilter(tree, shadow, to))) return null
  const paths = await pathsBetween(tree, from, to)
  return (await filteredAt(tree, paths, { commit: to, author }))[0] ?? null
}

/** Every file of a commit below a folder that is written as it is stored. */
export async function filteredIn(
  tree: WorkTree,
  of: { readonly commit: string; readonly folder: string; readonly author: Author },
): Promise<readonly Filtered[]> {
  const { commit, folder, author } = of
  const shadow = await shadowOf(tree)
  if (!(await mayFilter(tree, shadow, commit))) return []
  const below = folder === '' ? [] : [`${folder}/`]
  const listed = await runGit(tree, [
    'ls-tree',
    '-r',
    '-z',
    '--name-only',
    '--full-tree',
    commit,
    '--',
    ...below,
  ])
  return filteredAt(tree, zeroSplit(listed.out), { commit, author })
}

/**
 * The word in some file of attributes, so that most repositories cost no more than a look. Files of attributes that only a
 * session's work adds were in force when that work was taken in.
 */
export async function mayFilter(tree: WorkTree, shadow: Shadow, commit: string): Promise<boolean> {
  const files = [join(tree.commonDir, 'info', 'attributes'), shadow.attributesFile]
  if (files.some((file) => existsSync(file) && /filter/.test(readFileSync(file, 'utf8')))) return true
  const index = join(tree.gitDir, 'index')
  if (!existsSync(index) || !readFileSync(index).includes('.gitattributes')) return false
  const args = ['grep', '-q', '--no-textconv', '-e', 'filter', commit, '--', ':(glob)**/.gitattributes']
  const env = { GIT_LITERAL_PATHSPECS: '0' }
  return (await runGit(tree, args, { env, ok: 'any' })).code === 0
}

async function filteredAt(
  tree: WorkTree,
  paths: readonly string[],
  { commit, author }: { readonly commit: string; readonly author: Author },
): Promise<readonly Filtered[]> {
  const shadow = await shadowOf(tree)
  const { dir } = shadow
  const filters = filtersFor(shadow, author)
  const folder = mkdtempSync(join(dir, 'index-'))
  const env = { GIT_INDEX_FILE: join(folder, 'index') }
  try {
    await runGit(tree, ['read-tree', commit], { env })
    const attributes = await attributesIn(tree, paths, { env, source: 'index' })
    return paths.flatMap((path) => {
      const filter = filterOf(attributes.get(path))
      return filter === null || filters.has(filter) ? [] : [{ path, filter }]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
