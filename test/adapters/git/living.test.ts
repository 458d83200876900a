/** The living git process of a repository: how many there are, and that none is left. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLiving } from '../../../src/adapters/git/process/living.ts'
import { workTreeAt } from '../../../src/adapters/git/process/run-git.ts'

function repository(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-living-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe' })
  git('init', '-q', '-b', 'main')
  git('-c', 'user.name=A', '-c', 'user.email=a@localhost', 'commit', '-q', '--allow-empty', '-m', 'begin')
  return dir
}

/** Processes of this kind that are children of ours. */
function readers(): number {
  const all = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n')
  return all.filter(
    (line) => line.trim().startsWith(`${process.pid} `) && line.includes('cat-file --batch-command'),
  ).length
}

test('openLiving() starts one process for all who ask at once, and close() leaves none', async () => {
  const living = openLiving(workTreeAt(repository()))
  const idNow = async () => (await living.contents('refs/heads/main'))?.oid
  const ids = await Promise.all(Array.from({ length: 20 }, idNow))
  expect([new Set(ids).size, readers()]).toEqual([1, 1])
  await living.close()
  expect(readers()).toBe(0)
  expect(await idNow()).toBe(ids[0])
  await living.end()
  expect(readers()).toBe(0)
})

test('openLiving() answers what is asked after its end, and leaves no process behind', async () => {
  const living = openLiving(workTreeAt(repository()))
  const first = living.contents('refs/heads/main')
  const ending = living.end()
  const late = living.contents('refs/heads/main')
  expect((await late)?.oid).toBe((await first)?.oid)
  await ending
  expect(readers()).toBe(0)
})

test('contents() gives objects of every size whole, asked side by side with others', async () => {
  const dir = repository()
  const hash = (bytes: Buffer) =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: dir, input: bytes, encoding: 'utf8' }).trim()
  const sizes = [0, 1, 65_535, 65_536, 3_000_000]
  const blobs = sizes.map((size) => Buffer.from('a line\n'.repeat(size / 7 + 1)).subarray(0, size))
  const ids = blobs.map(hash)
  const living = openLiving(workTreeAt(dir))
  onTestFinished(() => living.end())
  const asked = [...ids, '0'.repeat(40), ...ids.toReversed()]
  const found = await Promise.all(asked.map((id) => living.contents(id)))
  const wanted = [...blobs, undefined, ...blobs.toReversed()]
  expect(found.map((one, at) => one?.bytes.equals(wanted[at] as Buffer))).toEqual(
    wanted.map((bytes) => (bytes === undefined ? undefined : true)),
  )
})

test('resolve() says what git says: loose, packed, both, symbolic, gone, none', async () => {
  const dir = repository()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim()
  const living = openLiving(workTreeAt(dir))
  onTestFinished(() => living.end())
  const says = (name: string) => {
    const found = spawnSync('git', ['rev-parse', '-q', '--verify', `refs/heads/${name}`], { cwd: dir })
    return found.status === 0 ? found.stdout.toString().trim() : null
  }
  const agree = async () => {
    for (const name of ['main', 'a/b', 'link', 'none', 'a', '../../HEAD', 'main^0'])
      expect([name, await living.resolve(`refs/heads/${name}`)]).toEqual([
        name,
        name.startsWith('..') || name.includes('^') ? null : says(name),
      ])
  }
  const commit = () =>
    git('-c', 'user.name=A', '-c', 'user.email=a@localhost', 'commit', '-q', '--allow-empty', '-m', 'more')
  git('branch', 'a/b')
  git('symbolic-ref', 'refs/heads/link', 'refs/heads/a/b')
  await agree()
  git('pack-refs', '--all')
  await agree()
  commit()
  await agree()
  git('branch', '-D', 'a/b', '-q')
  await agree()
})
