/**
 * `neo say`: words and options.
 */
import type { Spec } from '../spec.ts'

export const SAY: readonly Spec[] = [
  {
    name: 'say',
    args: '<room> <text>',
    about: 'say something to the Neo of a room; the text with - from stdin',
    options: [
      { flags: '--wait', about: 'wait for his reply and print it' },
      { flags: '--timeout <duration>', about: 'wait no longer than this; default 10m' },
    ],
    example: "neo say lobby 'What is there to do?' --wait",
    load: async () => (await import('../say/say-command.ts')).say,
  },
]
