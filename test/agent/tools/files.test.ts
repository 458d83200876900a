/** What tools for files give: pages, changes, refusals in words that help; and how long results may be. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutMiddle, OUTPUT_LIMIT, ok } from '../../../src/agent/tools/result.ts'
import { call, context, text, worktree } from './context.ts'

test('read_file numbers lines', async () => {
  const root = worktree({ 'a.txt': 'one\r\ntwo' })
  expect((await call('read_file', { path: 'a.txt' }, context(root))).text).toBe('     1\tone\n     2\ttwo')
})

test('read_file gives a range, and says how to go on', async () => {
  const root = worktree({ 'a.txt': Array.from({ length: 50 }, (_, at) => `line ${at + 1}\n`).join('') })
  const result = await call('read_file', { path: 'a.txt', start: 10, lines: 2 }, context(root))
  expect(result.text).toBe('    10\tline 10\n    11\tline 11\n[lines 10 to 11 of 50; continue with start=12]')
})

test('read_file pages through a long file without losing a line', async () => {
  const lines = Array.from({ length: 3000 }, (_, at) => `${at} ${'x'.repeat(40)}`)
  const root = worktree({ 'a.txt': lines.join('\n') })
  const seen: string[] = []
  for (let start = 1; start <= lines.length; ) {
    const result = await call('read_file', { path: 'a.txt', start }, context(root))
    expect(result.text.length).toBeLessThanOrEqual(OUTPUT_LIMIT)
    const shown = result.text.split('\n').filter((line) => !line.startsWith('['))
    seen.push(...shown.map((line) => line.slice(7)))
    start += shown.length
  }
  expect(seen).toEqual(lines)
})

const UNREADABLE: readonly (readonly [string, string | Buffer, string])[] = [
  ['binary', Buffer.from([1, 0, 2]), 'is a binary file of 3 bytes'],
  ['not UTF-8', Buffer.from([0x67, 0xfc]), 'not UTF-8 text'],
  ['huge', Buffer.alloc(9 * 1024 * 1024, 'x'), 'is too large'],
]

test.each(UNREADABLE)('read_file refuses a file that is %s', async (_, bytes, says) => {
  const root = worktree()
  writeFileSync(join(root, 'a'), bytes)
  const result = await call('read_file', { path: 'a' }, context(root))
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining(says) })
})

test.each([
  ['gone.txt', 'does not exist; use find'],
  ['src', 'is a folder; expected a file; use find'],
])('read_file of %s says what to do', async (path, says) => {
  const root = worktree({ 'src/a.txt': '' })
  expect((await call('read_file', { path }, context(root))).text).toContain(says)
})

test('read_file shortens lines that machines made', async () => {
  const root = worktree({ 'a.js': `${'x'.repeat(100_000)}\nshort\n` })
  const result = await call('read_file', { path: 'a.js' }, context(root))
  expect(result.text).toContain('[… 98000 more characters]\n     2\tshort')
})

test('read_file past the end says how many lines there are', async () => {
  const root = worktree({ 'a.txt': 'one\n', 'empty.txt': '' })
  expect((await call('read_file', { path: 'a.txt', start: 5 }, context(root))).text).toContain(
    'the file has 1 line',
  )
  expect((await call('read_file', { path: 'empty.txt' }, context(root))).text).toBe('(the file is empty)')
})

test('write_file makes parents, keeps the mode, and leaves no temp file', async () => {
  const root = worktree({ 'run.sh': 'old\n' })
  chmodSync(join(root, 'run.sh'), 0o750)
  await call('write_file', { path: 'run.sh', content: 'new\n' }, context(root))
  await call('write_file', { path: 'a/b/c.txt', content: 'new\n' }, context(root))
  expect([text(root, 'run.sh'), statSync(join(root, 'run.sh')).mode & 0o777]).toEqual(['new\n', 0o750])
  expect(readdirSync(root).sort()).toEqual(['a', 'run.sh'])
  expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt'])
})

test('update_file changes a part by search, and by diff', async () => {
  const root = worktree({ 'a.txt': 'one\r\ntwo\r\nthree' })
  await call('update_file', { path: 'a.txt', search: 'one\ntwo', replace: '1\n2' }, context(root))
  await call('update_file', { path: 'a.txt', diff: '@@ -3 +3 @@\n-three\n+3\n' }, context(root))
  expect(text(root, 'a.txt')).toBe('1\r\n2\r\n3')
})

const UNFIT: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ search: 'none', replace: 'x' }, 'was not changed: search text not found'],
  [{ search: 'a', replace: 'x' }, 'occurs 2 times'],
  [{ search: 'a' }, '"replace" is missing'],
  [{}, 'neither search nor diff'],
  [{ search: 'a', replace: 'b', diff: '@@' }, 'give one of them'],
  [{ diff: '@@ -1 +1 @@\n-b\n+c\n' }, 'hunk 1 of 1 does not apply'],
]

test.each(UNFIT)('update_file with %j says why not, and changes nothing', async (input, says) => {
  const root = worktree({ 'x.txt': 'a\na\n' })
  const result = await call('update_file', { path: 'x.txt', ...input } as never, context(root))
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining(says) })
  expect(text(root, 'x.txt')).toBe('a\na\n')
})

test('update_file of what is not there names write_file', async () => {
  const result = await call('update_file', { path: 'x', search: 'a', replace: 'b' }, context(worktree()))
  expect(result.text).toContain('use write_file')
})

const KEY = `sk-${'a1b2'.repeat(8)}`

test.each([
  ['write_file', { content: 'API_KEY=***\nport: 2\n' }],
  ['update_file', { search: `API_KEY=${KEY}`, replace: 'API_KEY=***' }],
])('%s refuses to put a mask in the place of a secret', async (tool, input) => {
  const root = worktree({ '.env': `API_KEY=${KEY}\nport: 1\n` })
  const result = await call(tool, { path: '.env', ...input }, context(root))
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('masked') })
  expect(text(root, '.env')).toContain(KEY)
})

test.each(['***\n', '***bold*** and *** rule\n', 'Note: ***important***\n', 'a *** b'])(
  'write_file takes %j, which is no mask',
  async (content) => {
    expect((await call('write_file', { path: 'a.md', content }, context(worktree()))).isError).toBe(false)
  },
)

test('update_file changes another line of a file that holds a secret', async () => {
  const root = worktree({ '.env': `API_KEY=${KEY}\nport: 1\n` })
  await call('update_file', { path: '.env', search: 'port: 1', replace: 'port: 2' }, context(root))
  expect(text(root, '.env')).toBe(`API_KEY=${KEY}\nport: 2\n`)
})

test('a long result is cut in the middle, and kept whole', () => {
  const whole = `${'a'.repeat(40_000)}\n${'z'.repeat(40_000)}`
  const result = ok(whole)
  expect(result.whole).toBe(whole)
  expect(result.text.length).toBeLessThan(OUTPUT_LIMIT + 200)
  expect(result.text).toMatch(/^a+\n\[… 50,001 characters \(1 line\) left out …\]\nz+$/)
})

test('a cut parts no pair of surrogates', () => {
  const cut = cutMiddle('😀'.repeat(1000), 101)
  expect(Buffer.from(cut).toString()).toBe(cut)
})

test('a file that somebody changes between reading and writing keeps their change', async () => {
  const root = worktree({ 'a.txt': 'one\n' })
  const to = context(root)
  const done = to.tree.write(root, 'a.txt', {
    maxBytes: 1000,
    admit: () => null,
    change: () => {
      writeFileSync(join(root, 'a.txt'), 'theirs\n')
      return Buffer.from('ours\n')
    },
  })
  expect(done).toEqual({ kind: 'refused', why: expect.stringContaining('changed while') })
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('theirs\n')
})
