/** Search by ripgrep over real files: limits, patterns that hang others, links, and no ripgrep at all. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openSandbox } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { openSearch } from '../../../src/adapters/search/ripgrep.ts'
import type { SearchRequest } from '../../../src/ports/search-port.ts'
import { MOMENT_MS } from '../../wait.ts'

function folder(files: Readonly<Record<string, string>>): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'neo-search-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return join(dir, 'root')
}

const wanted = (root: string, more: Partial<SearchRequest>): SearchRequest => ({
  ...{
    root,
    pattern: 'x',
    fixed: false,
    ignoreCase: false,
    globs: [],
    context: 0,
    path: '',
    maxLines: 100,
    ms: 5000,
  },
  signal: new AbortController().signal,
  ...more,
})

const signal = new AbortController().signal
const search = openSearch()

test('grep gives lines relative to the root, sorted, also of odd names', async () => {
  const root = folder({
    'root/b.txt': 'x\n',
    'root/a:1:b.txt': 'x:y\n',
    'root/ä ö.txt': 'ax\n',
    'above.txt': 'x\n',
  })
  expect(await search.grep(wanted(root, {}))).toEqual({
    lines: ['a:1:b.txt:1:x:y', 'b.txt:1:x', 'ä ö.txt:1:ax'],
    cut: false,
  })
})

test('no rg is taken from a relative folder of PATH', async () => {
  const root = folder({
    'root/a.txt': 'x\n',
    'model/rg': '#!/bin/sh\ntouch "$0.ran"\necho ripgrep 99\n',
    'own/x': '',
  })
  const [model, own] = [join(root, '..', 'model'), join(root, '..', 'own')]
  chmodSync(join(model, 'rg'), 0o755)
  symlinkSync(rgPath, join(own, 'rg'))
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PATH', [relative('/', model), relative(process.cwd(), model), own].join(':'))
  expect(await openSearch({ programs: ['rg'] }).grep(wanted(root, {}))).toEqual({
    lines: ['a.txt:1:x'],
    cut: false,
  })
  expect(existsSync(join(model, 'rg.ran'))).toBe(false)
})

test('grep follows no link, and takes no rule from above the root', async () => {
  const root = folder({ 'out/secret.txt': 'x\n', '.gitignore': '*.txt\n', 'root/a.txt': 'x\n' })
  symlinkSync('../out', join(root, 'link'))
  symlinkSync('../out/secret.txt', join(root, 'leaf.txt'))
  expect(await search.grep(wanted(root, {}))).toEqual({ lines: ['a.txt:1:x'], cut: false })
})

test('grep stops at the most lines', async () => {
  const root = folder({ 'root/a.txt': 'x\n'.repeat(1000) })
  const found = await search.grep(wanted(root, { maxLines: 10 }))
  expect(found).toMatchObject({ cut: true })
  expect('lines' in found && found.lines).toHaveLength(10)
})

test.each(['(a+)+$', '(a|a)*b', '(a|aa)+$', '(.*)*x', '^(a?){50}a{50}$'])(
  'grep of %s over a line of 100 KB ends',
  async (pattern) => {
    const root = folder({ 'root/a.txt': `${'a'.repeat(100_000)}!\n` })
    expect(await search.grep(wanted(root, { pattern, ms: MOMENT_MS }))).toMatchObject({ cut: false })
  },
)

test.each(['(', '[', 'a{2', '(?<=a)b', '\\1', 'a\nb'])('grep says what is wrong with %j', async (pattern) => {
  const root = folder({ 'root/a.txt': 'x\n' })
  expect(await search.grep(wanted(root, { pattern }))).toEqual({ wrong: expect.stringMatching(/\S/) })
})

test('grep ends when it is stopped', async () => {
  const root = folder({ 'root/a.txt': 'x\n' })
  const stop = new AbortController()
  stop.abort()
  expect(await search.grep(wanted(root, { signal: stop.signal }))).toEqual({ lines: [], cut: true })
})

test('grep ends at its time limit when the program goes on', async () => {
  const root = folder({
    'root/a.txt': 'x\n',
    rg: '#!/bin/sh\ncase $1 in --version) echo ripgrep 14;; *) exec sleep 600;; esac\n',
  })
  chmodSync(join(dirname(root), 'rg'), 0o755)
  const endless = openSearch({ programs: [join(dirname(root), 'rg')] })
  expect(await endless.grep(wanted(root, { ms: 50 }))).toEqual({ lines: [], cut: true })
})

test('grep cuts long lines', async () => {
  const root = folder({ 'root/a.txt': `x${'y'.repeat(1_000_000)}\n` })
  const found = await search.grep(wanted(root, {}))
  expect('lines' in found && (found.lines[0]?.length ?? 0)).toBeLessThan(1000)
})

test('files keeps ignore rules and globs, and never gives .git', async () => {
  const root = folder({
    ...{ 'root/.gitignore': 'dist/\n', 'root/dist/a.ts': '', 'root/src/a.ts': '', 'root/src/b.md': '' },
    ...{ 'root/.git/config': '', 'root/sub/.GIT/config': '', 'root/.neo/x': '' },
  })
  const files = (globs: readonly string[], path = '') => search.files(root, { globs, path, max: 100, signal })
  expect(await files([])).toEqual({ paths: ['.gitignore', 'src/a.ts', 'src/b.md'], cut: false })
  expect(await files(['*.ts', '.git/**', '**/.GIT/**'])).toEqual({ paths: ['src/a.ts'], cut: false })
  expect(await files([], 'src')).toEqual({ paths: ['src/a.ts', 'src/b.md'], cut: false })
})

test('without ripgrep it says what to install', async () => {
  const none = openSearch({ programs: ['no-such-rg'] })
  const root = folder({ 'root/a.txt': 'x\n' })
  expect(await none.grep(wanted(root, {}))).toEqual({
    wrong: expect.stringContaining('apt-get install ripgrep'),
  })
  expect(await none.files(root, { globs: [], path: '', max: 1, signal })).toHaveProperty('wrong')
})

const confines = 'kind' in (await openSandbox().available())

test.skipIf(!confines)('in a sandbox it finds the same, and a link given as path leads nowhere', async () => {
  const root = folder({ 'root/a.txt': 'x\n', 'out/secret.txt': 'x\n' })
  symlinkSync('../out', join(root, 'link'))
  const confined = openSearch({ sandbox: openSandbox() })
  expect(await confined.grep(wanted(root, {}))).toEqual({ lines: ['a.txt:1:x'], cut: false })
  expect(await confined.grep(wanted(root, { path: 'link' }))).toHaveProperty('wrong')
})
