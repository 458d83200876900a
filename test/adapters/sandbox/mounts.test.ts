/** What a confined command sees of the disk, as arguments: the order decides, and no link of a model does. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { expanded, isBelow, kindAt, kindBelow, partsOf } from '../../../src/adapters/sandbox/mount.ts'
import { mountArguments } from '../../../src/adapters/sandbox/mounts.ts'
import type { Confinement } from '../../../src/ports/sandbox-port.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-mounts-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function put(path: string, text = 'x'): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const home = join(root, 'user')
const work = join(root, 'work', 's-1')
for (const path of [
  join(home, '.ssh', 'key'),
  join(work, '.git'),
  join(work, 'src', 'a.txt'),
  join(work, '.env'),
])
  put(path)
symlinkSync('src', join(work, 'link'))
symlinkSync(home, join(work, 'out'))

const view: { home: string; root: boolean; memoryFolder: number | null } = {
  home,
  root: false,
  memoryFolder: 600,
}
/** Arguments of bwrap that make something at a path: how many values follow, the path last. */
const VALUES: Readonly<Record<string, number>> = {
  ...{ '--tmpfs': 1, '--proc': 1, '--dev': 1 },
  ...{ '--bind-try': 2, '--ro-bind': 2, '--ro-bind-try': 2, '--ro-bind-data': 2, '--symlink': 2 },
}

function shown(of: Partial<Confinement>, more: Partial<typeof view> = {}) {
  const confinement: Confinement = {
    write: [work],
    read: [],
    network: 'deny',
    cwd: work,
    env: { PATH: '/usr/bin' },
    ...of,
  }
  const { args } = mountArguments('sh', confinement, { ...view, ...more })
  const made = args.flatMap((how, index) => {
    const path = args[index + (VALUES[how] ?? 0)] ?? ''
    return VALUES[how] === undefined ? [] : [{ how, path }]
  })
  return { args, made, at: (path: string) => made.filter((one) => one.path === path).map(({ how }) => how) }
}

describe('mountArguments', () => {
  test("a writable folder below the user's home comes after the empty home", () => {
    const inside = join(home, 'project')
    mkdirSync(inside, { recursive: true })
    const { made } = shown({ write: [inside] })
    expect(made.filter(({ path }) => path === home || path === inside)).toEqual([
      { how: '--tmpfs', path: home },
      { how: '--bind-try', path: inside },
    ])
  })

  test('each mount comes after those of the folders above it', () => {
    const { args, made } = shown({
      write: [work, join(root, 'other')],
      read: [root, join(home, 'x')],
      hide: [join(work, '.env')],
    })
    const depths = made.map(({ path }) => partsOf(path).length)
    expect(depths).toEqual([...depths].sort((a, b) => a - b))
    expect(args.slice(-4)).toEqual(['--remount-ro', '/dev', '--remount-ro', '/'])
  })

  test.each<readonly [string, string[]]>([
    ['.env', ['--ro-bind']],
    ['src', ['--tmpfs']],
    ['link', []],
    ['link/a.txt', []],
    ['out/.ssh', []],
    ['none', []],
  ])('a hidden path %s', (path, kinds) => {
    expect(shown({ hide: [join(work, path)] }).at(join(work, path))).toEqual(kinds)
  })

  test('hides nothing outside of what is writable', () => {
    expect(shown({ hide: [join(home, '.ssh', 'key')] }).at(join(home, '.ssh', 'key'))).toEqual([])
  })

  test('a git file of a folder that is writable is neither read nor changed', () => {
    expect(shown({}).at(join(work, '.git'))).toEqual(['--ro-bind'])
  })

  test('the home of Neo is empty where a folder that is lent covers it', () => {
    const own = join(root, 'neo-home')
    mkdirSync(own, { recursive: true })
    const env = { PATH: '/usr/bin', NEO_HOME: own }
    expect(shown({ env, read: [root] }).at(own)).toEqual(['--tmpfs'])
    expect(shown({ env, read: [join(root, 'work')] }).at(own)).toEqual([])
  })

  test('a folder that is writable is not lent once more, and none inside it', () => {
    const { at } = shown({ read: [work, join(work, 'src')], write: [work, join(work, 'src')] })
    expect([at(work), at(join(work, 'src'))]).toEqual([['--bind-try'], []])
  })

  test('folders in memory have a size where bwrap takes one', () => {
    const { args } = shown({})
    expect(args.filter((_, at) => args[at - 1] === '--size' && args[at + 2] === '/tmp')).toEqual(['600'])
    expect(shown({}, { memoryFolder: null }).args).not.toContain('--size')
  })
})

test.each([
  ['~', home],
  ['~/a/../b', join(home, 'b')],
  ['~a', '/base/~a'],
  ['x/y', '/base/x/y'],
  ['../x', '/x'],
  ['/a//b/.', '/a/b'],
])('expanded() of %s is %s', (path, wanted) => {
  expect(expanded(path, { home, base: '/base' })).toBe(wanted)
})

test.each([
  ['/a/b', '/a', true],
  ['/a', '/a', true],
  ['/a', '/', true],
  ['/ab', '/a', false],
  ['/a', '/a/b', false],
  ['/a//b/', '/a/b', true],
])('isBelow() of %s and %s is %s', (path, folder, wanted) => {
  expect(isBelow(path, folder)).toBe(wanted)
})

test.each([
  ['', 'folder'],
  ['src', 'folder'],
  ['src/a.txt', 'file'],
  ['src/a.txt/b', 'missing'],
  ['none/b', 'missing'],
  ['link', 'link'],
  ['link/a.txt', 'link'],
  ['out/.ssh/key', 'link'],
])('kindBelow() of %j is %s', (path, wanted) => {
  expect(kindBelow(work, join(work, path))).toBe(wanted)
})

test('kindAt() of what is no file, and of a name that is too long', () => {
  expect([
    kindAt('/dev/null'),
    kindAt(`/${'x'.repeat(300)}`),
    kindAt(join(work, 'src', 'a.txt', 'b')),
  ]).toEqual(['other', 'missing', 'missing'])
})
