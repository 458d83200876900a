/**
 * What an agent may try to get out of its worktree by paths, and what it may do in it. Around the worktree `ws` lie a
 * folder `out`, a neighbour `ws-evil`, and files with a marker; nothing may show the marker or change anything there.
 */
import { spawn } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ToolContext } from '../../../src/work/tools/tool.ts'
import { call, context, put, text, worktree } from './context.ts'

const MARKER = 'marker-of-another-file'

/** A worktree of a home among others, with links of every kind in it. */
function grounds(): string {
  const root = worktree({
    'src/main.ts': 'inside\n',
    'src/deep/er/x.txt': 'inside\n',
    'docs/a.md': 'inside\n',
    'neo.yaml': 'daemon: {}\n',
    'rooms/shop/ROOM.md': 'inside\n',
    'templates/tasks/t.md': 'inside\n',
    '.git': 'gitdir: elsewhere\n',
    'sub/.git/config': `${MARKER}\n`,
    '.neo/daemon.json': `${MARKER}\n`,
    'tests/.gitignore': 'inside\n',
  })
  const around = dirname(root)
  for (const path of ['out/secret.txt', 'out/folder/secret.txt', 'ws-evil/secret.txt', 'secret.txt']) {
    put(join(around, path), `${MARKER}\n`)
  }
  const link = (name: string, to: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    symlinkSync(to, join(root, name))
  }
  link('leaf', '../out/secret.txt')
  link('leaf-absolute', join(around, 'out/secret.txt'))
  link('dangling', '../out/new.txt')
  link('dangling-absolute', join(around, 'out/new.txt'))
  link('dangling-deep', '../out/none/new.txt')
  link('up', '..')
  link('up-absolute', around)
  link('out', '../out')
  link('evil', '../ws-evil')
  link('evil-absolute', `${root}-evil`)
  link('slash', '/')
  link('etc', '/etc')
  link('proc-root', '/proc/self/root')
  link('proc-cwd', '/proc/self/cwd')
  link('chain', 'chain-2')
  link('chain-2', 'chain-3')
  link('chain-3', '../out')
  link('src/deep/back', '../../../out')
  link('src/deep/back-file', '../../../out/secret.txt')
  link('loop', 'loop-2')
  link('loop-2', 'loop')
  link('self', 'self')
  link('out-and-in', '../ws/src')
  link('dot-git', '.git')
  link('git-of-sub', 'sub/.git')
  link('to-neo', '.neo')
  link('rules', 'neo.yaml')
  link('all-rooms', 'rooms')
  link('to-src', 'src')
  link('to-main', 'src/main.ts')
  link('absolute-src', join(root, 'src'))
  link('dangling-inside', 'src/new.ts')
  link('src/up-inside', '..')
  return root
}

/** Both ways: a path to read or to write. */
const OUT = [
  '../out/secret.txt',
  '../secret.txt',
  '../ws-evil/secret.txt',
  './../out/secret.txt',
  'src/../../out/secret.txt',
  'src/deep/../../../out/secret.txt',
  'src//..//..//out/secret.txt',
  '../ws/../out/secret.txt',
  '../ws/src/main.ts',
  '..',
  '../',
  '../../../../../../../../etc/passwd',
  'src/../../../../../../../../../etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  '/',
  '/proc/self/environ',
  '/proc/self/cwd/src/main.ts',
  '/proc/1/root/etc/passwd',
  '/dev/null',
  '/dev/stdin',
  '@AROUND/out/secret.txt',
  '@AROUND/secret.txt',
  '@ROOT-evil/secret.txt',
  '@ROOT/../out/secret.txt',
  '@ROOT/../ws-evil/secret.txt',
  '@ROOT/src/../../out/secret.txt',
  '@AROUND/./out/../out/secret.txt',
  '~/secret.txt',
  '~',
  'leaf',
  'leaf-absolute',
  'out/secret.txt',
  'out/folder/secret.txt',
  'out/new.txt',
  'out/newdir/new.txt',
  'out/../secret.txt',
  'up/out/secret.txt',
  'up/secret.txt',
  'up/ws-evil/secret.txt',
  'up-absolute/out/secret.txt',
  'up/ws/src/main.ts',
  'evil/secret.txt',
  'evil-absolute/secret.txt',
  'slash/etc/passwd',
  'etc/passwd',
  'proc-root/etc/passwd',
  'proc-cwd/package.json',
  'chain/secret.txt',
  'chain-2/secret.txt',
  'src/deep/back/secret.txt',
  'src/deep/back-file',
  'src/deep/../deep/back/secret.txt',
  'to-src/deep/back/secret.txt',
  'absolute-src/deep/back/secret.txt',
  'src/up-inside/../out/secret.txt',
  'src/up-inside/out/secret.txt',
  'out-and-in/main.ts',
  'loop',
  'loop/x',
  'self',
  'self/x',
  'src/main.ts/../../../out/secret.txt',
  'none/../../out/secret.txt',
  'none/../src/main.ts',
  'src/main.ts\0.png',
  '../out/secret.txt\0',
  '\0',
  `${'a/'.repeat(3000)}x`,
  `${'../'.repeat(200)}etc/passwd`,
  '.git',
  '.git/config',
  '.git/hooks/pre-commit',
  '.GIT/config',
  '.Git/config',
  '.gIt',
  './.git/config',
  'src/../.git/config',
  'sub/.git/config',
  'sub/.GIT/config',
  'sub/.git',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  'git~1/config',
  'GIT~1/config',
  '.g\u200cit/config',
  '.\u200dgit/config',
  '.git\ufeff/config',
  '.git\\config',
  'sub\\.git\\config',
  'dot-git',
  'git-of-sub/config',
  'git-of-sub',
  '@ROOT/.git',
  '@ROOT/.git/config',
  '.neo/daemon.json',
  '.NEO/daemon.json',
  'to-neo/daemon.json',
  'src/.neo/x',
]

