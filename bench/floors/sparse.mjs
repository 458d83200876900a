/**
 * The bare way to a small worktree of a large repository: no checkout, one folder, and back.
 * Shared by the floors that need a place to run a step in.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export function git(dir, ...args) {
  return run('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', ...args], { cwd: dir })
}

export async function addSparse(home, { dir, branch, folder }) {
  await git(home, 'worktree', 'add', '-q', '--no-checkout', '-b', branch, dir, 'HEAD')
  await git(dir, 'sparse-checkout', 'set', '--no-cone', `/${folder}/`)
  await git(dir, 'checkout', '-q')
}
