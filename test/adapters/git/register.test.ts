/** Worktrees that are registered without a process, seen by git itself. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRepository, type Repository } from '../../../src/adapters/git/git-repository.ts'
import { dropBranch, registerWorktree } from '../../../src/adapters/git/worktree/register.ts'
import { type Bench, gitIn, openBench, openSession, placeIn } from './repo.ts'

const FOLDER = 'workspace/files'

let bench: Bench
let repository: Repository
let commit: string
beforeEach(async () => {
  bench = await openBench({ '.gitignore': '.neo/\n', 'notes.md': 'n\n', [`${FOLDER}/a.md`]: 'a\n' })
  commit = bench.person('rev-parse', 'main').trim()
  const opened = await openRepository(bench.home)
  if (opened === null) throw new Error('no repository')
  repository = opened
})
afterEach(async () => {
  await repository.living.close()
  await bench.close()
})

function place(name: string): string {
  const dir = join(bench.home, '.neo', 'worktrees', name)
  mkdirSync(dirname(dir), { recursive: true })
  return dir
}

function register(branch: string, name = 's-1') {
  return registerWorktree(repository, { dir: place(name), branch, commit })
}

describe('registerWorktree', () => {
  it('makes what git takes for a worktree of its own, on a new branch', async () => {
    expect(await register('neo/room/task-1')).toBe('made')
    const dir = place('s-1')
    const listed = bench.person('worktree', 'list', '--porcelain')
    expect(listed).toContain(`worktree ${dir}\nHEAD ${commit}\nbranch refs/heads/neo/room/task-1\n`)
    expect(bench.person('worktree', 'prune', '-n', '-v')).toBe('')
    expect(bench.person('fsck', '--strict')).toBe('')
    gitIn(dir, 'checkout', '-q', '-f')
    expect(gitIn(dir, 'status', '--porcelain')).toBe('')
    gitIn(bench.home, 'worktree', 'remove', dir)
    expect(existsSync(join(bench.home, '.git/worktrees'))).toBe(false)
    expect(existsSync(join(bench.home, '.git/refs/heads/neo/room/task-1.lock'))).toBe(false)
  })

  it.each(['loose', 'packed'])('leaves a %s branch of that name as it is', async (kind) => {
    bench.write('notes.md', 'more\n')
    bench.person('commit', '-qam', 'second')
    bench.person('branch', 'neo/one')
    if (kind === 'packed') bench.person('pack-refs', '--all')
    const before = bench.person('rev-parse', 'neo/one')
    expect(await register('neo/one')).toBe('nothing')
    expect(bench.person('rev-parse', 'neo/one')).toBe(before)
    expect(existsSync(place('s-1'))).toBe(false)
  })

  it.each(['neo/one', 'neo/one/two/three'])(
    'leaves it to git where %s is packed and in the way',
    async (name) => {
      bench.person('branch', name)
      bench.person('pack-refs', '--all', '--prune')
      expect(await register('neo/one/two')).toBe('nothing')
    },
  )

  it('leaves it to git where a branch stands where a folder of branches must be', async () => {
    bench.person('branch', 'neo/one')
    expect(await register('neo/one/two')).toBe('nothing')
  })

  it.each(['neo/../x', 'main', 'neo/a..b', 'neo/x.lock', 'neo/a b', 'neo/'])(
    'leaves the name %s to git',
    async (name) => {
      expect(await register(name)).toBe('nothing')
    },
  )

  it('leaves it to git where the repository has extensions, or the folder is there', async () => {
    mkdirSync(place('there'))
    expect(await register('neo/one', 'there')).toBe('nothing')
    bench.person('config', 'extensions.worktreeConfig', 'true')
    expect(await register('neo/one')).toBe('nothing')
  })

  it('leaves it to git where somebody holds the lock of the branch', async () => {
    const lock = join(bench.home, '.git/refs/heads/neo/one.lock')
    mkdirSync(dirname(lock), { recursive: true })
    writeFileSync(lock, '')
    expect(await register('neo/one')).toBe('nothing')
    expect(existsSync(lock)).toBe(true)
  })
})

describe('dropBranch', () => {
  it('deletes the branch as git does, log and all', () => {
    bench.person('branch', 'neo/room/one')
    expect(dropBranch(repository, 'neo/room/one', commit)).toBe(true)
    expect(bench.person('branch', '--format=%(refname:short)')).toBe('main\n')
    expect(existsSync(join(bench.home, '.git/logs/refs/heads/neo/room/one'))).toBe(false)
    bench.person('branch', 'neo/room')
    expect(bench.person('fsck', '--strict')).toBe('')
  })

  it.each<[string, () => void]>([
    ['is at another commit', () => bench.person('commit', '-q', '--allow-empty', '-m', 'x', '-a')],
    ['is packed', () => bench.person('pack-refs', '--all')],
    ['is checked out', () => bench.person('checkout', '-q', 'neo/one')],
    [
      'is checked out in another work tree',
      () => bench.person('worktree', 'add', '-q', '../other', 'neo/one'),
    ],
    ['has configuration', () => bench.person('config', 'branch.neo/one.description', 'mine')],
    ['is locked', () => writeFileSync(join(bench.home, '.git/refs/heads/neo/one.lock'), '')],
  ])('leaves a branch to git that %s', (why, make) => {
    bench.person('branch', 'neo/one')
    make()
    const at = why === 'is at another commit' ? bench.person('rev-parse', 'main').trim() : commit
    expect(dropBranch(repository, 'neo/one', at)).toBe(false)
    expect(bench.person('rev-parse', 'neo/one').trim()).toBe(commit)
  })
})

describe('addWorktree', () => {
  it('finishes by git a registration of which only the branch could be made', async () => {
    const dir = join(bench.home, '.neo', 'none', 's-1')
    expect(await registerWorktree(repository, { dir, branch: 'neo/one', commit })).toBe('branch')
    const again = { place: placeIn(bench, FOLDER), dir, branch: 'neo/one', from: 'neo/one' }
    expect(await bench.git.addWorktree(again)).toEqual({ head: commit })
    expect(existsSync(join(dir, FOLDER, 'a.md'))).toBe(true)
  })

  it('makes a worktree anew after a crash between its registration and its folder', async () => {
    const dir = await openSession(bench, placeIn(bench, FOLDER))
    rmSync(dir, { recursive: true })
    const again = { place: placeIn(bench, FOLDER), dir, branch: 'neo/one', from: 'neo/one' }
    expect(await bench.git.addWorktree(again)).toEqual({ head: commit })
    expect(existsSync(join(dir, FOLDER, 'a.md'))).toBe(true)
  })
})
