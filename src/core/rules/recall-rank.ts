/**
 * One order out of two: what holds the words of a query, and what lies near its meaning.
 * Takes both lists, best first; gives ids with one score. Leaves to adapters: making the lists.
 * Invariant 1: what leads both lists has score 1; what is in neither has none.
 */
export interface Ranked {
  readonly id: number
  readonly score: number
}

export interface RankOptions {
  /** How fast ranks lose their worth: smaller is faster. */
  readonly damping: number
  /** Part that words have in the score; meaning has the rest. */
  readonly words: number
  /** Cosines below it are chance. */
  readonly leastNear: number
}

/** Measured in bench/recall; see docs/memory.md. */
export const RANKING: RankOptions = { damping: 12, words: 0.6, leastNear: 0.35 }

/** Reciprocal rank fusion, weighted. */
export function fuse(
  lists: { readonly words: readonly Ranked[]; readonly near: readonly Ranked[] },
  options: RankOptions = RANKING,
): readonly Ranked[] {
  const { damping, words, leastNear } = options
  const scores = new Map<number, number>()
  const add = (list: readonly Ranked[], part: number) => {
    for (const [rank, { id }] of list.entries())
      scores.set(id, (scores.get(id) ?? 0) + (part * (damping + 1)) / (damping + 1 + rank))
  }
  add(lists.words, words)
  add(
    lists.near.filter(({ score }) => score >= leastNear),
    1 - words,
  )
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || a.id - b.id)
}