/** Write alone: what a home is ruled by, and names of links that lead to nothing yet. */
const RULES = [
  'neo.yaml',
  'Neo.YAML',
  './neo.yaml',
  'src/../neo.yaml',
  'src/up-inside/neo.yaml',
  '@ROOT/neo.yaml',
  'neo.yaml.',
  'rules',
  'rooms/shop/ROOM.md',
  'rooms/other/ROOM.md',
  'rooms/shop/tasks/new.md',
  'ROOMS/shop/ROOM.md',
  'all-rooms/shop/ROOM.md',
  'templates/tasks/t.md',
  'Templates/tasks/new.md',
  'rooms',
  'dangling',
  'dangling-absolute',
  'dangling-deep',
  'up',
  'out',
  'src',
  'src/',
  'src/new/',
  '.',
  '',
  'src/main.ts/x',
]

function placed(path: string, root: string): string {
  return path.replace('@ROOT', root).replace('@AROUND', dirname(root))
}

/** Everything in and around the worktree: kinds, and contents of files. Links are not followed. */
function picture(root: string): readonly string[] {
  return listed(dirname(root)).map((path) => {
    const stat = lstatSync(path)
    return `${path} ${stat.mode} ${stat.isFile() ? readFileSync(path, 'utf8') : ''}`
  })
}

function listed(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    return entry.isDirectory() ? [path, ...listed(path)] : [path]
  })
}

test.each(OUT)('read_file refuses %j, and shows nothing of it', async (path) => {
  const root = grounds()
  const result = await call('read_file', { path: placed(path, root) }, context(root))
  expect(result.isError).toBe('yes')
  expect(result.text).not.toContain(MARKER)
})

test.each([...OUT, ...RULES])('write_file refuses %j, and nothing changes anywhere', async (path) => {
  const root = grounds()
  const before = picture(root)
  const result = await call('write_file', { path: placed(path, root), content: 'owned' }, context(root))
  expect(result.isError).toBe('yes')
  expect(picture(root)).toEqual(before)
})

test.each([...OUT, ...RULES])(
  'update_file refuses %j, and says nothing of what stands there',
  async (path) => {
    const root = grounds()
    const before = picture(root)
    const wanted = { path: placed(path, root), search: 'marker', replace: 'owned' }
    const result = await call('update_file', wanted, context(root))
    expect(result.isError).toBe('yes')
    expect(result.text).not.toContain(MARKER)
    expect(picture(root)).toEqual(before)
  },
)

test.each(OUT)('grep in %j shows nothing of what lies outside', async (path) => {
  const root = grounds()
  const result = await call('grep', { pattern: 'marker|root:', path: placed(path, root) }, context(root))
  expect(result.text).not.toContain(MARKER)
  expect(result.text).not.toContain('root:x')
})

test.each(['', 'src', '.'])(
  'grep and find in "%s" do not follow links and leave out .git and .neo',
  async (path) => {
    const root = grounds()
    const globs = ['**', '.git', '.git/**', '**/.git/**', '.neo/**', 'sub/.git/config', 'out/**']
    const grepped = await call('grep', { pattern: 'marker', path, glob: globs }, context(root))
    const found = await call('find', { path, glob: globs }, context(root))
    expect(grepped.text).toBe('No match')
    expect(found.text).not.toMatch(/secret|\.git\/|\.neo/)
  },
)

