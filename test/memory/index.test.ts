/** The index beside the files: hostile queries and files, parts of transcripts, damage, loss, two at once, no packages. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import type { IndexStores } from '../../src/ports/index-port.ts'
import { makeHome } from '../path/home.ts'
import { memoryAt, placesOf } from './index-home.ts'

const place = mkdtempSync(join(tmpdir(), 'neo-index-'))
const probe = await openIndexStores().open(join(place, 'index.db'), 'v')
const isIndexed = !('wrong' in probe)
if ('wrong' in probe) process.stderr.write(`test: the index is not tested: ${probe.wrong}\n`)
else probe.close()
rmSync(place, { recursive: true, force: true })

const NOTES = {
  'rooms/shop/memories/a.md': '---\ntype: note\n---\nThe printer in the hall takes A3\n',
  'rooms/shop/memories/MEMORY.md': '# Facts\n\n- Ships leave on Monday\n- Prices are in euros\n',
  'rooms/other/memories/b.md': 'The printer upstairs is broken\n',
  'workspace/memory/MEMORY.md': '- The owner drinks tea\n',
}
const EUROS = 'rooms/shop/memories/MEMORY.md:4'

test('a search gives file and line, of the parts that are asked for', async () => {
  const memory = memoryAt(makeHome(NOTES))
  expect((await placesOf(memory, 'prices euros'))[0]).toBe(EUROS)
  expect(await placesOf(memory, 'printer', ['other'])).toEqual(['rooms/other/memories/b.md:1'])
  expect(await placesOf(memory, 'printer', [])).toEqual([])
})

test('any query is all right', async () => {
  const memory = memoryAt(makeHome(NOTES))
  await memory.sync()
  const signs = [
    '"',
    'AND',
    'NEAR(',
    '*',
    '-',
    ':',
    '(',
    'part:',
    '\0',
    '日',
    '🎉',
    "'",
    ';--',
    'printer',
    '\ud800',
  ]
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...signs)).map((all) => all.join(' ')),
  )
  await fc.assert(
    fc.asyncProperty(hostile, async (query) => {
      const { hits } = await memory.search({ query, parts: null, limit: 10 })
      expect(hits.length).toBeLessThanOrEqual(10)
    }),
    { numRuns: 300 },
  )
  expect(memory.health().failures).toBe(0)
})

test.each([['東'], ['東京'], ['東京の倉庫'], ['倉庫']])(
  '%s is found in a text without spaces',
  async (query) => {
    const memory = memoryAt(makeHome({ 'rooms/shop/memories/j.md': '在庫は東京の倉庫にある\n' }))
    expect(await placesOf(memory, query)).toEqual(['rooms/shop/memories/j.md:1'])
  },
)

test('binary files, broken headers and marks of a merge do no harm', async () => {
  const home = makeHome({
    'rooms/shop/memories/bad.md': '---\ntype: [\n---\nThe heron sends mail\n',
    'rooms/shop/memories/MEMORY.md': `- one\n${'<'.repeat(7)} HEAD\n- ours says walrus\n${'='.repeat(7)}\n- theirs says otter\n${'>'.repeat(7)} x\n`,
  })
  writeFileSync(join(home.dir, 'rooms/shop/memories/bin.md'), Buffer.from([0, 1, 2, 255, 10]))
  const memory = memoryAt(home)
  expect((await placesOf(memory, 'heron'))[0]).toBe('rooms/shop/memories/bad.md:4')
  expect((await placesOf(memory, 'walrus'))[0]).toBe('rooms/shop/memories/MEMORY.md:3')
  expect((await placesOf(memory, 'otter'))[0]).toBe('rooms/shop/memories/MEMORY.md:5')
  expect(memory.health().failures).toBe(0)
})

test('a MEMORY.md of 5 MB is indexed whole', async () => {
  const lines = Array.from(
    { length: 50_000 },
    (_, n) => `- fact ${n} of shelf ${n % 97} ${'and so on '.repeat(8)}`,
  )
  const memory = memoryAt(
    makeHome({ 'rooms/shop/memories/MEMORY.md': `${lines.join('\n')}\n- the zanzibar fact\n` }),
  )
  await memory.sync()
  expect((await placesOf(memory, 'zanzibar'))[0]).toBe('rooms/shop/memories/MEMORY.md:50001')
})

const TALK = Array.from({ length: 30 }, (_, n) => {
  const text = `word${n} said äöü日本`
  return JSON.stringify({
    v: 1,
    id: `e${n}`,
    ts: '2026-03-01T09:00:00Z',
    session: 'neo-shop',
    type: 'user',
    text,
  })
})

test.runIf(isIndexed)('a transcript that grows, cut anywhere, is indexed once', async () => {
  const whole = Buffer.from(`${TALK.join('\n')}\n`)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 4 }), async (cuts) => {
      const home = makeHome({})
      const folder = join(home.dir, '.git/neo/transcripts')
      mkdirSync(folder, { recursive: true })
      const memory = memoryAt(home)
      let done = 0
      for (const cut of [...cuts.toSorted((a, b) => a - b), whole.length]) {
        appendFileSync(join(folder, 'neo-shop-2026-03-01-1.jsonl'), whole.subarray(done, cut))
        done = cut
        await memory.sync()
      }
      expect(memory.health().passages).toBe(TALK.length)
      expect((await placesOf(memory, 'word29'))[0]).toBe('live/neo-shop-2026-03-01-1.jsonl:30')
    }),
    { numRuns: 8 },
  )
})

test.runIf(isIndexed)('what is unchanged is not read again, what is gone is not found', async () => {
  const home = makeHome(NOTES)
  const memory = memoryAt(home)
  expect(await memory.sync()).toMatchObject({ sources: 4, changed: 4 })
  utimesSync(join(home.dir, 'rooms/shop/memories/a.md'), new Date(), new Date())
  expect(await memory.sync()).toMatchObject({ changed: 0, dropped: 0 })
  rmSync(join(home.dir, 'rooms/shop/memories/a.md'))
  expect(await memory.sync()).toMatchObject({ dropped: 1 })
  expect(await placesOf(memory, 'hall A3')).toEqual([])
})

test.runIf(isIndexed)('an index that is lost or damaged is made again from the files', async () => {
  const home = makeHome(NOTES)
  const path = join(home.dir, '.neo/index.db')
  const memory = memoryAt(home)
  await memory.sync()
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  memory.changed()
  expect((await placesOf(memory, 'euros'))[0]).toBe(EUROS)
  memory.close()
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
  writeFileSync(path, Buffer.alloc(40_000, 7))
  expect((await placesOf(memoryAt(home), 'euros'))[0]).toBe(EUROS)
})

test.runIf(isIndexed).each([
  ['cut', (path: string) => truncateSync(path, 1_000)],
  ['emptied', (path: string) => truncateSync(path, 0)],
  ['made of nonsense', (path: string) => writeFileSync(path, Buffer.alloc(60_000, 9))],
])('an index that is %s while it is open keeps nobody from finding', async (_, harm) => {
  const home = makeHome(NOTES)
  const open = memoryAt(home)
  await open.sync()
  harm(join(home.dir, '.neo/index.db'))
  for (const _round of [1, 2]) {
    open.changed()
    expect((await placesOf(open, 'euros'))[0]).toBe(EUROS)
  }
})

test.runIf(isIndexed)('names, dates and lines of any kind are found and harm nothing', async () => {
  const folder = 'rooms/shop/memories'
  const odd = {
    [`${folder}/odd name — ünï 🎉.md`]: 'The ostrich runs\n',
    [`${folder}/quote'"; DROP TABLE sources.md`]: 'The emu walks\n',
    [`${folder}/9999-12-31.md`]: '- 10:00 [member] the tortoise of the far future\n',
    [`${folder}/last.md`]:
      '---\nneo: { id: m-abcdef, created_at: 9999-12-31T23:59:59Z }\n---\nThe last badger\n',
    [`${folder}/line.md`]: `The pelican ${'word '.repeat(200_000)}\n`,
    [`${folder}/rtl.md`]: 'مرحبا بالعالم \u202eevil\u202c שלום\n',
    'rooms/constructor/memories/a.md': 'The yak stands\n',
    'rooms/shop/__proto__/a.md': 'nothing\n',
  }
  const memory = memoryAt(makeHome(odd))
  for (const [path, query] of [
    [`${folder}/odd name — ünï 🎉.md:1`, 'ostrich'],
    [`${folder}/quote'"; DROP TABLE sources.md:1`, 'emu'],
    [`${folder}/9999-12-31.md:1`, 'tortoise'],
    [`${folder}/last.md:4`, 'badger'],
    [`${folder}/line.md:1`, 'pelican'],
    [`${folder}/rtl.md:1`, 'שלום'],
    ['rooms/constructor/memories/a.md:1', 'yak'],
  ] as const)
    expect((await placesOf(memory, query))[0]).toBe(path)
  expect(memory.health().failures).toBe(0)
})

test.runIf(isIndexed)('two that sync at once leave each passage once', async () => {
  const notes = Array.from(
    { length: 150 },
    (_, n) => [`rooms/shop/memories/n${n}.md`, `note ${n}\n`] as const,
  )
  const facts = Array.from({ length: 2_000 }, (_, n) => `- item ${n}`).join('\n')
  const home = makeHome({ ...Object.fromEntries(notes), 'rooms/shop/memories/MEMORY.md': `${facts}\n` })
  const [one, two] = [memoryAt(home), memoryAt(home)]
  await Promise.all([one.sync(), two.sync()])
  await one.sync()
  expect(one.health()).toMatchObject({ sources: 151, passages: 2_150, failures: 0 })
})

test('without the packages words are searched, and what to install is said', async () => {
  const stores: IndexStores = {
    open: async () => ({ wrong: 'not here', next: 'npm install x' }),
    trouble: async () => ({ wrong: 'not here', next: 'npm install x' }),
    remove: () => {},
    closeAll: () => {},
  }
  const memory = memoryAt(makeHome(NOTES), stores)
  expect((await placesOf(memory, 'prices euros'))[0]).toBe(EUROS)
  expect(memory.health()).toMatchObject({ by: 'words', why: 'not here', next: 'npm install x' })
})

test.runIf(isIndexed)('meaning finds what no word says', async () => {
  const car = { 'rooms/shop/memories/v.md': 'The car is at the garage until Thursday\n' }
  const memory = memoryAt(makeHome({ ...NOTES, ...car }))
  expect((await placesOf(memory, 'where is the vehicle being repaired'))[0]).toBe(
    'rooms/shop/memories/v.md:1',
  )
})
