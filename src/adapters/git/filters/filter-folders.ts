/**
 * Folders in which filters keep their keys and files. git-crypt looks for its own in the git dir of the work tree alone, so
 * a linked work tree gets a link to that of the repository. The sandbox shows neither.
 */
import { existsSync, lstatSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkTree } from '../locate.ts'

export const OF_FILTERS = ['lfs', 'git-crypt', 'annex']
const OF_WORK_TREE = ['git-crypt']

export function linkFilterFolders({ gitDir, commonDir }: WorkTree): void {
  if (gitDir === commonDir) return
  for (const name of OF_WORK_TREE) {
    const [target, path] = [join(commonDir, name), join(gitDir, name)]
    if (!existsSync(target) || lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    try {
      symlinkSync(target, path)
    } catch (error) {
      // Another process of Neo was quicker.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
