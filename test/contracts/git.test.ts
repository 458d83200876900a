/**
 * What sessions need of Git, on the adapter and on the few plain git commands that tests of sessions use in its place:
 * whatever a test of sessions shows with the second holds with the first.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Git } from '../../src/ports/git-port.ts'
import { type Bench, gitIn, openBench, placeIn, put } from '../adapters/git/repo.ts'
import { world } from '../runner/world.ts'

const GITS: readonly (readonly [string, (bench: Bench) => Git])[] = [
  ['the adapter', (bench) => bench.git],
  ['the git of tests', () => world().git],
]
const BRANCH = 'neo/one'

describe.each(GITS)('%s', (_, open) => {
  let bench: Bench
  let git: Git
  let dir: string
  beforeEach(async () => {
    bench = await openBench({ '.gitignore': '.neo/\n*.log\n', 'a.md': 'a\n' })
    git = open(bench)
    dir = join(bench.home, '.neo', 'worktrees', 's-1')
  })
  afterEach(() => bench.close())

  const place = () => placeIn(bench)
  const add = (from = 'main') => git.addWorktree({ place: place(), dir, branch: BRANCH, from })
  const commit = (subject = 'Change a') =>
    git.commitWorktree({
      place: place(),
      dir,
      branch: BRANCH,
      from: 'main',
      subject,
      trailers: [
        ['Neo-Session', 's-1'],
        ['Neo-Work', 'person'],
      ],
    })

  test('blobId() is the id that git gives the same bytes', () => {
    const bytes = Buffer.from('a\n')
    expect(git.blobId(bytes)).toBe(bench.person('rev-parse', 'HEAD:a.md').trim())
  })

  test('addWorktree() checks a new branch out at the base and returns its commit', async () => {
    expect(await git.branchExists(place(), BRANCH)).toBe(false)
    expect((await add()).head).toBe(bench.person('rev-parse', 'main').trim())
    expect(await git.branchExists(place(), BRANCH)).toBe(true)
    expect(gitIn(dir, 'branch', '--show-current').trim()).toBe(BRANCH)
    expect(existsSync(join(dir, 'a.md'))).toBe(true)
  })

  test('commitWorktree() makes one commit of what changed, ignored files left out', async () => {
    await add()
    put(dir, 'b.md', 'b\n')
    put(dir, 'b.log', 'noise\n')
    const done = await commit()
    expect(done).toMatchObject({ kind: 'ok', commit: gitIn(dir, 'rev-parse', 'HEAD').trim() })
    expect(gitIn(dir, 'log', '--format=%s', 'main..HEAD').trim()).toBe('Change a')
    expect(gitIn(dir, 'diff', '--name-only', 'main', 'HEAD').trim()).toBe('b.md')
  })

  test('commitWorktree() of an unchanged worktree makes no commit and says so', async () => {
    await add()
    put(dir, 'b.md', 'b\n')
    const changed = await commit()
    const again = await commit('Once more')
    expect(again).toEqual(changed)
    expect(gitIn(dir, 'rev-list', '--count', 'main..HEAD').trim()).toBe('1')
  })

  test('commitWorktree() refuses when another branch is checked out', async () => {
    await add()
    gitIn(dir, 'checkout', '-q', '-b', 'other')
    put(dir, 'b.md', 'b\n')
    expect(await commit()).toMatchObject({ kind: 'refused', why: expect.stringMatching(/branch|other/) })
    expect(gitIn(dir, 'log', '--format=%s', 'main..HEAD')).toBe('')
  })

  test('removeWorktree() removes a clean worktree, and a second one continues on its branch', async () => {
    await add()
    put(dir, 'b.md', 'b\n')
    await commit()
    await git.detachWorktree(place(), dir)
    expect(await git.removeWorktree(place(), dir)).toMatchObject({ kind: 'removed' })
    expect(existsSync(dir)).toBe(false)
    await add(BRANCH)
    expect(existsSync(join(dir, 'b.md'))).toBe(true)
  })

  test('diff() shows what the branch adds to the base', async () => {
    await add()
    put(dir, 'b.md', 'b\n')
    await commit()
    const text = await git.diff(place(), BRANCH)
    expect(String(typeof text === 'string' ? text : JSON.stringify(text))).toContain('+b')
  })
})
