/**
 * The commands of `neo memory`, and `neo search`: words and options.
 */
import { MEMORY_TYPES } from '../../files/kinds/read-memory.ts'
import type { Spec } from '../spec.ts'

const TYPES = { about: 'of this type', choices: MEMORY_TYPES } as const

/** `neo search` and `neo memory search` are one. */
const SEARCHING = {
  args: '<query>',
  about: 'what is remembered about something, by words and meaning, best first, with file and line',
  options: [
    { flags: '--room <room>', about: 'of this room and the home' },
    { flags: '--type <type>', ...TYPES, many: 'yes' },
    { flags: '--tag <tag>', about: 'with this tag', many: 'yes' },
    { flags: '--since <date>', about: 'kept from this date or time on, or for so long, e.g. 7d' },
    { flags: '--until <date>', about: 'kept up to this date or time' },
    { flags: '--limit <count>', about: 'so many; default 10' },
  ],
  load: async () => (await import('../memory/search.ts')).searchMemories,
} as const

export const SEARCH: readonly Spec[] = [
  { name: 'search', ...SEARCHING, example: "neo search 'when do we ship' --since 30d" },
]

export const MEMORY: readonly Spec[] = [
  {
    name: 'add',
    args: '<room> <text>',
    about: 'keep something in a room; the text with - from stdin',
    options: [
      { flags: '--type <type>', about: 'what it is; default note', choices: MEMORY_TYPES },
      { flags: '--tag <tag>', about: 'a word to find it by; may be given more than once', many: 'yes' },
      {
        flags: '--importance <importance>',
        about: 'how much it counts',
        choices: ['low', 'normal', 'high'],
      },
    ],
    example: "neo memory add shop 'Prices are in euros' --tag prices",
    load: async () => (await import('../memory/add.ts')).addMemory,
  },
  {
    name: 'list',
    about: 'memories, newest first',
    options: [
      { flags: '--room <room>', about: 'of this room' },
      { flags: '--type <type>', ...TYPES },
      { flags: '--limit <count>', about: 'so many; default 50' },
    ],
    example: 'neo memory list --room shop',
    load: async () => (await import('../memory/list-memories.ts')).listMemories,
  },
  { name: 'search', ...SEARCHING, example: "neo memory search 'prices euros'" },
  {
    name: 'distill',
    about: 'make facts and notes of what was said to Neo, and memories of results, now',
    options: [
      { flags: '--room <room>', about: 'in this room only' },
      { flags: '--scope <scope>', about: 'of this conversation, into its own memory' },
    ],
    example: 'neo memory distill --room shop',
    load: async () => (await import('../memory/distill-command.ts')).distillMemories,
  },
  {
    name: 'log',
    args: '[path]',
    about: 'changes of what is remembered, newest first: of a file, a room, or the home',
    options: [
      { flags: '--room <room>', about: 'of this room' },
      { flags: '-n, --limit <count>', about: 'so many; default 50' },
    ],
    example: 'neo memory log workspace/memory/MEMORY.md',
    load: async () => (await import('../memory/memory-history.ts')).memoryHistory,
  },
  {
    name: 'restore',
    args: '<path>',
    about: 'put a file of memory back as it was, a deleted one too: a new commit',
    options: [{ flags: '--commit <commit>', about: 'as in this commit; default: before its last change' }],
    example: 'neo memory restore workspace/memory/MEMORY.md',
    load: async () => (await import('../memory/memory-history.ts')).restoreMemory,
  },
  {
    name: 'delete',
    args: '<memory>',
    about: 'delete one, by its id or path; git keeps what it was',
    example: 'neo memory delete m-4k2m9x',
    load: async () => (await import('../memory/delete-memory.ts')).deleteMemory,
  },
]
