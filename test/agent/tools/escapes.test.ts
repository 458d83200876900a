/**
 * What an agent may try to get out of its worktree by paths, and what it may do in it. Around the worktree `ws` lie a
 * folder `out`, a neighbour `ws-evil`, and files with a marker; nothing may show the marker or change anything there.
 */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { ToolContext } from '../../../src/agent/tools/tool.ts'
import { call, context, text, worktree } from './context.ts'
import { grounds, LEGAL, MARKER, OUT, RULES } from './ways.ts'

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

/** One for all attempts, since none of them may change anything. */
const top = realpathSync(mkdtempSync(join(tmpdir(), 'neo-escapes-')))
const root = grounds(top)
afterAll(() => rmSync(top, { recursive: true, force: true }))

const ofHome = () => context(root, { home: 'yes' })

test.each(OUT)('read_file refuses %j, and shows nothing of it', async (path) => {
  const result = await call('read_file', { path: placed(path, root) }, context(root))
  expect(result.isError).toBe(true)
  expect(result.text).not.toContain(MARKER)
})

test.each([...OUT, ...RULES])('write_file refuses %j, and nothing changes anywhere', async (path) => {
  const before = picture(root)
  const result = await call('write_file', { path: placed(path, root), content: 'owned' }, ofHome())
  expect(result.isError).toBe(true)
  expect(picture(root)).toEqual(before)
})

test.each([...OUT, ...RULES])(
  'update_file refuses %j, and says nothing of what stands there',
  async (path) => {
    const before = picture(root)
    const wanted = { path: placed(path, root), search: 'marker', replace: 'owned' }
    const result = await call('update_file', wanted, ofHome())
    expect(result.isError).toBe(true)
    expect(result.text).not.toContain(MARKER)
    expect(picture(root)).toEqual(before)
  },
)

test.each(OUT)('grep in %j shows nothing of what lies outside', async (path) => {
  const result = await call('grep', { pattern: 'marker|root:', path: placed(path, root) }, context(root))
  expect(result.text).not.toContain(MARKER)
  expect(result.text).not.toContain('root:x')
})

test.each(['', 'src', '.'])(
  'grep and find in "%s" do not follow links and leave out .git and .neo',
  async (path) => {
    const globs = ['**', '.git', '.git/**', '**/.git/**', '.neo/**', 'sub/.git/config', 'out/**']
    const grepped = await call('grep', { pattern: 'marker', path, glob: globs }, context(root))
    const found = await call('find', { path, glob: globs }, context(root))
    expect(grepped.text).toBe('No match')
    expect(found.text).not.toMatch(/secret|\.git\/|\.neo/)
  },
)

test.each(LEGAL)('write_file and read_file take %j', async (path, real) => {
  const root = grounds()
  const wrote = await call('write_file', { path: placed(path, root), content: 'fresh\n' }, context(root))
  const read = await call('read_file', { path: placed(path, root) }, context(root))
  expect([wrote.isError, read.isError, read.text]).toEqual([false, false, '     1\tfresh'])
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
    expect((await call('write_file', { path, content: 'x' }, context(root))).isError).toBe(false)
  },
)

const GLOBS: readonly (readonly [readonly string[], string, boolean])[] = [
  [['docs/**'], 'docs/a.md', false],
  [['docs/**'], 'docs/deep/er/a.md', false],
  [['docs'], 'docs/a.md', false],
  [['docs/'], 'docs/a.md', false],
  [['docs/*.md'], 'docs/a.md', false],
  [['**/*.md'], 'src/deep/a.md', false],
  [['**/*.md'], 'a.md', false],
  [['{docs,src}/**'], 'src/x.ts', false],
  [['src/?.ts', 'docs'], 'src/x.ts', false],
  [['docs/**'], 'docs', true],
  [['docs/**'], 'docs-evil/a.md', true],
  [['docs'], 'docs-evil', true],
  [['docs/*.md'], 'docs/deep/a.md', true],
  [['*.md'], 'docs/a.md', true],
  [['docs/**'], 'docs/../src/x.ts', true],
  [['docs/**'], 'src/main.ts', true],
  [['docs/**'], 'link-in-docs', true],
  [['src/**'], '.git/config', true],
  [['**'], '.git/config', true],
  [['**'], '../out/x', true],
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
  expect((await call('write_file', { path: 'docs/a.md', content: 'x' }, to)).isError).toBe(true)
  expect(text(root, 'src/main.ts')).toBe('old')
})

test('a workspace folder of a home is where paths start, and all that is read and written', async () => {
  const root = worktree({ 'workspace/files/a.txt': 'inside\n', 'workspace/other/b.txt': 'inside\n' })
  const to: ToolContext = { ...context(root), cwd: join(root, 'workspace/files') }
  const calls = ['a.txt', 'new/b.txt', '../other/b.txt', '../new.txt', '../../neo.yaml', '../../rooms/x.md']
  const results = await Promise.all(calls.map((path) => call('write_file', { path, content: 'x' }, to)))
  expect(results.map((one) => one.isError)).toEqual([false, false, true, true, true, true])
  expect((await call('read_file', { path: '../other/b.txt' }, to)).isError).toBe(true)
})
