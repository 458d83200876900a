import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Home, listen, makeHome, until } from './listen.ts'

function repository(): Home {
  const home = makeHome(['neo.yaml'])
  home.git('init', '-q', '-b', 'main')
  home.git('add', '-A')
  home.git('commit', '-qm', 'first')
  home.git('branch', 'feature/old')
  home.git('branch', 'neo/shop/a-1')
  return home
}

describe('watch() hints at .git when', () => {
  test.each<readonly [string, (home: Home) => void]>([
    ['a branch is checked out', (home) => home.git('checkout', '-q', 'feature/old')],
    ['somebody commits', (home) => home.git('commit', '-q', '--allow-empty', '-m', 'x')],
    [
      'a branch with a slash moves',
      (home) => home.git('update-ref', 'refs/heads/feature/old', emptyCommit(home)),
    ],
    ['a new branch is made in a new folder', (home) => home.git('branch', 'topic/new')],
    ['refs are packed', (home) => home.git('pack-refs', '--all')],
    ['a merge is made', (home) => home.git('update-ref', 'refs/heads/main', emptyCommit(home))],
  ])('%s', async (_name, act) => {
    const home = repository()
    const { hints } = await listen(home.root)
    act(home)
    await until(() => hints.includes('.git'), 'a hint')
  })
})

test('watch() is silent when only a branch of a session moves', async () => {
  const home = repository()
  const { hints, quiet } = await listen(home.root)
  home.git('update-ref', 'refs/heads/neo/shop/a-1', emptyCommit(home))
  await quiet()
  expect(hints).toEqual([])
})

test('watch() hears a branch after its folder was made later', async () => {
  const home = repository()
  const { hints, quiet } = await listen(home.root)
  home.git('branch', 'topic/new')
  await until(() => hints.includes('.git'), 'the new branch')
  await quiet()
  home.git('update-ref', 'refs/heads/topic/new', emptyCommit(home))
  await until(() => hints.includes('.git'), 'its move')
})

test('watch() hears a repository that is made later', async () => {
  const home = makeHome(['neo.yaml'])
  const { hints, quiet } = await listen(home.root, { refreshMs: 100 })
  home.git('init', '-q', '-b', 'main')
  await quiet()
  await until(() => {
    home.git('commit', '-q', '--allow-empty', '-m', 'x')
    return hints.includes('.git')
  }, 'a hint')
})

test('watch() hears the branches of a home that is a linked worktree, and of one below the top', async () => {
  const home = repository()
  home.git('worktree', 'add', '-q', 'tree', 'feature/old')
  mkdirSync(join(home.root, 'rooms'))
  for (const below of ['tree', 'rooms']) {
    const { hints, quiet } = await listen(join(home.root, below))
    await quiet()
    hints.length = 0
    home.git('update-ref', 'refs/heads/main', emptyCommit(home))
    await until(() => hints.includes('.git'), `a hint in ${below}`)
  }
})

function emptyCommit(home: Home): string {
  return home.git('commit-tree', '-p', 'HEAD', '-m', 'x', 'HEAD^{tree}').trim()
}