const LEGAL: readonly (readonly [path: string, real: string])[] = [
  ['new.txt', 'new.txt'],
  ['./new.txt', 'new.txt'],
  ['src/new.ts', 'src/new.ts'],
  ['src/main.ts', 'src/main.ts'],
  ['src//main.ts', 'src/main.ts'],
  ['src/./main.ts', 'src/main.ts'],
  ['src/deep/../main.ts', 'src/main.ts'],
  ['src/deep/er/../../main.ts', 'src/main.ts'],
  ['a/b/c/d/e.txt', 'a/b/c/d/e.txt'],
  ['@ROOT/src/main.ts', 'src/main.ts'],
  ['@ROOT/new.txt', 'new.txt'],
  ['@ROOT//src/./main.ts', 'src/main.ts'],
  ['@ROOT/src/../new.txt', 'new.txt'],
  ['to-src/main.ts', 'src/main.ts'],
  ['to-src/new.ts', 'src/new.ts'],
  ['to-src/new/x.ts', 'src/new/x.ts'],
  ['to-main', 'src/main.ts'],
  ['absolute-src/main.ts', 'src/main.ts'],
  ['dangling-inside', 'src/new.ts'],
  ['src/up-inside/docs/a.md', 'docs/a.md'],
  ['to-src/../docs/a.md', 'docs/a.md'],
  ['tests/.gitignore', 'tests/.gitignore'],
  ['.gitignore', '.gitignore'],
  ['.gitattributes', '.gitattributes'],
  ['.github/workflows/x.yml', '.github/workflows/x.yml'],
  ['.gitlab-ci.yml', '.gitlab-ci.yml'],
  ['git/config', 'git/config'],
  ['my.git/config', 'my.git/config'],
  ['.env.example', '.env.example'],
  ['.neovim/init.lua', '.neovim/init.lua'],
  ['docs/neo.yaml', 'docs/neo.yaml'],
  ['src/rooms/x.ts', 'src/rooms/x.ts'],
  ['src/templates/page.html', 'src/templates/page.html'],
  ['roomservice/x.ts', 'roomservice/x.ts'],
  ['neo.yaml.example', 'neo.yaml.example'],
  ['...', '...'],
  ['..a/b', '..a/b'],
  ['a..b', 'a..b'],
  ['with space/ö ü/日本.txt', 'with space/ö ü/日本.txt'],
  ["quote's.txt", "quote's.txt"],
  ['-rf', '-rf'],
  ['--help/x', '--help/x'],
  ['$(touch x)', '$(touch x)'],
  ['*.ts', '*.ts'],
  ['line\nend.txt', 'line\nend.txt'],
  [`${'n'.repeat(200)}.txt`, `${'n'.repeat(200)}.txt`],
]

test.each(LEGAL)('write_file and read_file take %j', async (path, real) => {
  const root = grounds()
  const wrote = await call('write_file', { path: placed(path, root), content: 'fresh\n' }, context(root))
  const read = await call('read_file', { path: placed(path, root) }, context(root))
  expect([wrote.isError, read.isError, read.text]).toEqual(['no', 'no', '     1\tfresh'])
  expect(text(root, real)).toBe('fresh\n')
})

test('write_file keeps a link that leads inside, and changes what it leads to', async () => {
  const root = grounds()
  await call('write_file', { path: 'to-main', content: 'fresh\n' }, context(root))
  expect(lstatSync(join(root, 'to-main')).isSymbolicLink()).toBe(true)
})

test.each(['rooms/x.ts', 'templates/page.html'])(
  'write_file takes %s where the worktree is of no home',
  async (path) => {
    const root = worktree({ 'src/main.ts': '' })
    expect((await call('write_file', { path, content: 'x' }, context(root))).isError).toBe('no')
  },
)

const GLOBS: readonly (readonly [readonly string[], string, 'no' | 'yes'])[] = [
  [['docs/**'], 'docs/a.md', 'no'],
  [['docs/**'], 'docs/deep/er/a.md', 'no'],
  [['docs'], 'docs/a.md', 'no'],
  [['docs/'], 'docs/a.md', 'no'],
  [['docs/*.md'], 'docs/a.md', 'no'],
  [['**/*.md'], 'src/deep/a.md', 'no'],
  [['**/*.md'], 'a.md', 'no'],
  [['{docs,src}/**'], 'src/x.ts', 'no'],
  [['src/?.ts', 'docs'], 'src/x.ts', 'no'],
  [['docs/**'], 'docs', 'yes'],
  [['docs/**'], 'docs-evil/a.md', 'yes'],
  [['docs'], 'docs-evil', 'yes'],
  [['docs/*.md'], 'docs/deep/a.md', 'yes'],
  [['*.md'], 'docs/a.md', 'yes'],
  [['docs/**'], 'docs/../src/x.ts', 'yes'],
  [['docs/**'], 'src/main.ts', 'yes'],
  [['docs/**'], 'link-in-docs', 'yes'],
  [['src/**'], '.git/config', 'yes'],
  [['**'], '.git/config', 'yes'],
  [['**'], '../out/x', 'yes'],
]

