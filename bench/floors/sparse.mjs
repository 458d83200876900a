/**
 * The bare way to a small worktree of a large repository: no checkout, then one folder read from the tree, in two
 * calls of git (`git sparse-checkout set` and `git checkout` would be a third and slower).
 * Shared by the floors that need a place to run a step in.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export function git(dir, ...args) {
  return run('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', ...args], { cwd: dir })
}

export async function addSparse(home, { dir, branch, folder }) {
  await git(home, 'worktree', 'add', '-q', '--no-checkout', '-b', branch, dir, 'HEAD')
  const info = join(home, '.git/worktrees', basename(dir), 'info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'sparse-checkout'), `/${folder}/\n`)
  await git(dir, '-c', 'core.sparseCheckout=true', 'read-tree', '-mu', 'HEAD')
}
