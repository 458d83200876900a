/**
 * Notices as people wish for them: which, when, and together or each for itself.
 */

/** `results`: work that has ended well; `words`: what Neo says by himself. */
export const NOTICE_KINDS = ['asks', 'reviews', 'results', 'failures', 'problems', 'words'] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

export interface NotifyRule {
  /** Null: all. */
  readonly what: readonly NoticeKind[] | null
  /** Hours of the home's day, from the first until the second, in which nothing is sent; `22-7` in files. */
  readonly quiet: readonly [number, number] | null
  /** What nobody waits for is gathered for so long and sent as one message; 0: sent as it comes. */
  readonly digestMs: number
}
