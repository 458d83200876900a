/** neo export --format: which file a transcript becomes, and where nothing can be written. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Home, makeHome, temporary } from './program.ts'

const LINE = `${JSON.stringify({ v: 1, id: '1', parent: null, ts: '2026-03-01T09:00:00Z', type: 'user', text: 'Do it' })}\n`
const dir = temporary()
let home: Home
beforeAll(() => {
  home = makeHome({
    'rooms/shop-2026/ROOM.md': '# Shop of 2026\n',
    'rooms/(draft/ROOM.md': '# A room with an odd name\n',
    'rooms/shop/transcripts/s-aaaaaa.jsonl': LINE,
    'rooms/shop/transcripts/s-bbbbbb.jsonl': '',
    'rooms/_old/transcripts/s-cccccc.jsonl': LINE,
  })
  for (const name of [
    's-dddddd.jsonl',
    's-aaaaaa.jsonl',
    'neo-shop-2026-03-01-1.jsonl',
    'neo-shop-2026-2026-03-01-2.jsonl',
    'neo-gone-2026-03-01-1.jsonl',
    'others.jsonl',
  ])
    home.put(`.git/neo/transcripts/${name}`, LINE)
  symlinkSync(temporary(), join(home.dir, 'rooms/link'))
})

test('each transcript is one file of its room; running sessions and conversations are there too', async () => {
  const to = join(dir, 'all')
  expect(await home.neo('export', to, '--format', 'claude-code')).toMatchObject({
    code: 0,
    out: `${to} 5 transcripts as claude-code\n`,
  })
  const files = readdirSync(to, { recursive: true }).map(String)
  expect(files.filter((name) => name.endsWith('.jsonl')).toSorted()).toEqual([
    'running/s-aaaaaa.jsonl',
    'running/s-dddddd.jsonl',
    'shop-2026/neo-2026-03-01-2.jsonl',
    'shop/neo-2026-03-01-1.jsonl',
    'shop/s-aaaaaa.jsonl',
  ])
  expect(readFileSync(join(to, 'shop/s-aaaaaa.jsonl'), 'utf8')).toContain('Do it')
})

test.each([['--format', 'pi'], ['--private']])(
  'a folder that is missing is named, with %s',
  async (...words) => {
    const to = join(dir, 'nowhere', 'x')
    const { code, err } = await home.neo('export', to, ...words)
    expect(code).toBe(2)
    expect(err).toContain(`neo: Cannot export to "${to}": folder "${join(dir, 'nowhere')}" not found`)
    expect(err).toContain(`next: mkdir -p ${join(dir, 'nowhere')}`)
  },
)

test('an import into a folder that is missing says so before it reads the file', async () => {
  const { code, err } = await home.neo('import', join(dir, 'none.neo'), join(dir, 'nowhere', 'x'))
  expect([code, err]).toEqual([2, expect.stringContaining(`folder "${join(dir, 'nowhere')}" not found`)])
})

test('a folder that exists is not written to', async () => {
  const { code, err } = await home.neo('export', dir, '--format', 'pi')
  expect([code, err]).toEqual([2, expect.stringContaining('the folder already exists')])
})
