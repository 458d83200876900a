/** What git's own check refuses is never on a session's branch: it is named, and the rest of the work is not lost. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Bench, commitSession, openBench, openSession, placeIn, put } from './repo.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openBench({ '.gitignore': '.neo/\n', 'a.txt': 'a\n' })
})
afterEach(() => bench.close())

const LINKS = [
  '.gitmodules',
  'sub/.gitattributes',
  'sub/.gitignore',
  '.MailMap',
  'x/GITMOD~1',
  'y/.gitmodules.',
]

test('links and folders by names of git are left out, and the rest is committed', async () => {
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  for (const path of LINKS) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    symlinkSync('a.txt', join(dir, path))
  }
  put(dir, 'z/.gitattributes/x', 'x\n')
  put(dir, 'b.txt', 'b\n')
  const done = await commitSession(bench, { dir, place })
  expect(done).toMatchObject({ kind: 'ok', changed: true })
  const left = done.kind === 'ok' ? (done.leftOut ?? []).map(({ path }) => path) : []
  expect(left.toSorted()).toEqual([...LINKS, 'z/.gitattributes/x'].toSorted())
  expect(bench.person('ls-tree', '-r', '--name-only', 'neo/one').trim().split('\n')).toContain('b.txt')
  expect(bench.person('fsck', '--strict', '--no-dangling')).toBe('')
})

const module = (line: string) => `[submodule "x"]\n\tpath = x\n\t${line}\n`

test.each([
  ['.gitmodules', module('url = -upload')],
  ['.gitmodules', module('update = !touch x')],
  ['.gitmodules', '[submodule "../x"]\n\tpath = x\n\turl = https://localhost/x\n'],
  ['.gitattributes', `${'a'.repeat(3000)} text\n`],
])('content of %s that git refuses is not committed (%#)', async (path, text) => {
  writeFileSync(join(bench.home, path), text)
  bench.person('add', '-A')
  bench.person('commit', '-qm', 'by hand')
  expect(() => bench.person('fsck', '--no-dangling')).toThrow(/git/)
  bench.person('reset', '-q', '--hard', 'HEAD^')
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  put(dir, path, text)
  expect(await commitSession(bench, { dir, place })).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining(path),
  })
})
