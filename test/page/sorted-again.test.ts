import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortedAgain } from '../../page/parts/sorted-again.ts'

interface Item {
  readonly rank: number
  readonly id: number
}

const byRank = (a: Item, b: Item) => a.rank - b.rank || a.id - b.id
const items = fc.uniqueArray(fc.record({ rank: fc.nat(20), id: fc.nat(500) }), {
  selector: ({ id }) => id,
  maxLength: 200,
})

test('a list that is sorted again equals one that is sorted from nothing', () => {
  fc.assert(
    fc.property(items, fc.array(fc.nat(), { maxLength: 80 }), items, (first, dropped, added) => {
      const before = sortedAgain([], first, byRank)
      const gone = new Set(dropped.map((at) => first[at % Math.max(1, first.length)]))
      const now = [...added, ...first.filter((item) => !gone.has(item))]
      expect(sortedAgain(before, now, byRank)).toEqual(now.toSorted(byRank))
    }),
  )
})

test('an unchanged list keeps its identity', () => {
  const before = sortedAgain(
    [],
    [
      { rank: 2, id: 1 },
      { rank: 1, id: 2 },
    ],
    byRank,
  )
  expect(sortedAgain(before, before.toReversed(), byRank)).toBe(before)
})
