/** Commands to talk with Neo, to decide, and to remember. */
import { MEMORY_TYPES, memoryKeys } from '../../files/kinds/read-memory.ts'
import type { Option, Specs } from '../spec.ts'
import { headerFlags } from './header-flags.ts'

const ROOM_OPTION: Option = { flags: '--room <room>', about: 'Only this room', param: 'roomId' }

/** `neo search` and `neo memory search` are the same command. */
const SEARCHING = {
  args: '<query>',
  about: 'Search memories, facts, results and conversations by words and meaning, best match first',
  options: [
    { flags: '--room <room>', about: 'Only this room and the home', param: 'roomId' },
    { flags: '--type <type>', about: 'Only this type', choices: MEMORY_TYPES, many: true, param: 'types' },
    { flags: '--tag <tag>', about: 'Only this tag', many: true, param: 'tags' },
    { flags: '--since <date>', about: 'Only from this date or time on, or the last days, such as 7d' },
    { flags: '--until <date>', about: 'Only up to this date or time' },
    { flags: '--limit <count>', about: 'Show this many (default: 10)', param: 'limit' },
  ],
  load: async () => (await import('../commands/memory-commands.ts')).searchMemories,
} as const

export const TALK = {
  say: {
    args: '<room> <text>',
    about: 'Send a message to the Neo of a room. Use - to read the text from stdin.',
    options: [
      { flags: '--wait', about: 'Wait for the reply and print it' },
      { flags: '--timeout <duration>', about: 'Wait at most this long (default: 10m)' },
    ],
    example: "neo say lobby 'What is there to do?' --wait",
    load: async () => (await import('../commands/say-command.ts')).say,
  },
  chat: {
    args: '[room]',
    about:
      'Talk to the Neo of a room (default: lobby). Outside a home, talk to a plain assistant. Also reads ' +
      'messages from a pipe, one a line.',
    options: [
      { flags: '--workspace <dir>', about: 'Talk to a plain assistant that has tools for this folder only' },
      {
        flags: '--model <ref>',
        about: 'Use this model for a plain assistant (default: $NEO_MODEL, or by the API key that is set)',
      },
      { flags: '--save', about: 'Save the conversation with a plain assistant in a new file in this folder' },
    ],
    example: 'neo chat lobby',
    load: async () => (await import('../chat/chat-command.ts')).chat,
  },
  review: {
    list: {
      about: 'List work that waits for your review',
      options: [ROOM_OPTION],
      example: 'neo review list',
      load: async () => (await import('../commands/review-commands.ts')).listReviews,
    },
    show: {
      args: '<task>',
      about: 'Show the result, the checks and the changed files',
      example: 'neo review show shop/fix-login',
      load: async () => (await import('../commands/review-commands.ts')).showReview,
    },
    diff: {
      args: '<task>',
      about: 'Show the diff against the base branch',
      example: 'neo review diff shop/fix-login | less',
      load: async () => (await import('../commands/review-commands.ts')).diffReview,
    },
    accept: {
      args: '<task>',
      about: 'Merge the branch and complete the task',
      example: 'neo review accept shop/fix-login',
      load: async () => (await import('../commands/review-commands.ts')).accept,
    },
    reject: {
      args: '<task>',
      about: 'Reject the work. With -m the worker tries again on its branch; without it the task fails.',
      options: [{ flags: '-m, --message <text>', about: 'Say what to change, and start another attempt' }],
      example: "neo review reject shop/fix-login -m 'The test is missing'",
      load: async () => (await import('../commands/review-commands.ts')).reject,
    },
  },
  ask: {
    list: {
      about: 'List approval requests and questions that wait for you',
      options: [ROOM_OPTION, { flags: '--all', about: 'Also show decided requests' }],
      example: 'neo ask list',
      load: async () => (await import('../commands/ask-commands.ts')).listAsks,
    },
    show: {
      args: '<ask>',
      about: 'Show a request, with exactly what would run',
      example: 'neo ask show a-4k2m9x',
      load: async () => (await import('../commands/ask-commands.ts')).showAsk,
    },
    approve: {
      args: '<ask>',
      about: 'Approve exactly what the request shows',
      example: 'neo ask approve a-4k2m9x',
      load: async () => (await import('../commands/ask-commands.ts')).approve,
    },
    deny: {
      args: '<ask>',
      about: 'Deny a request',
      example: 'neo ask deny a-4k2m9x',
      load: async () => (await import('../commands/ask-commands.ts')).deny,
    },
    answer: {
      args: '<ask> <text>',
      about: 'Answer a question. Use - to read the text from stdin.',
      example: "neo ask answer a-4k2m9x 'The second one'",
      load: async () => (await import('../commands/ask-commands.ts')).answer,
    },
  },
  search: { ...SEARCHING, example: "neo search 'when do we ship' --since 30d" },
  memory: {
    add: {
      args: '<room> <text>',
      about: 'Add a memory to a room. Use - to read the text from stdin.',
      options: headerFlags(
        memoryKeys,
        [
          ['type', 'Set the type (default: note)'],
          ['tags', 'Add a tag'],
          ['importance', 'Set how important it is'],
        ],
        ['neo'],
      ),
      example: "neo memory add shop 'Prices are in euros' --tag prices",
      load: async () => (await import('../commands/memory-commands.ts')).addMemory,
    },
    list: {
      about: 'List memories, newest first',
      options: [
        ROOM_OPTION,
        { flags: '--type <type>', about: 'Only this type', choices: MEMORY_TYPES, param: 'type' },
        { flags: '--limit <count>', about: 'Show this many (default: 50)' },
      ],
      example: 'neo memory list --room shop',
      load: async () => (await import('../commands/memory-commands.ts')).listMemories,
    },
    search: { ...SEARCHING, example: "neo memory search 'prices euros'" },
    distill: {
      about: 'Extract facts and notes from conversations and results now',
      options: [
        ROOM_OPTION,
        { flags: '--scope <scope>', about: 'Only this conversation, into its own memory' },
      ],
      example: 'neo memory distill --room shop',
      load: async () => (await import('../commands/memory-commands.ts')).distillMemories,
    },
    log: {
      args: '[path]',
      about: 'Show changes to memory files, newest first: of one file, a room, or the home',
      options: [
        ROOM_OPTION,
        { flags: '-n, --limit <count>', about: 'Show this many (default: 50)', param: 'limit' },
      ],
      example: 'neo memory log workspace/memory/MEMORY.md',
      load: async () => (await import('../commands/memory-commands.ts')).memoryHistory,
    },
    restore: {
      args: '<path>',
      about: 'Restore an earlier version of a memory file, also of a deleted one. Makes a new commit.',
      options: [
        {
          flags: '--commit <commit>',
          about: 'Restore the version in this commit (default: the previous one)',
          param: 'commit',
        },
      ],
      example: 'neo memory restore workspace/memory/MEMORY.md',
      load: async () => (await import('../commands/memory-commands.ts')).restoreMemory,
    },
    delete: {
      args: '<memory>',
      about: 'Delete a memory, by id or path. Its history stays in git.',
      example: 'neo memory delete m-4k2m9x',
      load: async () => (await import('../commands/memory-commands.ts')).deleteMemory,
    },
  },
} satisfies Record<string, Specs>
