/**
 * Floor of "a file is saved → its first step runs": chokidar on the home's root, read, parse, sparse worktree, spawn.
 * Nothing is adopted, committed, recorded or claimed.
 *
 *   node saved.mjs HOME PLACES
 *
 * Prints `ready`, then reacts to every task file that changes, in a worktree below PLACES, until it is killed.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { watch } from 'chokidar'
import matter from 'gray-matter'
import { parse, stringify } from 'yaml'
import { addSparse } from './sparse.mjs'

const [home, places] = process.argv.slice(2)
let count = 0

const watcher = watch(home, { ignoreInitial: true, ignored: (path) => path.includes('/.git') })
watcher.on('add', react).on('change', react)
watcher.on('ready', () => console.log('ready'))

async function react(path) {
  if (!/\/tasks\/.*\.md$/.test(path)) return
  const { content } = matter(readFileSync(path, 'utf8'), { engines: { yaml: { parse, stringify } } })
  const script = /^```sh[^\n]*\n([\s\S]*?)^```/m.exec(content)?.[1]
  if (script === undefined) return
  const branch = `floor-${++count}`
  await addSparse(home, { dir: join(places, branch), branch, folder: 'workspace/files' })
  spawn('sh', ['-e', '-c', script], { cwd: join(places, branch, 'workspace/files'), stdio: 'ignore' })
}
