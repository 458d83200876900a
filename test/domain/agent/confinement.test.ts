/** Which paths the tools of an agent may touch: decided part by part, under every name that a disk accepts. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  absoluteFolders,
  type Bounds,
  below,
  HOME_OWN,
  matchesGlob,
  type Mode,
  OUTSIDE,
  refusalOf,
  startOf,
} from '../../../src/domain/agent/confinement.ts'

describe('startOf', () => {
  const from = { root: '/ws', cwd: '/ws/app' }

  test.each([
    ['a.ts', 'app/a.ts'],
    ['../b.ts', 'app/../b.ts'],
    ['', 'app/'],
    ['/ws/x/y', 'x/y'],
    ['/ws', ''],
    ['/ws/', ''],
    ['//ws//x', 'x'],
    ['/ws/./x/../y', 'x/../y'],
    ['~x', 'app/~x'],
    ['a/~/b', 'app/a/~/b'],
  ])('of %j is %j', (path, is) => expect(startOf(path, from)).toEqual({ path: is }))

  test.each([
    ['/ws-evil/a', OUTSIDE],
    ['/w', OUTSIDE],
    ['/', OUTSIDE],
    ['/etc/passwd', OUTSIDE],
    ['/WS/a', OUTSIDE],
    ['~', 'starts with "~"; use a path in the worktree'],
    ['~/a', 'starts with "~"; use a path in the worktree'],
    ['a\0b', 'contains a NUL character'],
    ['a'.repeat(4097), 'is longer than 4096 characters'],
  ])('of %j is refused', (path, refused) => expect(startOf(path, from)).toEqual({ refused }))

  test('is at the top for a command in the top folder, and nowhere for one outside', () => {
    expect(startOf('a.ts', { root: '/ws', cwd: '/ws' })).toEqual({ path: 'a.ts' })
    expect(startOf('a.ts', { root: '/ws', cwd: '/tmp' })).toEqual({ refused: OUTSIDE })
  })
})

test('below() gives back what was put behind the root, and nothing for a name that only begins alike', () => {
  const names = fc.array(fc.constantFrom('a', 'b', '..', 'a-b'), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(names, names, (root, rest) => {
      const top = `/${root.join('/')}`
      expect(below(top, `${top}/${rest.join('/')}`)).toBe(rest.join('/'))
      expect(below(top, `${top}x/${rest.join('/')}`)).toBeNull()
      expect(below(`${top}/x`, top)).toBeNull()
    }),
  )
})

describe('refusalOf', () => {
  const bounds = (more: Partial<Bounds> = {}): Bounds => ({ folder: '', home: 'no', write: [], ...more })
  const GIT = "is part of git's own files"

  test.each([
    '.git',
    '.git/config',
    'a/.git/hooks/pre-commit',
    '.GIT/config',
    '.git./config',
    '.git /config',
    '.git. . /config',
    '.git::$INDEX_ALLOCATION/config',
    '.git:x',
    '.g\u200cit/config',
    '.gi\ufefft',
    '.g\u2060it',
    '\uff0egit/config',
    'git~1/config',
    'GIT~2',
    'a\\.git\\config',
  ])('keeps everybody out of %j', (path) => {
    for (const mode of ['read', 'write'] as const) expect(refusalOf(path, mode, bounds())).toBe(GIT)
  })

  test.each(['.gitignore', '.github/a.yml', 'git', 'a.git', 'git~x', '.gitx/config', 'x.git./a'])(
    'does not take %j for files of git',
    (path) => expect(refusalOf(path, 'write', bounds())).toBeNull(),
  )

  test.each(['.neo', '.neo/x', 'a/.NEO/x', 'neo~1', '.neo./x', '.n\u200deo'])('keeps out of %j', (path) => {
    expect(refusalOf(path, 'read', bounds())).toBe("is Neo's own")
  })

  test.each([
    ['app/a.ts', null],
    ['app', null],
    ['application/a.ts', 'is outside of the workspace "app"'],
    ['a.ts', 'is outside of the workspace "app"'],
    ['App/a.ts', 'is outside of the workspace "app"'],
  ])('in a workspace that is a folder, %j: %j', (path, why) => {
    expect(refusalOf(path, 'read', bounds({ folder: 'app' }))).toBe(why)
  })

  test.each(HOME_OWN.filter((own) => own !== '.neo'))('keeps workers of a home out of %s', (own) => {
    const whole = bounds({ home: 'yes' })
    for (const path of [own, `${own}/x`, own.toUpperCase(), `${own}. /x`])
      for (const mode of ['read', 'write'] as const)
        expect(refusalOf(path, mode, whole)).toContain('belongs to the home')
    expect(refusalOf(`${own}x`, 'read', whole)).toBeNull()
    expect(refusalOf(`sub/${own}/x`, 'read', whole)).toBeNull()
  })

  test('lets a workspace that is one of these be read, and not be written', () => {
    const own = bounds({ home: 'yes', folder: 'templates' })
    expect(refusalOf('templates/tasks/a.md', 'read', own)).toBeNull()
    expect(refusalOf('templates/tasks/a.md', 'write', own)).toContain('belongs to the home')
    expect(refusalOf('rooms/a/ROOM.md', 'read', own)).toContain('outside of the workspace')
  })

  test('lets rooms of a repository that is no home be, except for neo.yaml', () => {
    expect(refusalOf('rooms/a.ts', 'write', bounds())).toBeNull()
    expect(refusalOf('neo.yaml', 'read', bounds())).toBeNull()
    expect(refusalOf('NEO.yaml', 'write', bounds())).toContain('settings of the home')
    expect(refusalOf('neo.yaml/x', 'write', bounds())).toContain('settings of the home')
    expect(refusalOf('a/neo.yaml', 'write', bounds())).toBeNull()
  })

  test.each([
    ['src/a.ts', 'write', null],
    ['src/deep/a.ts', 'write', null],
    ['docs/a.md', 'write', null],
    ['docs/a.ts', 'write', 'is not writable in this room; writable paths are src/**, docs/*.md'],
    ['other', 'write', 'is not writable in this room; writable paths are src/**, docs/*.md'],
    ['other', 'read', null],
  ] as const)('with writable paths, %s to %s: %j', (path, mode: Mode, why) => {
    const write = ['src/**', 'docs/*.md']
    expect(refusalOf(path, mode, bounds({ write }))).toBe(why)
    expect(refusalOf(`app/${path}`, mode, bounds({ write, folder: 'app' }))).toBe(why)
  })

  test('reads nothing that it would not write with every path writable, and no path grows rights by its case', () => {
    const parts = fc.constantFrom('src', '.git', '.neo', 'rooms', 'neo.yaml', 'workspace', 'memory', 'a.ts')
    const all = fc.record({
      folder: fc.constantFrom('', 'src', 'workspace', 'workspace/memory'),
      home: fc.constantFrom('yes' as const, 'no' as const),
      write: fc.constant([]),
    })
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 4 }), all, (names, where) => {
        const path = names.join('/')
        if (refusalOf(path, 'read', where) !== null) expect(refusalOf(path, 'write', where)).not.toBeNull()
        if (where.folder === '')
          expect(refusalOf(path.toUpperCase(), 'read', where)).toBe(refusalOf(path, 'read', where))
      }),
    )
  })
})

/** The same as a regular expression, which is slow for hostile globs. */
function asRegExp(glob: string): RegExp {
  const parts = glob.split('/').filter((part) => part !== '' && part !== '.')
  const each = parts.map((part, at) => {
    const isLast = at === parts.length - 1
    if (part === '**') return isLast ? '[^/]+(?:/[^/]+)*' : '(?:[^/]+/)*'
    const plain = part.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')
    return isLast ? plain : `${plain}/`
  })
  return new RegExp(`^${each.join('')}(?:/.*)?$`)
}

