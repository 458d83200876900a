/** A sentence model puts the first hits in order, and loses none; without one, or with a late one, nothing changes. */
import { expect, test } from 'vitest'
import { openSentences } from '../../src/adapters/sentences/sentence-model.ts'
import type { Found, Search } from '../../src/memory/search/search-index.ts'
import { findReranked } from '../../src/memory/search/search-index.ts'
import type { Passage, SentenceModel } from '../../src/ports/index-port.ts'

const PASSAGE: Passage = {
  ...{
    source: 'a.md',
    part: '',
    kind: 'memory',
    type: 'note',
    id: 'a',
    tags: [],
    at: '',
    line: 1,
    weight: 1,
  },
  text: '',
}

function found(count: number): (of: Search) => Found {
  const hits = Array.from({ length: count }, (_, at) => ({
    ...{ score: 1 - at / 100, snippet: '', line: 1 },
    passage: { ...PASSAGE, text: `text ${at}` },
  }))
  return ({ limit }) => ({ hits: hits.slice(0, limit), total: count })
}

const modelOf = (near: SentenceModel['near']): SentenceModel => ({ near })
const textsOf = (of: Found | null) => of?.hits.map(({ passage }) => passage.text) ?? []
const of = { query: 'q', parts: null }

test('the nearest of the first 40 comes first, and all stay', async () => {
  const model = modelOf(async (_, texts) => texts.map((text) => (text === 'text 30' ? 1 : 0)))
  const best = await findReranked(found(50), { ...of, limit: 5 }, model)
  expect(textsOf(best)).toEqual(['text 30', 'text 0', 'text 1', 'text 2', 'text 3'])
  const all = textsOf(await findReranked(found(50), { ...of, limit: 50 }, model))
  expect(new Set(all).size).toBe(50)
  expect(all.slice(40)).toEqual(Array.from({ length: 10 }, (_, at) => `text ${at + 40}`))
})

test.each([null, modelOf(async () => null)])(
  'without an answer of a model the order is that of the search',
  async (model) => {
    expect(textsOf(await findReranked(found(9), { ...of, limit: 3 }, model))).toEqual([
      'text 0',
      'text 1',
      'text 2',
    ])
  },
)

test('where the packages are installed the model tells like from unlike; where not, it says so', async () => {
  const near = await openSentences().near(
    'where do guests park',
    ['Visitors leave cars behind', 'Soup is hot'],
    30_000,
  )
  expect(near === null || (near[0] ?? 0) > (near[1] ?? 1)).toBe(true)
})