test.each(GLOBS)('with write: %j, writing %s is an error: %s', async (write, path, isError) => {
  const root = worktree({ 'src/main.ts': '' })
  mkdirSync(join(root, 'docs'))
  symlinkSync('docs', join(root, 'link-in-docs'))
  const to = context(root, { permissions: { shell: 'allow', network: 'allow', write } })
  expect((await call('write_file', { path, content: 'x' }, to)).isError).toBe(isError)
})

test('write: globs are about the file that a link leads to', async () => {
  const root = worktree({ 'src/main.ts': 'old' })
  mkdirSync(join(root, 'docs'))
  symlinkSync('../src/main.ts', join(root, 'docs/a.md'))
  const to = context(root, { permissions: { shell: 'allow', network: 'allow', write: ['docs/**'] } })
  expect((await call('write_file', { path: 'docs/a.md', content: 'x' }, to)).isError).toBe('yes')
  expect(text(root, 'src/main.ts')).toBe('old')
})

test('a workspace folder of a home is where paths start, and all that is written', async () => {
  const root = worktree({ 'workspace/files/a.txt': 'inside\n', 'workspace/other/b.txt': 'inside\n' })
  const to: ToolContext = { ...context(root), cwd: join(root, 'workspace/files') }
  const calls = ['a.txt', 'new/b.txt', '../other/b.txt', '../new.txt', '../../neo.yaml', '../../rooms/x.md']
  const results = await Promise.all(calls.map((path) => call('write_file', { path, content: 'x' }, to)))
  expect(results.map((one) => one.isError)).toEqual(['no', 'no', 'yes', 'yes', 'yes', 'yes'])
  expect((await call('read_file', { path: '../other/b.txt' }, to)).isError).toBe('no')
})

/** Swaps names without pause until the test ends: `a` is a folder, then a link that leads out, and again. */
async function swapping(script: string, root: string): Promise<void> {
  const child = spawn(process.execPath, ['-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

const SWAP_FOLDER = `
  const fs = require('node:fs')
  fs.mkdirSync('a'); fs.symlinkSync('../out', 'b')
  process.stdout.write('ready')
  const end = Date.now() + 60000
  while (Date.now() < end) {
    try { fs.renameSync('a', 'c'); fs.renameSync('b', 'a'); fs.renameSync('a', 'b'); fs.renameSync('c', 'a') } catch {}
  }`
const SWAP_LEAF = `
  const fs = require('node:fs')
  fs.symlinkSync('../out/secret.txt', 'link'); fs.writeFileSync('file', 'inside')
  process.stdout.write('ready')
  const end = Date.now() + 60000
  while (Date.now() < end) {
    try { fs.linkSync('link', 't'); fs.renameSync('t', 'x'); fs.linkSync('file', 't'); fs.renameSync('t', 'x') } catch {
      try { fs.unlinkSync('t') } catch {}
    }
  }`

test.each([
  ['a folder', SWAP_FOLDER, 'a/secret.txt'],
  ['a file', SWAP_LEAF, 'x'],
])('while %s is swapped for a link, nothing outside is read or written', async (_, script, path) => {
  const root = worktree()
  put(join(dirname(root), 'out/secret.txt'), MARKER)
  await swapping(script, root)
  const to = context(root)
  const end = Date.now() + 4000
  let wrote = 0
  for (let round = 0; Date.now() < end; round++) {
    const result = await call('write_file', { path, content: `fresh ${round}` }, to)
    const read = await call('read_file', { path }, to)
    await call('update_file', { path, search: 'marker', replace: 'owned' }, to)
    if (result.isError === 'no') wrote += 1
    if (read.text.includes(MARKER)) throw new Error(`read from outside in round ${round}`)
  }
  expect(wrote).toBeGreaterThan(0)
  expect(readdirSync(join(dirname(root), 'out'))).toEqual(['secret.txt'])
  expect(text(dirname(root), 'out/secret.txt')).toBe(MARKER)
})

test('a FIFO, a socket and a device are refused without waiting', async () => {
  const root = worktree()
  const { execFileSync } = await import('node:child_process')
  execFileSync('mkfifo', [join(root, 'pipe')])
  writeFileSync(join(root, 'x'), '')
  const results = [
    await call('read_file', { path: 'pipe' }, context(root)),
    await call('write_file', { path: 'pipe', content: 'x' }, context(root)),
  ]
  expect(results.map((one) => one.isError)).toEqual(['yes', 'yes'])
})
