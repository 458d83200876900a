/** Filters that a person allows: by their commands, and never one whose program a session could change. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { conversionOf, filterOf } from '../../../src/adapters/git/filters/filtered.ts'
import {
  allowedFilters,
  allowFilter,
  denyFilter,
  filterHash,
  programInside,
} from '../../../src/adapters/git/filters/filters.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'neo-filters-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const filter = (name: string, settings: Record<string, string>) => ({
  name,
  settings: new Map(Object.entries(settings)),
})

test('filterHash() differs with the name and each command, and not with their order', () => {
  const one = filterHash(filter('a', { clean: 'x', smudge: 'y' }))
  expect(filterHash(filter('a', { smudge: 'y', clean: 'x' }))).toBe(one)
  const others = [
    filter('b', { clean: 'x', smudge: 'y' }),
    filter('a', { clean: 'x ', smudge: 'y' }),
    filter('a', { clean: 'y', smudge: 'x' }),
    filter('a', { clean: 'x', smudge: 'y', required: 'true' }),
    filter('a', { clean: 'x\nsmudge=y' }),
  ]
  expect(new Set([one, ...others.map(filterHash)]).size).toBe(6)
})

test('allowFilter() and denyFilter() keep what is allowed for others', () => {
  const file = join(root, 'neo', 'filters.json')
  const [a, b] = [filter('a', { clean: 'x' }), filter('b', { clean: 'x' })]
  expect(denyFilter(file, 'a', null)).toBe(false)
  for (const one of [a, b, a]) allowFilter(file, one)
  expect([...allowedFilters(file)]).toEqual([filterHash(b), filterHash(a)])
  expect(denyFilter(file, 'a', null)).toBe(true)
  expect([...allowedFilters(file)]).toEqual([filterHash(b)])
  expect(denyFilter(file, 'renamed', filterHash(b))).toBe(true)
  expect([...allowedFilters(file)]).toEqual([])
})

test.each(['[{"name":"a"}]', '[null,7,{"hash":"h"}]', '{"0":"h"}', '"h"', '["h"'])(
  'allowedFilters() of a file with %s are none',
  (text) => {
    const file = join(root, 'odd.json')
    writeFileSync(file, text)
    expect([...allowedFilters(file)]).toEqual([])
  },
)

test('allowedFilters() reads the hashes of version 0.1, and they can be taken back', () => {
  const file = join(root, 'old.json')
  writeFileSync(file, '["h1","h2"]')
  expect([...allowedFilters(file)]).toEqual(['h1', 'h2'])
  expect(denyFilter(file, 'any', 'h1')).toBe(true)
  expect([...allowedFilters(file)]).toEqual(['h2'])
})

describe('programInside', () => {
  const top = join(root, 'repo')
  const commonDir = join(top, '.git')
  mkdirSync(join(top, 'tools'), { recursive: true })
  symlinkSync(join(top, 'tools'), join(root, 'link'))
  const inside = (command: string, key = 'clean') =>
    programInside(filter('f', { [key]: command }), { top, commonDir }) !== null

  test.each([
    `${top}/tools/x`,
    `python3 ${top}/x.py`,
    `"${top}/x y" %f`,
    `PATH=${top}:$PATH x`,
    `sh -c 'exec ${top}/x'`,
    `node -e "require('${top}/x')"`,
    `${join(root, 'link')}/x`,
    `${top}/../repo/x`,
    `/usr/bin/../..${top}/x`,
    `x --config=${top}`,
    `${top}`,
  ])('finds the program of %s', (command) => {
    expect([inside(command), inside(command, 'process')]).toEqual([true, true])
  })

  test.each([
    'git-lfs clean -- %f',
    '/usr/bin/git-crypt clean',
    `${commonDir}/git-crypt/keys/default`,
    `${root}/repository/x`,
    './x',
    'x/y',
    '/',
    '',
  ])('finds none in %s', (command) => {
    expect(inside(command)).toBe(false)
  })

  test('looks at no value of required', () => {
    expect(inside(`${top}/x`, 'required')).toBe(false)
  })

  test('knows the home folder by its short names', () => {
    const home = process.env['HOME'] as string
    const of = { top: join(home, 'repo-of-nobody'), commonDir: join(home, 'repo-of-nobody', '.git') }
    for (const name of ['~', '$HOME', ['$', '{HOME}'].join('')])
      expect(programInside(filter('f', { clean: `${name}/repo-of-nobody/x` }), of)).not.toBeNull()
  })

  test("counts the main work tree of a linked one's repository as well", () => {
    const linked = { top: join(root, 'linked'), commonDir }
    expect(programInside(filter('f', { clean: `${top}/x` }), linked)).toBe(`${top}/x`)
  })
})

test.each<readonly [Record<string, string>, boolean, string | null, unknown]>([
  [{}, false, null, 'none'],
  [{}, true, null, 'git'],
  [{ text: 'auto' }, false, null, 'git'],
  [{ filter: 'set' }, false, null, 'git'],
  [{ filter: 'known' }, false, 'known', 'git'],
  [{ filter: 'other' }, false, 'other', { filter: 'other' }],
  [{ filter: 'other', text: 'set' }, true, 'other', { filter: 'other' }],
])('attributes %j with conversion %s: filter %j, %j', (values, converts, name, wanted) => {
  const attributes = new Map(Object.entries(values))
  expect(filterOf(attributes)).toBe(name)
  expect(conversionOf(attributes, { converts, filters: new Map([['known', 1]]) })).toEqual(wanted)
})
