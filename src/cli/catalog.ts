/**
 * The first level of the command line: each entry with its words and where its specs are.
 * Leaves to specs/: options, arguments and examples; they load only when their entry is typed, or all are listed.
 */
import type { Top } from './spec.ts'

export const TOPS: readonly Top[] = [
  {
    name: 'init',
    about: 'make a home: a git repository with rooms, workspace and templates',
    kind: 'command',
    section: 'Begin',
    load: async () => (await import('./specs/begin.ts')).INIT,
  },
  {
    name: 'task',
    about: 'list, show, make and change tasks',
    kind: 'group',
    section: 'Files',
    load: async () => (await import('./specs/task.ts')).TASK,
  },
  {
    name: 'room',
    about: 'list, show, make and pause rooms',
    kind: 'group',
    section: 'Files',
    load: async () => (await import('./specs/room.ts')).ROOM,
  },
  {
    name: 'config',
    about: 'check all files, show the configuration, print JSON Schema',
    kind: 'group',
    section: 'Care',
    load: async () => (await import('./specs/config.ts')).CONFIG,
  },
  {
    name: 'start',
    about: 'make ./home where it is missing, and watch it',
    kind: 'command',
    section: 'Begin',
    hidden: 'yes',
    load: async () => (await import('./specs/begin.ts')).START,
  },
]
