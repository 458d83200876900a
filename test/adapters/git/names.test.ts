/** Names and links of a session's work that git, or some system, would take for something else. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isGitName, staysInside } from '../../../src/adapters/git/work/changes.ts'
import { refusedContent, refusedName } from '../../../src/adapters/git/work/reserved.ts'

describe('isGitName', () => {
  test.each([
    '.git',
    '.GIT',
    '.Git',
    '.git.',
    '.git ',
    '.git . .',
    '.git:x',
    '.git::$INDEX_ALLOCATION',
    'git~1',
    'GIT~12',
    '.g\u200cit',
    '\ufeff.git',
    '.git\u206a',
    'x\\.git',
    '.git\\hooks',
  ])('%j is', (name) => {
    expect(isGitName(name)).toBe(true)
  })

  test.each(['.gitignore', 'git', '.git2', 'a.git', '.git-x', 'git~', 'git~x', '. git', '.gi t', ''])(
    '%j is not',
    (name) => {
      expect(isGitName(name)).toBe(false)
    },
  )
})

describe('staysInside', () => {
  test.each([
    ['a', 'b', '', true],
    ['a', './b', '', true],
    ['a', '', '', false],
    ['a', '/etc/passwd', '', false],
    ['a', '..', '', false],
    ['d/a', '..', '', true],
    ['d/a', '../..', '', false],
    ['d/a', '../b', '', true],
    ['d/e/a', '../../b', '', true],
    ['d/e/a', '../../../b', '', false],
    ['d/e/a', 'x/../../b', '', false],
    ['d/e/a', '../x/../b', '', false],
    ['d/a', '../.git/config', '', false],
    ['a', '.GIT', '', false],
    ['ws/a', '../b', 'ws', false],
    ['ws/d/a', '../b', 'ws', true],
    ['ws/d/a', '../../b', 'ws', false],
    ['w/s/a', '../x', 'w/s', false],
    ['a', 'b//./c/', '', true],
  ])('a link at %s to %j, of the folder %j: %s', (path, target, folder, wanted) => {
    expect(staysInside(path, target, folder)).toBe(wanted)
  })

  test('never lets a link out, however it is written', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b')
    const targets = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('/'))
    const depths = fc.integer({ min: 0, max: 3 })
    fc.assert(
      fc.property(targets, depths, (target, depth) => {
        const path = [...Array.from({ length: depth }, (_, at) => `d${at}`), 'link'].join('/')
        if (!staysInside(path, target, '')) return
        let level = depth
        for (const one of target.split('/')) {
          level += one === '..' ? -1 : one === '' || one === '.' ? 0 : 1
          expect(level).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })
})

test.each([
  ['.gitmodules', 'file', null],
  ['.gitmodules', 'link', 'git takes no link of this name'],
  ['d/.GITATTRIBUTES', 'link', 'git takes no link of this name'],
  ['.gitignore ', 'link', 'git takes no link of this name'],
  ['gi7eba~1', 'link', 'git takes no link of this name'],
  ['.mailmap:x', 'link', 'git takes no link of this name'],
  ['.gitmodules/x', 'file', 'git wants a file of this name'],
  ['a/.gitattributes/b', 'file', 'git wants a file of this name'],
  ['.gitignore/x', 'file', null],
  ['gitmodules', 'link', null],
  ['.gitmodulesx', 'link', null],
  ['gitmod~5', 'link', null],
] as const)('refusedName() of %j as a %s is %j', (path, kind, wanted) => {
  expect(refusedName(path, kind)).toBe(wanted)
})

const MODULE = '[submodule "x"]\n'
const VALUE = '.gitmodules has a value that git does not allow'

test.each([
  [`${MODULE}\turl = https://h/x\n`, null],
  [`${MODULE}\turl = ../x\n`, null],
  [`${MODULE}\turl = "-x"\n`, VALUE],
  [`${MODULE}\tURL=--upload-pack=x\n`, VALUE],
  [`${MODULE}\tpath = -x\n`, VALUE],
  [`${MODULE}\turl = https://h/%0ahost=x\n`, VALUE],
  [`${MODULE}\turl = a::b\n`, VALUE],
  [`${MODULE}\tupdate = !sh\n`, VALUE],
  [`${MODULE}\tupdate = merge\n`, null],
  [`[SubModule "../x"]\n`, VALUE],
  [`[submodule "a\\..\\b"]\n`, VALUE],
  [`[submodule "a..b"]\n`, null],
  [`${MODULE}# url = -x\n`, null],
])('refusedContent() of .gitmodules %j is %j', (text, wanted) => {
  expect(refusedContent('.gitmodules', Buffer.from(text))).toBe(wanted)
})

test('refusedContent() looks at the lines of attributes, and at no other file', () => {
  const long = Buffer.from('a'.repeat(2048))
  expect(refusedContent('d/.gitattributes', long)).toContain('too long for git')
  expect(refusedContent('d/.gitattributes', long.subarray(1))).toBeNull()
  expect(refusedContent('d/gitattributes', long)).toBeNull()
})
