/**
 * `neo open`: words and options. Leaves to open/open.ts: what it does.
 */
import type { Spec } from '../spec.ts'

export const OPEN: readonly Spec[] = [
  {
    name: 'open',
    about: 'the page of the running daemon in the browser, signed in',
    options: [
      { flags: '--print', about: 'print the link instead of opening it; it is good once, for ten minutes' },
    ],
    example: 'neo open',
    load: async () => (await import('../open/open.ts')).open,
  },
]
