/** Names that are swapped for links while tools use them, and names that are no files. */
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { call, context, put, text, worktree } from './context.ts'
import { MARKER } from './ways.ts'

/** Swaps names without pause until the test ends: `a` is a folder, then a link that leads out, and again. */
async function swapping(script: string, root: string): Promise<void> {
  const child = spawn(process.execPath, ['-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

const SWAP_FOLDER = `
  const fs = require('node:fs')
  fs.mkdirSync('a'); fs.symlinkSync('../out', 'b')
  process.stdout.write('ready')
  const end = Date.now() + 60000
  while (Date.now() < end) {
    try { fs.renameSync('a', 'c'); fs.renameSync('b', 'a'); fs.renameSync('a', 'b'); fs.renameSync('c', 'a') } catch {}
  }`
const SWAP_LEAF = `
  const fs = require('node:fs')
  fs.symlinkSync('../out/secret.txt', 'link'); fs.writeFileSync('file', 'inside')
  process.stdout.write('ready')
  const end = Date.now() + 60000
  while (Date.now() < end) {
    try { fs.linkSync('link', 't'); fs.renameSync('t', 'x'); fs.linkSync('file', 't'); fs.renameSync('t', 'x') } catch {
      try { fs.unlinkSync('t') } catch {}
    }
  }`

test.each([
  ['a folder', SWAP_FOLDER, 'a/secret.txt'],
  ['a file', SWAP_LEAF, 'x'],
])('while %s is swapped for a link, nothing outside is read or written', async (_, script, path) => {
  const root = worktree()
  put(join(dirname(root), 'out/secret.txt'), MARKER)
  await swapping(script, root)
  const to = context(root)
  const end = Date.now() + 4000
  let wrote = 0
  for (let round = 0; Date.now() < end || wrote === 0; round++) {
    const result = await call('write_file', { path, content: `fresh ${round}` }, to)
    const read = await call('read_file', { path }, to)
    await call('update_file', { path, search: 'marker', replace: 'owned' }, to)
    if (!result.isError) wrote += 1
    if (read.text.includes(MARKER)) throw new Error(`read from outside in round ${round}`)
  }
  expect(wrote).toBeGreaterThan(0)
  expect(readdirSync(join(dirname(root), 'out'))).toEqual(['secret.txt'])
  expect(text(dirname(root), 'out/secret.txt')).toBe(MARKER)
})

test('a FIFO, a socket and a device are refused without waiting', async () => {
  const root = worktree()
  execFileSync('mkfifo', [join(root, 'pipe')])
  const results = [
    await call('read_file', { path: 'pipe' }, context(root)),
    await call('write_file', { path: 'pipe', content: 'x' }, context(root)),
    await call('grep', { pattern: 'x', path: 'pipe' }, context(root)),
  ]
  expect(results.map((one) => one.isError)).toEqual([true, true, true])
})
