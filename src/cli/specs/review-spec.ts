/**
 * The commands of `neo review`: words and options.
 */
import type { Spec } from '../spec.ts'

export const REVIEW: readonly Spec[] = [
  {
    name: 'list',
    about: 'work on branches that waits for a person',
    options: [{ flags: '--room <room>', about: 'of this room' }],
    example: 'neo review list',
    load: async () => (await import('../review/show-review.ts')).listReviews,
  },
  {
    name: 'show',
    args: '<task>',
    about: 'one of them: result, checks, changed files',
    example: 'neo review show shop/fix-login',
    load: async () => (await import('../review/show-review.ts')).showReview,
  },
  {
    name: 'diff',
    args: '<task>',
    about: 'what it changes, against its base',
    example: 'neo review diff shop/fix-login | less',
    load: async () => (await import('../review/show-review.ts')).diffReview,
  },
  {
    name: 'accept',
    args: '<task>',
    about: 'merge the branch; the task is completed',
    example: 'neo review accept shop/fix-login',
    load: async () => (await import('../review/decide-review.ts')).accept,
  },
  {
    name: 'reject',
    args: '<task>',
    about: 'with -m a new attempt goes on from the branch, with your words; without, the task fails',
    options: [{ flags: '-m, --message <text>', about: 'what is to be done differently' }],
    example: "neo review reject shop/fix-login -m 'The test is missing'",
    load: async () => (await import('../review/decide-review.ts')).reject,
  },
]
