/**
 * Floor of many small runbooks: for each task file a sparse worktree, its script by sh, a commit, a merge, and the
 * worktree's removal, in two lanes, by git's own commands. No look, no plan, no records, no recovery.
 *
 *   node runbooks.mjs HOME PLACES LANES
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addSparse, git } from './sparse.mjs'

const run = promisify(execFile)
const [home, places, lanes] = process.argv.slice(2)
const queue = readdirSync(`${home}/rooms`).flatMap((room) =>
  readdirSync(`${home}/rooms/${room}/tasks`).map((name) => `${home}/rooms/${room}/tasks/${name}`),
)
let homeFree = Promise.resolve()

await Promise.all(Array.from({ length: Number(lanes) }, lane))

async function lane() {
  for (let path = queue.shift(); path !== undefined; path = queue.shift())
    await one(path, `floor-${queue.length}`)
}

async function one(path, branch) {
  const script = /^```sh[^\n]*\n([\s\S]*?)^```/m.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
  const dir = join(places, branch)
  await inHome(() => addSparse(home, { dir, branch, folder: 'workspace/files' }))
  await run('sh', ['-e', '-c', script], { cwd: join(dir, 'workspace/files') })
  await git(dir, 'add', '-A', '--sparse', '.')
  await git(dir, 'commit', '-q', '--allow-empty', '-m', `done: ${branch}`)
  await inHome(async () => {
    await git(home, 'merge', '-q', '--no-edit', branch)
    await git(home, 'worktree', 'remove', dir)
    await git(home, 'branch', '-q', '-D', branch)
  })
}

/** One at a time where git takes the repository's locks. */
function inHome(work) {
  const done = homeFree.then(work)
  homeFree = done.catch(() => {})
  return done
}
