/** What of a manifest runs by itself: at an install, at a commit. The rest is everyday work. */
import { expect, test } from 'vitest'
import { changedStarts } from '../../../src/domain/home/held-paths.ts'

const OLD = { name: 'a', scripts: { test: 'x', prepare: 'husky' }, dependencies: { a: '1' } }
const npm = (now: object | string, path = 'package.json') =>
  changedStarts(path, JSON.stringify(OLD), typeof now === 'string' ? now : JSON.stringify(now))

test.each<[string, object | string, readonly string[]]>([
  [
    'a script of an install',
    { ...OLD, scripts: { ...OLD.scripts, postinstall: 'x' } },
    ['scripts.postinstall'],
  ],
  ['a script that is changed', { ...OLD, scripts: { test: 'x', prepare: 'y' } }, ['scripts.prepare']],
  ['a script that is taken out', { ...OLD, scripts: { test: 'x' } }, ['scripts.prepare']],
  ['hooks of git', { ...OLD, 'simple-git-hooks': { 'pre-commit': 'x' } }, ['simple-git-hooks']],
  ['what runs over staged files', { ...OLD, 'lint-staged': { '*': 'x' } }, ['lint-staged']],
  ['another package manager', { ...OLD, packageManager: 'yarn@https://localhost/x' }, ['packageManager']],
  ['what only other programs can read', `${JSON.stringify(OLD)} // x`, ['it is not valid JSON']],
  [
    'everyday work',
    { ...OLD, scripts: { ...OLD.scripts, test: 'y', build: 'z' }, dependencies: { b: '2' } },
    [],
  ],
  ['another order', { scripts: { prepare: 'husky', test: 'x' }, name: 'b' }, []],
])('changedStarts() of package.json: %s', (_, now, found) => {
  expect(npm(now)).toEqual(found)
})

test('changedStarts() looks at new files, in folders and other cases, and at composer.json', () => {
  const text = '{"scripts":{"postinstall":"x","post-install-cmd":"y"}}'
  expect(changedStarts('pkg/Package.JSON', '', text)).toEqual(['scripts.postinstall'])
  expect(changedStarts('composer.json', '', text)).toEqual(['scripts.post-install-cmd'])
  expect(changedStarts('src/package.ts', '', text)).toEqual([])
})
