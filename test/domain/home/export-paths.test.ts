/** What may stand in an export of a home: no path that leads out, clashes, or is git's own. */
import { join, sep } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linkTrouble, openExportPaths, pathTrouble } from '../../../src/domain/home/export-paths.ts'

test.each([
  ...['', '/etc/passwd', '../x', 'a/../../x', 'a//b', './a', 'a/.', 'C:/x', 'c:x', 'a\\b', 'a\nb', 'a\0b'],
  ...[
    '.git/config',
    'a/.GIT/hooks/x',
    '.git ./x',
    'git~1/x',
    '.g\u200cit/config',
    '.git::$INDEX_ALLOCATION/x',
  ],
  ...['.env', '.ENV', '.env ', '.neo/daemon.json', '.Neo/x', '.n\u200ceo/x'],
  ...['x'.repeat(300), `${'a/'.repeat(80)}b`],
])('%j is no path of an export', (path) => {
  expect(pathTrouble(path)).not.toBeNull()
})

test.each([
  'neo.yaml',
  'rooms/shop/tasks/ü 1.md',
  '.gitignore',
  '.github/x',
  '.env.example',
  'a/..b/c',
  '写真.md',
])('%j is one', (path) => {
  expect(pathTrouble(path)).toBeNull()
})

test.each([
  [['a', 'A'], 'clashes'],
  [['é', 'e\u0301'], 'clashes'],
  [['a', 'a'], 'duplicated'],
  [['a', 'a/b'], 'duplicated'],
  [['a/b', 'a'], 'duplicated'],
  [['a/b', 'A/c'], 'clashes'],
])('of %j the second is refused', (paths, why) => {
  const keeper = openExportPaths()
  expect(keeper.take(paths[0] ?? '')).toBeNull()
  expect(keeper.take(paths[1] ?? '')).toContain(why)
})

test.each(['/etc', '../../x', 'a/../../../x', '../.git/config', '../.env', '../.neo/x', ''])(
  'a link to %j is refused',
  (target) => {
    expect(linkTrouble('rooms/link', target)).not.toBeNull()
  },
)

test('links that stay in the home are taken', () => {
  expect([linkTrouble('rooms/link', '../neo.yaml'), linkTrouble('a', 'b/c')]).toEqual([null, null])
})

test('whatever is accepted lies below its folder', () => {
  const parts = fc.constantFrom(
    '..',
    '.',
    '',
    'a',
    '/',
    '\\',
    'C:',
    '.git',
    'ü',
    ' ',
    '~',
    '\u202e',
    'a'.repeat(90),
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (list) => {
      const path = list.join('/')
      if (pathTrouble(path) !== null) return
      expect(join('/root', path).startsWith(`/root${sep}`)).toBe(true)
    }),
    { numRuns: 500 },
  )
})
