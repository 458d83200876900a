/** The table of meaning is read when a text needs it, and not before: a home without memories does not hold it. */
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { scoreOf } from '../../src/domain/memory/recall-rank.ts'
import { syncIndex } from '../../src/memory/index/index-sync.ts'
import { openEmbeddings } from '../../src/memory/search/embeddings.ts'
import { searchIndex } from '../../src/memory/search/search-index.ts'
import { makeHome } from '../path/home.ts'

test('a sync and a search of a home without memories do not read it; the first memory does, once', async () => {
  const home = makeHome()
  const own = openFiles()
  let tables = 0
  const files = {
    ...own,
    names: own.names.bind(own),
    scan: own.scan.bind(own),
    readPart: own.readPart.bind(own),
    read: (path: string, most: number) => {
      if (path.endsWith('words.bin')) tables++
      return own.read(path, most)
    },
  }
  const meaning = openEmbeddings(files, 'local')
  expect(meaning.name).toMatch(/^wink-sg-100d-\d$/)
  const store = await openIndexStores().open(join(home.dir, '.neo/index.db'), meaning.name)
  if ('wrong' in store) return
  const places = { home: home.dir, dir: join(home.dir, '.git/neo'), files, meaning, timezone: 'UTC' }
  const sync = () =>
    syncIndex({ ...places, blobId: (bytes) => String(bytes.length), now: () => Date.now() }, store)
  const find = (query: string) => searchIndex(store, meaning, { query, parts: null, limit: 5 }).hits
  await sync()
  expect([find('where is the car').length, tables]).toEqual([0, 0])
  home.write('rooms/shop/memories/v.md', 'The car is at the garage until Thursday\n')
  home.write('rooms/shop/memories/w.md', 'Prices are in euros\n')
  await sync()
  expect(find('where is the vehicle being repaired')[0]?.passage.source).toBe('rooms/shop/memories/v.md')
  expect(tables).toBe(1)
  store.close()
})

test('words of any kind have a vector or none, and never a wrong length', () => {
  const meaning = openEmbeddings(openFiles(), 'local')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect([undefined, 100]).toContain(meaning.of(text)?.length)
    }),
  )
  expect(meaning.of('reply')).not.toBeNull()
  expect(meaning.of('qqqzzzx')).toBeNull()
})

test('a score is 0 to 1, grows with all measures, and a single word still counts', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  const cosine = fc.double({ min: -1, max: 1, noNaN: true })
  const letters = fc.integer({ min: 0, max: 2_000 })
  fc.assert(
    fc.property(cosine, part, part, letters, (near, a, b, long) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)]
      const of = (held: number) => scoreOf({ near, coverage: held, ranked: held, letters: long })
      expect(of(less) >= 0 && of(less) <= 1).toBe(true)
      expect(of(more)).toBeGreaterThanOrEqual(of(less))
      if (less > 0.001) expect(of(less)).toBeGreaterThan(0)
      if (near > 0.001) expect(of(0)).toBeGreaterThan(0)
    }),
    { seed: 4_711 },
  )
})

describe('nearTo()', () => {
  const meaning = openEmbeddings(openFiles(), 'local')

  test('is -1 to 1 for any texts, and never less than its share of the cosine', () => {
    const words = fc
      .array(fc.constantFrom('doctor', 'lake', 'runs', 'qqqzzzx', 'the', '金庫', '7'))
      .map((all) => all.join(' '))
    const cosine = fc.double({ min: -1, max: 1, noNaN: true })
    fc.assert(
      fc.property(words, words, cosine, (question, text, mean) => {
        const near = meaning.nearTo(question)(text, mean)
        expect(Math.abs(near)).toBeLessThanOrEqual(1)
        expect(near).toBeGreaterThanOrEqual(0.8 * mean)
      }),
    )
  })

  test('of the same words is all there is, and more of words that are alike one by one', () => {
    expect(meaning.nearTo('the vet is open')('open vet', 1)).toBeCloseTo(1)
    const near = (text: string) => meaning.nearTo('physician')(text, 0.5)
    expect(near('a doctor and a carrot')).toBeGreaterThan(near('a carrot and a shovel'))
    expect(near('')).toBe(0.4)
  })
})
