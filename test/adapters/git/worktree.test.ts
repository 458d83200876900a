/** Worktrees of sessions on real git: made, committed once, let go, removed. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Bench, commitSession, gitIn, openBench, openSession, placeIn, put } from './repo.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openBench({
    '.gitignore': '.neo/\n*.log\n',
    'notes.md': 'n\n',
    'workspace/files/a.md': 'a\n',
    'workspace/other/b.md': 'b\n',
  })
})
afterEach(() => bench.close())

function config(): string {
  return readFileSync(join(bench.home, '.git', 'config'), 'utf8')
}

describe('addWorktree', () => {
  it('checks out only the folder of the place, and changes no configuration', async () => {
    const before = config()
    const place = await bench.git.place('workspace/files', null)
    if ('wrong' in place) throw new Error(place.wrong)
    expect(place).toEqual({ repository: bench.home, folder: 'workspace/files', base: 'main' })
    const dir = await openSession(bench, place)
    expect(existsSync(join(dir, 'workspace/files/a.md'))).toBe(true)
    expect(existsSync(join(dir, 'workspace/other'))).toBe(false)
    expect(existsSync(join(dir, 'notes.md'))).toBe(false)
    expect(config()).toBe(before)
    expect(existsSync(join(bench.home, '.git', 'config.worktree'))).toBe(false)
  })

  it.each(['with space', 'st*r', '[a]', '!x', '#y', 'größe'])(
    'checks out a folder that is named %s, and nothing else',
    async (name) => {
      bench.write(`workspace/${name}/in.md`, 'x\n')
      bench.person('add', '-A')
      bench.person('commit', '-qm', 'folder')
      const dir = await openSession(bench, placeIn(bench, `workspace/${name}`))
      expect(existsSync(join(dir, 'workspace', name, 'in.md'))).toBe(true)
      expect(existsSync(join(dir, 'workspace/files'))).toBe(false)
    },
  )

  it('gives the head of the new branch', async () => {
    const dir = join(bench.home, '.neo', 'worktrees', 's-1')
    const request = { place: placeIn(bench), dir, branch: 'neo/one', from: 'main' }
    expect(await bench.git.addWorktree(request)).toEqual({ head: bench.person('rev-parse', 'main').trim() })
    expect(gitIn(dir, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('neo/one')
  })

  it('goes on on the branch when its folder was deleted by hand', async () => {
    const place = placeIn(bench, 'workspace/files')
    const dir = await openSession(bench, place)
    put(dir, 'workspace/files/new.md', 'x\n')
    const done = await commitSession(bench, { dir, place })
    rmSync(dir, { recursive: true })
    const again = await bench.git.addWorktree({ place, dir, branch: 'neo/one', from: 'neo/one' })
    expect(again.head).toBe(done.kind === 'ok' && done.commit)
    expect(readFileSync(join(dir, 'workspace/files/new.md'), 'utf8')).toBe('x\n')
    expect(existsSync(join(dir, 'notes.md'))).toBe(false)
  })

  it('refuses a branch that is checked out somewhere else', async () => {
    const place = placeIn(bench)
    await openSession(bench, place)
    const dir = join(bench.home, '.neo', 'worktrees', 'second')
    const second = bench.git.addWorktree({ place, dir, branch: 'neo/one', from: 'neo/one' })
    await expect(second).rejects.toMatchObject({ code: 'git' })
  })
})

describe('commitWorktree', () => {
  it('commits what is changed and not ignored, and leaves the rest of the repository in the tree', async () => {
    const place = placeIn(bench, 'workspace/files')
    const dir = await openSession(bench, place)
    put(dir, 'workspace/files/new.md', 'x\n')
    put(dir, 'workspace/files/out.log', 'x\n')
    rmSync(join(dir, 'workspace/files/a.md'))
    const done = await commitSession(bench, { dir, place })
    expect(done).toMatchObject({ kind: 'ok', changed: true })
    expect(bench.person('ls-tree', '-r', '--name-only', 'neo/one').trim().split('\n')).toEqual([
      '.gitignore',
      'notes.md',
      'workspace/files/new.md',
      'workspace/other/b.md',
    ])
    expect(bench.person('log', '-1', '--format=%s|%an|%(trailers)', 'neo/one').trim()).toBe(
      'session|Neo|Neo-Session: s-1\nNeo-Work: model',
    )
    expect(await bench.git.changedPaths(place, 'neo/one')).toEqual([
      'workspace/files/a.md',
      'workspace/files/new.md',
    ])
    expect(await bench.git.diff(place, 'neo/one')).toContain('+++ b/workspace/files/new.md')
  })

  it('gives the same tip when it is called twice', async () => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    put(dir, 'new.md', 'x\n')
    const first = await commitSession(bench, { dir, place })
    expect(await commitSession(bench, { dir, place })).toEqual(first)
    expect(bench.person('rev-list', '--count', 'main..neo/one').trim()).toBe('1')
    expect(gitIn(dir, 'status', '--porcelain')).toBe('')
  })

  it('says that nothing changed when nothing did', async () => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    const commit = bench.person('rev-parse', 'main').trim()
    expect(await commitSession(bench, { dir, place })).toEqual({ kind: 'ok', commit, changed: false })
  })

  it('refuses a worktree that is on another branch or on none', async () => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    put(dir, 'new.md', 'x\n')
    gitIn(dir, 'checkout', '-qb', 'elsewhere')
    expect((await commitSession(bench, { dir, place })).kind).toBe('refused')
    gitIn(dir, 'checkout', '-q', '--detach')
    expect((await commitSession(bench, { dir, place })).kind).toBe('refused')
    expect(bench.person('rev-list', '--count', 'main..neo/one').trim()).toBe('0')
    expect(bench.person('rev-list', '--count', 'main..elsewhere').trim()).toBe('0')
  })

  it('refuses the work tree of the person and a worktree of another repository', async () => {
    const place = placeIn(bench)
    await openSession(bench, place)
    bench.write('mine.md', 'x\n')
    expect((await commitSession(bench, { dir: bench.home, place })).kind).toBe('refused')
    const other = join(bench.root, 'other')
    gitIn(bench.root, 'clone', '-q', bench.home, other)
    gitIn(other, 'worktree', 'add', '-q', '-b', 'neo/one', join(bench.root, 'theirs'))
    expect((await commitSession(bench, { dir: join(bench.root, 'theirs'), place })).kind).toBe('refused')
    expect(bench.status()).toBe('?? mine.md\n')
  })

  it.each(['with a commit', 'without a commit'])('refuses a nested repository %s', async (which) => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    put(dir, 'inner/x.md', 'x\n')
    gitIn(join(dir, 'inner'), 'init', '-q')
    if (which === 'with a commit') {
      gitIn(join(dir, 'inner'), 'add', '-A')
      gitIn(join(dir, 'inner'), 'commit', '-qm', 'inner')
    }
    const done = await commitSession(bench, { dir, place })
    expect(done).toMatchObject({ kind: 'refused' })
    expect(done.kind === 'refused' && done.why).toContain('inner')
    expect(bench.person('rev-list', '--count', 'main..neo/one').trim()).toBe('0')
  })
})

describe('detachWorktree', () => {
  it('frees the branch at the same commit, and a second time changes nothing', async () => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    put(dir, 'new.md', 'x\n')
    await commitSession(bench, { dir, place })
    const before = gitIn(dir, 'rev-parse', 'HEAD')
    await bench.git.detachWorktree(place, dir)
    await bench.git.detachWorktree(place, dir)
    expect(gitIn(dir, 'rev-parse', 'HEAD')).toBe(before)
    expect(gitIn(dir, 'branch', '--show-current')).toBe('')
    bench.person('checkout', '-q', 'neo/one')
    expect(gitIn(dir, 'status', '--porcelain')).toBe('')
  })

  it('does nothing to a folder that is gone and to the work tree of the person', async () => {
    await bench.git.detachWorktree(placeIn(bench), join(bench.home, '.neo', 'worktrees', 'none'))
    await bench.git.detachWorktree(placeIn(bench), bench.home)
    expect(bench.person('branch', '--show-current').trim()).toBe('main')
  })
})

describe('removeWorktree', () => {
  it.each(['changed', 'untracked'])('keeps a worktree with a file that is %s', async (which) => {
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    const path = which === 'changed' ? 'notes.md' : 'new.md'
    put(dir, path, 'precious\n')
    expect((await bench.git.removeWorktree(place, dir)).kind).toBe('kept')
    expect(readFileSync(join(dir, path), 'utf8')).toBe('precious\n')
  })

  it.each(['', 'workspace/files'])(
    'removes a clean worktree of the folder "%s", also a second time',
    async (folder) => {
      const place = placeIn(bench, folder)
      const dir = await openSession(bench, place)
      put(dir, join(folder, 'new.md'), 'x\n')
      await commitSession(bench, { dir, place })
      await bench.git.detachWorktree(place, dir)
      expect(await bench.git.removeWorktree(place, dir)).toEqual({ kind: 'removed' })
      expect(existsSync(dir)).toBe(false)
      expect(await bench.git.removeWorktree(place, dir)).toEqual({ kind: 'removed' })
      expect(bench.person('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1)
      expect(await bench.git.branchExists(place, 'neo/one')).toBe(true)
    },
  )

  it('keeps a folder that is a repository or no worktree at all', async () => {
    const place = placeIn(bench)
    expect((await bench.git.removeWorktree(place, bench.home)).kind).toBe('kept')
    put(bench.root, 'plain/x.md', 'x\n')
    expect((await bench.git.removeWorktree(place, join(bench.root, 'plain'))).kind).toBe('kept')
    expect(existsSync(join(bench.root, 'plain/x.md'))).toBe(true)
  })
})

describe('names that are taken', () => {
  it('starts from the branch where a tag has the name of the base, and of the session', async () => {
    const old = bench.person('rev-parse', 'main').trim()
    bench.person('tag', 'main', old)
    bench.person('tag', 'neo/one', old)
    bench.write('late.md', 'late\n')
    bench.person('add', '-A')
    bench.person('commit', '-qm', 'late')
    for (const folder of ['', 'workspace/files']) {
      const place = placeIn(bench, folder)
      const branch = folder === '' ? 'neo/one' : 'neo/two'
      const dir = await openSession(bench, place, branch)
      put(dir, join(folder, 'new.md'), 'x\n')
      expect(await commitSession(bench, { dir, place, branch })).toMatchObject({ kind: 'ok', changed: true })
      expect(bench.person('ls-tree', '--name-only', `refs/heads/${branch}`)).toContain('late.md')
      expect(await bench.git.changedPaths(place, branch)).toEqual([join(folder, 'new.md')])
    }
    const place = placeIn(bench)
    expect((await bench.git.merge(place, 'neo/one', { subject: 'm', trailers: [] })).kind).toBe('merged')
    expect(bench.person('ls-tree', '--name-only', 'refs/heads/main')).toContain('new.md')
  })

  it('a workspace with sha256 objects is refused with the reason', async () => {
    const other = join(bench.root, 'sha256')
    gitIn(bench.root, 'init', '-q', '-b', 'main', '--object-format=sha256', other)
    put(other, 'a.md', 'a\n')
    gitIn(other, 'add', '-A')
    gitIn(other, 'commit', '-qm', 'a')
    const place = await bench.git.place(other, null)
    expect(place).toMatchObject({ wrong: expect.stringContaining('sha256') })
  })
})
