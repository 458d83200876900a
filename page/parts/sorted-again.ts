/** Sorting a long list again after a small change. */

/** More new items than this, and sorting everything is as quick. */
const MOST_NEW = 64

/**
 * The items in order. Those that are in `before`, which is in order, aren't compared with each other again: one changed
 * card among 10,000 costs a pass and a few comparisons.
 * @param before the last result for the same `compare`
 */
export function sortedAgain<T>(
  before: readonly T[],
  items: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] {
  const fresh = new Set(items)
  const kept = before.filter((item) => fresh.delete(item))
  if (fresh.size === 0) return kept.length === before.length ? before : kept
  if (fresh.size > MOST_NEW) return items.toSorted(compare)
  for (const item of fresh) kept.splice(placeOf(kept, item, compare), 0, item)
  return kept
}

/** After all that aren't greater. */
function placeOf<T>(sorted: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const other = sorted[middle]
    if (other !== undefined && compare(other, item) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
