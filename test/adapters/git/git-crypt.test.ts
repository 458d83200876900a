/** The real git-crypt: a worker edits beside an encrypted file, and the encrypted file itself. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allowFilterAt } from '../../../src/adapters/git/process/git-invocation.ts'
import { type Bench, commitSession, openBench, openSession, placeIn, put, words } from './repo.ts'

const MISSING = spawnSync('git-crypt', ['--version']).status === 0 ? '' : ' (git-crypt is not installed)'

let bench: Bench
beforeEach(async () => {
  bench = await openBench({
    '.gitignore': '.neo/\n',
    '.gitattributes': 'vault/** filter=git-crypt\n',
    'a.txt': 'a\n',
  })
  if (MISSING !== '') return
  execFileSync('git-crypt', ['init'], { cwd: bench.home, stdio: 'ignore' })
  bench.write('vault/k', 'plain-of-a-person\n')
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'encrypted')
})
afterEach(() => bench.close())

const model = (dir: string) => commitSession(bench, { dir, place: placeIn(bench) })

/** All objects, reachable or not. */
function objects(): string {
  return execFileSync('git', ['cat-file', '--batch-all-objects', '--batch', '--unordered'], {
    cwd: bench.home,
    encoding: 'latin1',
  })
}

test.skipIf(MISSING !== '')(
  `without a permission work beside the file merges, and none on it${MISSING}`,
  async () => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    put(dir, 'a.txt', 'b\n')
    expect(readFileSync(join(dir, 'vault/k'), 'latin1')).toMatch(/^\0GITCRYPT/)
    expect(await bench.git.holdsDecoded(place, dir)).toBe(false)
    expect(await model(dir)).toMatchObject({ kind: 'ok', changed: true })
    expect((await bench.git.merge(place, 'neo/one', words)).kind).toBe('merged')
    put(dir, 'vault/k', 'plain-of-a-model\n')
    expect(await model(dir)).toMatchObject({ kind: 'refused', filter: 'git-crypt' })
    expect([readFileSync(join(bench.home, 'vault/k'), 'utf8'), bench.status()]).toEqual([
      'plain-of-a-person\n',
      '',
    ])
    expect(objects()).not.toContain('plain-of-')
  },
)

test.skipIf(MISSING !== '')(
  `with it the file is read, changed and merged, and stored encrypted${MISSING}`,
  async () => {
    expect(await allowFilterAt(bench.home, 'git-crypt')).toBe(true)
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    expect(readFileSync(join(dir, 'vault/k'), 'utf8')).toBe('plain-of-a-person\n')
    expect(await bench.git.holdsDecoded(place, dir)).toBe(true)
    put(dir, 'vault/k', 'plain-of-a-model\n')
    put(dir, 'vault/new', 'plain-of-a-new-file\n')
    expect(await model(dir)).toMatchObject({ kind: 'ok', changed: true })
    expect((await bench.git.merge(place, 'neo/one', words)).kind).toBe('merged')
    expect([readFileSync(join(bench.home, 'vault/k'), 'utf8'), bench.status()]).toEqual([
      'plain-of-a-model\n',
      '',
    ])
    expect(objects()).not.toContain('plain-of-')
    await bench.git.detachWorktree(place, dir)
    expect(await bench.git.removeWorktree(place, dir)).toEqual({ kind: 'removed' })
    expect(existsSync(join(bench.home, '.git/git-crypt/keys/default'))).toBe(true)
  },
)