test('matchesGlob() agrees with a regular expression', () => {
  const part = fc.oneof(
    fc.constant('**'),
    fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 4 }),
  )
  const globs = fc.array(
    part.filter((one) => one === '**' || !one.includes('**')),
    { minLength: 1, maxLength: 4 },
  )
  const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(globs, fc.array(name, { minLength: 1, maxLength: 4 }), (glob, path) => {
      const [pattern, text] = [glob.join('/'), path.join('/')]
      expect(matchesGlob(pattern, text)).toBe(asRegExp(pattern).test(text))
    }),
    { numRuns: 1_000 },
  )
})

test('matchesGlob() takes each alternative, also within another, and 64 at most', () => {
  const glob = 'src/{a,b{1,2},}x.{ts,tsx}'
  const matching = ['src/ax.ts', 'src/b1x.tsx', 'src/b2x.ts', 'src/x.ts']
  expect(matching.filter((path) => !matchesGlob(glob, path))).toEqual([])
  expect(['src/bx.ts', 'src/{a}x.ts', 'src/ax.js'].filter((path) => matchesGlob(glob, path))).toEqual([])
  const many = `{${Array.from({ length: 70 }, (_, at) => `n${at}`).join(',')}}`
  expect(Array.from({ length: 70 }, (_, at) => matchesGlob(many, `n${at}`)).filter(Boolean)).toHaveLength(64)
})

test.each([
  ['/usr/bin:/bin', '/usr/bin:/bin'],
  ['.:/bin', '/bin'],
  ['bin::/usr/bin:./x:~/bin', '/usr/bin'],
  ['', ''],
])('absoluteFolders(%j) is %j', (path, is) => expect(absoluteFolders(path)).toBe(is))
