/** What of a repository's own configuration counts: no key that can start a program, and values as git reads them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  driversIn,
  type Entry,
  filtersIn,
  isAllowed,
  renderConfig,
  signSettings,
} from '../../../src/adapters/git/process/own-config.ts'
import { entriesOfText } from '../../../src/adapters/git/process/shadow.ts'

const local = (key: string, value = 'x'): Entry => ({ scope: 'local', key, value })
const users = (key: string, value = 'x'): Entry => ({ scope: 'global', key, value })

describe('isAllowed', () => {
  test.each([
    'core.fsmonitor',
    'core.hookspath',
    'core.sshcommand',
    'core.gitproxy',
    'core.editor',
    'core.pager',
    'core.askpass',
    'core.worktree',
    'core.alternaterefscommand',
    'include.path',
    'includeif.gitdir:/x.path',
    'filter.lfs.clean',
    'filter.lfs.process',
    'diff.external',
    'diff.pdf.textconv',
    'diff.pdf.command',
    'merge.ours.driver',
    'merge.tool',
    'alias.st',
    'remote.origin.uploadpack',
    'remote.origin.receivepack',
    'remote.origin.vcs',
    'url.ext::sh -c x.helper',
    'credential.https://h.helper.x',
    'gpg.program',
    'gpg.ssh.program',
    'gpg.ssh.defaultkeycommand',
    'commit.template',
    'sendemail.tocmd',
    'uploadpack.packobjectshook',
    'submodule.x.update',
    'trailer.x.command',
    'interactive.difffilter',
    'pager.log',
    'http.https://h.cookiefile',
    'protocol.ext.allow',
    'safe.directory',
    '',
    'core',
    'core.x.autocrlf',
  ])('%s is not', (key) => {
    expect(isAllowed({ key, value: 'true' })).toBe(false)
  })

  test.each([
    'core.autocrlf',
    'user.name',
    'remote.origin.url',
    'remote.a.b.url',
    'branch.neo/x.merge',
    'url.https://h/.insteadof',
    'http.sslverify',
    'http.https://h.example.sslverify',
    'lfs.https://h.access',
    'credential.https://h.username',
  ])('%s is', (key) => {
    expect(isAllowed({ key, value: 'true' })).toBe(true)
  })

  test.each([
    ['', true],
    ['store', true],
    ['osxkeychain', true],
    ['!sh -c x', false],
    ['/bin/x', false],
    ['./x', false],
    ['store --file=/x', false],
    ['Store', false],
    ['-x', false],
  ])('a credential helper %j: %s', (value, wanted) => {
    expect(isAllowed({ key: 'credential.helper', value })).toBe(wanted)
  })
})

test('filtersIn() takes the last value of each command, and no other key', () => {
  const found = filtersIn([
    users('filter.a.clean', 'one'),
    local('filter.a.clean', 'two'),
    local('filter.a.required', 'true'),
    local('filter.a.evil', 'x'),
    local('filter.clean', 'x'),
    local('filter.b.c.smudge', 'dotted'),
  ])
  expect([...found].map(([name, { settings }]) => [name, Object.fromEntries(settings)])).toEqual([
    ['a', { clean: 'two', required: 'true' }],
    ['b.c', { smudge: 'dotted' }],
  ])
})

test('driversIn() names each merge driver once', () => {
  const entries = ['merge.a.driver', 'merge.a.driver', 'merge.a.name', 'merge.driver'].map((key) =>
    local(key),
  )
  expect(driversIn(entries)).toEqual(['a'])
})

describe('signSettings', () => {
  const SIGNED = local('commit.gpgsign', 'true')
  test.each<readonly [string, readonly Entry[], object]>([
    ['nothing', [], { asked: false, format: 'openpgp', program: 'gpg', key: null, ident: null }],
    ['yes in capitals', [local('commit.gpgsign', 'YES')], { asked: true }],
    ['a number', [local('commit.gpgsign', '1')], { asked: true }],
    ['off at last', [SIGNED, local('commit.gpgsign', 'false')], { asked: false }],
    ['zero', [local('commit.gpgsign', '0')], { asked: false }],
    ["a program of the repository's own", [local('gpg.program', '/tmp/x')], { program: 'gpg' }],
    ["a program of the worktree's own", [{ ...local('gpg.program'), scope: 'worktree' }], { program: 'gpg' }],
    ["the user's program", [users('gpg.program', '/opt/gpg')], { program: '/opt/gpg' }],
    ['its newer name', [users('gpg.program', 'a'), users('gpg.openpgp.program', 'b')], { program: 'b' }],
    [
      'ssh',
      [local('gpg.format', 'SSH'), users('gpg.program', 'a')],
      { format: 'ssh', program: 'ssh-keygen' },
    ],
    ['another format', [local('gpg.format', 'pgp9')], { format: 'pgp9', program: 'gpg' }],
    ['a person', [users('user.name', 'A B'), users('user.email', 'a@h')], { ident: 'A B <a@h>' }],
    ['half a person', [users('user.name', 'A B')], { ident: null }],
    ['an empty key', [users('user.signingkey', '')], { key: null }],
  ])('of %s', (_, entries, wanted) => {
    expect(signSettings(entries)).toMatchObject(wanted)
  })
})

const OF = { filters: [], empty: '/empty' }

test('renderConfig() gives git back each allowed value of the repository, whatever is in it', () => {
  const odd = fc.string({ unit: fc.constantFrom(...'a"\\\n\t #;=[]\'$`ä🙂\b') })
  const values = fc.sample(odd, { numRuns: 300, seed: 7 })
  const entries = values.map((value, at) => local(`remote.r${at} "x\\].url`, value))
  const read = entriesOfText(renderConfig(entries, OF))
  expect(read.filter(({ key }) => key.startsWith('remote.')).map(({ value }) => value)).toEqual(values)
})

test("renderConfig() leaves out the user's own entries, and what is not allowed", () => {
  const text = renderConfig(
    [users('user.name', 'A'), local('user.email', 'a@h'), local('core.pager', 'sh')],
    OF,
  )
  expect(entriesOfText(text)).toEqual([
    { key: 'core.bare', value: 'false' },
    { key: 'user.email', value: 'a@h' },
  ])
})

test("renderConfig() makes a conflict of the repository's own merge drivers, and runs filters in an empty folder", () => {
  const filters = filtersIn([
    users('filter.a.clean', 'a-clean %f'),
    users('filter.b.process', 'b-process'),
    users('filter.b.clean', 'b-clean'),
  ]).values()
  const text = renderConfig([local('merge.x.driver', 'sh')], { filters, empty: `/it's 100%` })
  const folder = `cd '/it'\\''s 100%%' && `
  expect(Object.fromEntries(entriesOfText(text).map(({ key, value }) => [key, value]))).toEqual({
    'core.bare': 'false',
    'merge.x.driver': 'false',
    'filter.a.clean': `${folder}a-clean %f`,
    'filter.a.smudge': 'cat',
    'filter.a.required': 'true',
    'filter.b.clean': `${folder}b-clean`,
    'filter.b.smudge': 'cat',
    'filter.b.process': `cd '/it'\\''s 100%' && b-process`,
    'filter.b.required': 'true',
  })
})

test.each(['[core\n', '[core]\n\t= x\n', '2x = y\n', '[core]\n\tname = "open\n'])(
  'entriesOfText() of %j, which git does not take, are none',
  (text) => {
    expect(entriesOfText(`[user]\n\tname = A\n${text}`)).toEqual([])
  },
)

test('entriesOfText() follows no include, and knows a key without a value', () => {
  expect(entriesOfText('[include]\n\tpath = /etc/passwd\n[core]\n\tFileMode\n')).toEqual([
    { key: 'include.path', value: '/etc/passwd' },
    { key: 'core.filemode', value: 'true' },
  ])
})
