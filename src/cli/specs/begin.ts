/**
 * `neo init` and `neo start`: words and options.
 */
import type { Spec } from '../spec.ts'

export const INIT: readonly Spec[] = [
  {
    name: 'init',
    args: '[dir]',
    about: 'make a home here or in a folder, commit it, say what to do next; safe to run twice',
    options: [
      { flags: '--room <name>', about: 'with a first room of this name' },
      { flags: '--template <name>', about: 'the room from templates/rooms/<name>/' },
      { flags: '--yes', about: 'also in a repository that has commits, without asking' },
    ],
    example: 'neo init work --room shop',
    load: async () => (await import('../init/init.ts')).init,
  },
]

export const START: readonly Spec[] = [
  {
    name: 'start',
    about: 'make ./home with its first tasks where it is missing, and watch it (npm start)',
    example: 'npm start',
    load: async () => (await import('../init/start-command.ts')).start,
  },
]
