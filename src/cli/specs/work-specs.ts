/** Commands for tasks, rooms, sessions and schedules. */
import { SESSION_STATUSES } from '../../domain/session/session.ts'
import { TASK_STATUSES, WORKER_FORMS } from '../../domain/task/task.ts'
import { taskKeys } from '../../files/kinds/task-keys.ts'
import type { Option, Spec, Specs } from '../spec.ts'
import { headerFlags } from './header-flags.ts'

const ROOM_OPTION: Option = { flags: '--room <room>', about: 'Only this room' }
const WORKER = ['worker', `Who does the work: ${WORKER_FORMS}`] as const
const PRIORITY = ['priority', 'Set the priority'] as const
const LABEL = ['labels', 'Add a label'] as const
/** Keys of a task without a flag: they are set in the file. */
const BY_HAND = [
  'model',
  'persona',
  'workspace',
  'review',
  'verify',
  'retry',
  'on_interrupt',
  'timeout',
  'budget',
  'env',
  'params',
  'neo',
] as const satisfies readonly (keyof typeof taskKeys)[]

type StatusCommand = 'start' | 'retry' | 'cancel' | 'done' | 'fail'

const taskStatus = (name: StatusCommand, about: string, example: string): Spec => ({
  args: '<task...>',
  about,
  ...(name === 'done' || name === 'fail'
    ? { options: [{ flags: '-m, --message <text>', about: 'Add this text to the task file' }] }
    : {}),
  example,
  load: async () => (await import('../task/change-tasks.ts')).setStatus(name),
})

const roomStatus = (name: 'pause' | 'resume' | 'archive', about: string): Spec => ({
  args: '<room...>',
  about,
  example: `neo room ${name} welcome`,
  load: async () => (await import('../room/change-rooms.ts')).setRoomStatus(name),
})

