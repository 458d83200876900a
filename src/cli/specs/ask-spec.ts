/**
 * The commands of `neo ask`: words and options.
 */
import type { Spec } from '../spec.ts'

export const ASK: readonly Spec[] = [
  {
    name: 'list',
    about: 'what waits for a person to decide',
    options: [
      { flags: '--room <room>', about: 'of this room' },
      { flags: '--all', about: 'decided ones too' },
    ],
    example: 'neo ask list',
    load: async () => (await import('../ask/list-asks.ts')).listAsks,
  },
  {
    name: 'show',
    args: '<ask>',
    about: 'one ask: what exactly would be done',
    example: 'neo ask show a-4k2m9x',
    load: async () => (await import('../ask/list-asks.ts')).showAsk,
  },
  {
    name: 'approve',
    args: '<ask>',
    about: 'yes, to exactly what is shown',
    example: 'neo ask approve a-4k2m9x',
    load: async () => (await import('../ask/ask-decisions.ts')).approve,
  },
  {
    name: 'deny',
    args: '<ask>',
    about: 'no',
    example: 'neo ask deny a-4k2m9x',
    load: async () => (await import('../ask/ask-decisions.ts')).deny,
  },
  {
    name: 'answer',
    args: '<ask> <text>',
    about: 'answer a question; the text with - from stdin',
    example: "neo ask answer a-4k2m9x 'The second one'",
    load: async () => (await import('../ask/ask-decisions.ts')).answer,
  },
]
