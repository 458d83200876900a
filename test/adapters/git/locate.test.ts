/** Git dirs from files alone: of the user's folders, of worktrees by their registration, and never of a trap. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  allWorkTrees,
  linkedAt,
  linkInside,
  locate,
  locateTop,
  registeredTop,
} from '../../../src/adapters/git/locate.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-locate-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** What git makes, as far as it is looked at. */
function gitDir(path: string): string {
  for (const name of ['objects', 'refs/heads', 'worktrees']) mkdirSync(join(path, name), { recursive: true })
  put(join(path, 'HEAD'), 'ref: refs/heads/main\n')
  return path
}

function repository(): { top: string; dir: string } {
  const top = join(root, `r${++count}`)
  return { top, dir: gitDir(join(top, '.git')) }
}

function worktree(dir: string, name: string, at = join(dirname(dir), '.neo', name)): string {
  mkdirSync(at, { recursive: true })
  put(join(at, '.git'), `gitdir: ${join(dir, 'worktrees', name)}\n`)
  put(join(dir, 'worktrees', name, 'gitdir'), `${join(at, '.git')}\n`)
  put(join(dir, 'worktrees', name, 'commondir'), '../..\n')
  put(join(dir, 'worktrees', name, 'HEAD'), `ref: refs/heads/neo/${name}\n`)
  return at
}

describe('locate', () => {
  test('finds the repository above a folder, and above a link to one', () => {
    const { top, dir } = repository()
    mkdirSync(join(top, 'a/b'), { recursive: true })
    symlinkSync(join(top, 'a'), join(root, `link${count}`))
    const wanted = { top, gitDir: dir, commonDir: dir, owner: dir }
    expect([locate(join(top, 'a/b')), locate(join(root, `link${count}`, 'b')), locate(top)]).toEqual([
      wanted,
      wanted,
      wanted,
    ])
    expect([locateTop(join(top, 'a')), locateTop(top)]).toEqual([null, wanted])
  })

  test("finds a person's linked worktree with the shared dir behind it", () => {
    const { dir } = repository()
    const at = worktree(dir, 'mine')
    const own = join(dir, 'worktrees', 'mine')
    expect(locate(at)).toEqual({ top: at, gitDir: own, commonDir: dir, owner: own })
  })

  test.each<readonly [string, (top: string) => void]>([
    ['nothing', (top) => mkdirSync(top)],
    ['a bare repository', (top) => gitDir(top)],
    ['an empty .git', (top) => mkdirSync(join(top, '.git'), { recursive: true })],
    ['a .git that leads nowhere', (top) => put(join(top, '.git'), 'gitdir: /no/such/dir\n')],
    ['a .git that names a file', (top) => put(join(top, '.git'), 'gitdir: .git\n')],
    ['a .git without refs', (top) => put(join(top, '.git/HEAD'), 'x')],
    ['a .git that is a dead link', (top) => mkdirSync(top) ?? symlinkSync('none', join(top, '.git'))],
  ])('finds none in a folder with %s', (_, make) => {
    const top = join(root, `n${++count}`)
    make(top)
    expect(locate(top)).toBeNull()
  })

  test('finds none in a folder that is not there', () => {
    expect([locate(join(root, 'none')), locateTop(join(root, 'none'))]).toEqual([null, null])
  })
})

describe('linkedAt', () => {
  test('goes by the registration, whatever the folder says of itself', () => {
    const { top, dir } = repository()
    const repositoryTree = locateTop(top)
    const at = worktree(dir, 's-1')
    const wanted = { top: at, gitDir: join(dir, 'worktrees', 's-1'), commonDir: dir, owner: dir }
    expect(linkedAt(repositoryTree as never, at)).toEqual(wanted)
    const other = repository()
    put(join(at, '.git'), `gitdir: ${other.dir}\n`)
    expect(linkedAt(repositoryTree as never, at)).toEqual(wanted)
    rmSync(join(at, '.git'))
    expect(linkedAt(repositoryTree as never, at)).toEqual(wanted)
    expect(linkedAt(locateTop(other.top) as never, at)).toBeNull()
  })

  test('finds a worktree that is registered under another name, and none that is not registered', () => {
    const { top, dir } = repository()
    const at = worktree(dir, 's-2', join(root, `moved${count}`))
    expect(linkedAt(locateTop(top) as never, at)?.gitDir).toBe(join(dir, 'worktrees', 's-2'))
    mkdirSync(join(root, `plain${count}`))
    expect(linkedAt(locateTop(top) as never, join(root, `plain${count}`))).toBeNull()
  })

  test('takes no registration that is a link', () => {
    const { top, dir } = repository()
    const at = worktree(dir, 's-3')
    const entry = join(dir, 'worktrees', 's-3')
    symlinkSync(entry, join(dir, 'worktrees', 'copy'))
    expect(registeredTop(entry)).toBe(at)
    rmSync(join(entry, 'gitdir'))
    symlinkSync(join(at, '.git'), join(entry, 'gitdir'))
    expect([registeredTop(entry), linkedAt(locateTop(top) as never, at)]).toEqual([null, null])
  })
})

test('allWorkTrees() has the main one first, also asked from a worktree, and none whose folder is gone', () => {
  const { top, dir } = repository()
  const at = worktree(dir, 's-4')
  rmSync(worktree(dir, 's-5'), { recursive: true })
  rmSync(join(worktree(dir, 's-6'), '..', '..', '.git', 'worktrees', 's-6', 'HEAD'))
  const tops = (path: string) => allWorkTrees(locateTop(path) as never).map((tree) => tree.top)
  expect([tops(top), tops(at)]).toEqual([
    [top, at],
    [top, at],
  ])
})

test.each(['index', 'logs', 'neo', 'objects', 'refs', 'worktrees'])(
  'linkInside() names %s that is a link',
  (name) => {
    const { top, dir } = repository()
    expect(linkInside(locateTop(top) as never)).toBeNull()
    rmSync(join(dir, name), { recursive: true, force: true })
    symlinkSync(join(root, 'none'), join(dir, name))
    expect(linkInside({ gitDir: dir, commonDir: dir })).toBe(join(dir, name))
  },
)