export const WORK = {
  task: {
    list: {
      about: 'List tasks',
      options: [
        { flags: '--room <room>', about: 'Only this room', many: true },
        { flags: '--status <status>', about: 'Only this status', choices: TASK_STATUSES, many: true },
        { flags: '--label <label>', about: 'Only this label', many: true },
        { flags: '--ready', about: 'Only tasks that can start now' },
      ],
      example: 'neo task list --room welcome --status pending',
      load: async () => (await import('../task/show-tasks.ts')).list,
    },
    show: {
      args: '<task>',
      about: 'Show the fields and the text of a task',
      example: 'neo task show welcome/look-around',
      load: async () => (await import('../task/show-tasks.ts')).show,
    },
    new: {
      args: '[text]',
      about: 'Create a task and print the path of its file. Use - to read the text from stdin.',
      options: headerFlags(
        taskKeys,
        [
          ['title', 'Set the title (default: the first line of the text)'],
          { flags: '--room <room>', about: 'Create it in this room (default: lobby)' },
          WORKER,
          PRIORITY,
          ['status', 'Set the status; a draft does not start', { choices: ['draft', 'pending'] }],
          LABEL,
          ['depends_on', 'Start after this task', { value: 'task' }],
          { flags: '--template <name>', about: 'Create it from templates/tasks/<name>.md' },
          { flags: '--param <name=value>', about: 'Set a parameter of the template', many: true },
        ],
        [...BY_HAND, 'due'],
      ),
      example: "neo task new 'Write the release notes' --room lobby --worker human",
      load: async () => (await import('../task/change-tasks.ts')).create,
    },
    edit: {
      args: '<task> [text]',
      about:
        'Change fields or the text of a task. Without options, opens the file in $EDITOR. Use - to read the ' +
        'text from stdin.',
      options: headerFlags(
        taskKeys,
        [
          ['title', 'Set the title'],
          ['status', 'Set the status, as if you edited the file'],
          PRIORITY,
          WORKER,
          ['due', 'Set the due date or time', { value: 'date' }],
          LABEL,
          { flags: '--unlabel <label>', about: 'Remove a label', many: true },
          ['depends_on', 'Add a dependency', { value: 'task' }],
          { flags: '--unset <key>', about: 'Remove a field from the header', many: true, param: 'unset' },
        ],
        BY_HAND,
      ),
      example: 'neo task edit welcome/try-it --priority high --label today',
      load: async () => (await import('../task/change-tasks.ts')).edit,
    },
    start: taskStatus(
      'start',
      'Start tasks, or start them again after they ended',
      'neo task start welcome/look-around',
    ),
    retry: taskStatus('retry', 'Retry tasks that failed or ended', 'neo task retry welcome/look-around'),
    cancel: taskStatus(
      'cancel',
      'Cancel tasks, and stop their sessions',
      'neo task cancel welcome/look-around',
    ),
    done: taskStatus('done', 'Mark tasks as completed', "neo task done welcome/try-it -m 'Tried all of it'"),
    fail: taskStatus(
      'fail',
      'Mark tasks as failed',
      "neo task fail welcome/try-it -m 'The editor is missing'",
    ),
    delete: {
      args: '<task...>',
      about: 'Delete task files. Their history stays in git.',
      example: 'neo task delete welcome/try-it',
      load: async () => (await import('../task/change-tasks.ts')).remove,
    },
  },
  room: {
    list: {
      about: 'List rooms, with the number of their tasks',
      options: [{ flags: '--all', about: 'Also show archived rooms' }],
      example: 'neo room list',
      load: async () => (await import('../room/show-rooms.ts')).listRooms,
    },
    show: {
      args: '<room>',
      about: 'Show the settings and instructions of a room',
      example: 'neo room show welcome',
      load: async () => (await import('../room/show-rooms.ts')).showRoom,
    },
    new: {
      args: '<name>',
      about: 'Create a room and print the path of its ROOM.md',
      options: [
        { flags: '--description <text>', about: 'Describe it in one line', param: 'description' },
        {
          flags: '--workspace <folder>',
          about: 'Work in this git repository or folder',
          param: 'defaultWorkspace',
        },
        { flags: '--worker <worker>', about: WORKER[1], param: 'worker' },
        { flags: '--template <name>', about: 'Create it from templates/rooms/<name>/', param: 'template' },
      ],
      example: "neo room new shop --description 'The web shop' --workspace ../shop",
      load: async () => (await import('../room/change-rooms.ts')).newRoom,
    },
    edit: {
      args: '<room>',
      about: 'Open ROOM.md in $EDITOR, and check it after saving',
      example: 'neo room edit welcome',
      load: async () => (await import('../room/change-rooms.ts')).editRoom,
    },
    pause: roomStatus('pause', 'Pause rooms: no task starts, running tasks continue'),
    resume: roomStatus('resume', 'Resume paused or archived rooms'),
    archive: roomStatus('archive', 'Archive rooms: no task starts, lists leave them out'),
  },
  session: {
    list: {
      about: 'List sessions, newest first',
      options: [
        ROOM_OPTION,
        { flags: '--status <status>', about: 'Only this status', choices: SESSION_STATUSES },
        { flags: '--limit <count>', about: 'Show this many (default: 50)' },
      ],
      example: 'neo session list --room welcome',
      load: async () => (await import('../session/show-sessions.ts')).listSessions,
    },
    show: {
      args: '<session|task>',
      about: 'Show a session, or the newest one of a task',
      example: 'neo session show welcome/look-around',
      load: async () => (await import('../session/show-sessions.ts')).showSession,
    },
    tail: {
      args: '<session|task>',
      about: 'Show the end of the transcript of a session, or of the newest one of a task',
      options: [
        { flags: '-f, --follow', about: 'Print new entries until the session ends' },
        { flags: '-n, --lines <count>', about: 'Show this many entries (default: 20)' },
      ],
      example: 'neo session tail welcome/look-around -f',
      load: async () => (await import('../session/tail-session.ts')).tail,
    },
    send: {
      args: '<session|task> <text>',
      about:
        'Send a message to a running session, or answer its question. Use - to read the text from stdin.',
      example: "neo session send welcome/ask-an-agent 'Keep it short'",
      load: async () => (await import('../session/continue-sessions.ts')).send,
    },
    resume: {
      args: '<session|task>',
      about: 'Resume an interrupted session',
      example: 'neo session resume s-4k2m9x',
      load: async () => (await import('../session/continue-sessions.ts')).resume,
    },
  },
  schedule: {
    list: {
      about: 'List schedules with their last and next run, and problems in their files',
      options: [ROOM_OPTION],
      example: 'neo schedule list',
      load: async () => (await import('../commands/schedule-commands.ts')).listSchedules,
    },
    next: {
      args: '[schedule]',
      about: 'Show the next runs of one schedule, or of all',
      options: [{ flags: '--count <count>', about: 'Show this many (default: 5)' }, ROOM_OPTION],
      example: 'neo schedule next --count 10',
      load: async () => (await import('../commands/schedule-commands.ts')).nextRuns,
    },
    run: {
      args: '<schedule>',
      about: 'Create the task or message of a schedule now, and print its path. Its regular times stay.',
      example: 'neo schedule run welcome/nightly',
      load: async () => (await import('../commands/schedule-commands.ts')).runSchedule,
    },
  },
} satisfies Record<string, Specs>
