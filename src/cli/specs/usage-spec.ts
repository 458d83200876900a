/**
 * `neo usage` and `neo open`: words and options.
 */
import type { Spec } from '../spec.ts'

export const USAGE: readonly Spec[] = [
  {
    name: 'usage',
    about: 'what models used, in tokens and USD, with a chart; a price that nobody gave is unknown',
    options: [
      { flags: '--room <room>', about: 'of this room only' },
      { flags: '--since <date>', about: 'from this date or time on, or for so long, e.g. 7d; default 30d' },
      { flags: '--by <what>', about: 'a row for each; default day', choices: ['day', 'room', 'model'] },
    ],
    example: 'neo usage --by model --since 7d',
    load: async () => (await import('../usage/show-usage.ts')).showUsage,
  },
]

export const OPEN: readonly Spec[] = [
  {
    name: 'open',
    about: 'the page of the running daemon in the browser, signed in',
    options: [
      { flags: '--print', about: 'print the link instead of opening it; it is good once, for ten minutes' },
    ],
    example: 'neo open',
    load: async () => (await import('../open/open-page.ts')).open,
  },
]
