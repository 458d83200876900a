/** The index file: made, filled, asked by words and by nearness, kept over a restart, begun anew after damage. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DIMENSIONS } from '../../../src/adapters/sqlite/sqlite-library.ts'
import { openIndexStores } from '../../../src/adapters/sqlite/stores.ts'
import type { Indexed, IndexStore } from '../../../src/ports/index-port.ts'

const stores = openIndexStores()
const probe = await stores.open(join(mkdtempSync(join(tmpdir(), 'neo-index-')), 'index.db'), 'v')
const MISSING = 'wrong' in probe ? probe.wrong : null
if ('wrong' in probe) process.stderr.write(`test: the index is not tested: ${probe.wrong}\n`)
else probe.close()

async function opened(path?: string): Promise<{ readonly path: string; readonly store: IndexStore }> {
  const at = path ?? join(mkdtempSync(join(tmpdir(), 'neo-index-')), 'index.db')
  onTestFinished(() => rmSync(join(at, '..'), { recursive: true, force: true }))
  const store = await stores.open(at, 'v')
  if ('wrong' in store) throw new Error(store.wrong)
  return { path: at, store }
}

const vector = (at: number) => new Int8Array(DIMENSIONS).fill(0).map((_, index) => (index === at ? 100 : 0))
const passage = (name: string, words: string, at: number): Indexed => ({
  source: `rooms/shop/memories/${name}.md`,
  part: 'shop',
  kind: 'memory',
  type: 'note',
  id: name,
  tags: [],
  at: '',
  line: 1,
  weight: 1,
  text: words,
  words,
  vector: vector(at),
})
const mark = (name: string) => {
  const path = `rooms/shop/memories/${name}.md`
  return { path, part: 'shop', size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1, hash: name, offset: 1 }
}

function fill(store: IndexStore): void {
  const all = [passage('blue', 'the page is blue', 1), passage('price', 'the price is ten', 2)]
  store.put(
    all.map((one) => ({ mark: mark(one.id), passages: [one] })),
    'replace',
  )
}

const ALL = { parts: null }

test.skipIf(MISSING !== null)('a path that SQLite cannot open is called too long, not damaged', async () => {
  const base = mkdtempSync(join(tmpdir(), 'neo-index-'))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const longer = (bytes: number) => {
    const folder = [base, 'd'.repeat(240), 'd'.repeat(bytes - base.length - 251)].join('/')
    mkdirSync(folder, { recursive: true })
    return `${folder}/index.db`
  }
  const [fits, long] = [longer(504), longer(505)]
  expect([fits.length, long.length]).toEqual([504, 505])
  const store = await stores.open(fits, 'v')
  expect(store).not.toHaveProperty('wrong')
  if (!('wrong' in store)) store.close()
  expect(await stores.trouble(fits)).toBeNull()
  const told = {
    wrong: expect.stringMatching(/^the path of the index has 505 bytes/),
    next: expect.stringContaining('shorter'),
  }
  expect([await stores.open(long, 'v'), await stores.trouble(long)]).toEqual([told, told])
})

test.skipIf(MISSING !== null)(
  'words and nearness find the passage, and what is dropped is found no more',
  async () => {
    const { store } = await opened()
    fill(store)
    const named = (found: readonly { readonly id: number }[]) =>
      found.map(({ id }) => store.passages([id]).get(id)?.id)
    expect(named(store.words(['price'], ALL, 5))).toEqual(['price'])
    expect(named(store.near(vector(1), ALL, 1))).toEqual(['blue'])
    expect(store.words(['price'], { parts: ['other'] }, 5)).toEqual([])
    store.drop(['rooms/shop/memories/price.md'])
    expect(store.words(['price'], ALL, 5)).toEqual([])
    expect(store.counts()).toEqual({ sources: 1, passages: 1 })
    store.close()
  },
)

test.skipIf(MISSING !== null)(
  'what was put is there after a restart, and gone after damage, without a throw',
  async () => {
    const { path, store } = await opened()
    fill(store)
    store.close()
    const again = (await opened(path)).store
    expect(again.counts()).toEqual({ sources: 2, passages: 2 })
    again.close()
    writeFileSync(path, 'this is no database, and it is long enough to look like one '.repeat(100))
    const anew = (await opened(path)).store
    expect(anew.counts()).toEqual({ sources: 0, passages: 0 })
    anew.close()
  },
)

test.skipIf(MISSING !== null)('of another table of meaning, the index is begun anew', async () => {
  const { path, store } = await opened()
  fill(store)
  store.close()
  const other = await stores.open(path, 'another-table-2')
  if ('wrong' in other) throw new Error(other.wrong)
  expect([other.counts(), other.hasVectors()]).toEqual([{ sources: 0, passages: 0 }, false])
  other.close()
  expect(await stores.trouble(path)).toBeNull()
})
