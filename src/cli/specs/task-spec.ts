/**
 * The commands of `neo task`: words and options.
 */
import { PRIORITIES, TASK_STATUSES } from '../../domain/task/task.ts'
import type { Option, Spec } from '../spec.ts'

const MESSAGE: Option = { flags: '-m, --message <text>', about: 'words that go into the file' }

const status = (
  name: 'start' | 'retry' | 'cancel' | 'done' | 'fail',
  about: string,
  example: string,
): Spec => ({
  name,
  args: '<task...>',
  about,
  ...(name === 'done' || name === 'fail' ? { options: [MESSAGE] } : {}),
  example,
  load: async () => (await import('../task/set-task-status.ts')).setStatus(name),
})

export const TASK: readonly Spec[] = [
  {
    name: 'list',
    about: 'all tasks, or those that fit',
    options: [
      { flags: '--room <room>', about: 'of this room', many: 'yes' },
      { flags: '--status <status>', about: 'with this status', choices: TASK_STATUSES, many: 'yes' },
      { flags: '--label <label>', about: 'with this label', many: 'yes' },
      { flags: '--ready', about: 'only those that can start now' },
    ],
    example: 'neo task list --room welcome --status pending',
    load: async () => (await import('../task/list-tasks.ts')).list,
  },
  {
    name: 'show',
    args: '<task>',
    about: 'one task: its fields and its text',
    example: 'neo task show welcome/look-around',
    load: async () => (await import('../task/show-task.ts')).show,
  },
  {
    name: 'new',
    args: '[text]',
    about: 'make a task; its text is the argument, or stdin with -; prints the path',
    options: [
      { flags: '--title <title>', about: 'one line; else the first line of the text' },
      { flags: '--room <room>', about: 'default: lobby' },
      { flags: '--worker <worker>', about: 'agent, shell, human, exec:<name> or peer:<agent>' },
      { flags: '--priority <priority>', about: 'how urgent', choices: PRIORITIES },
      { flags: '--status <status>', about: 'draft does not start yet', choices: ['draft', 'pending'] },
      { flags: '--label <label>', about: 'may be given more than once', many: 'yes' },
      { flags: '--depends-on <task>', about: 'starts after it; may be given more than once', many: 'yes' },
      { flags: '--template <name>', about: 'from templates/tasks/<name>.md' },
      { flags: '--param <name=value>', about: 'a parameter of the template', many: 'yes' },
    ],
    example:
      "printf 'Greets.\\n\\n```sh\\necho hello\\n```\\n' | neo task new --title Hello --room lobby --worker shell -",
    load: async () => (await import('../task/create-task.ts')).create,
  },
  {
    name: 'edit',
    args: '<task> [text]',
    about: 'change fields; the text with - from stdin; without any option in $EDITOR',
    options: [
      { flags: '--title <title>', about: 'one line' },
      { flags: '--status <status>', about: 'as by hand in the file', choices: TASK_STATUSES },
      { flags: '--priority <priority>', about: 'how urgent', choices: PRIORITIES },
      { flags: '--worker <worker>', about: 'agent, shell, human, exec:<name> or peer:<agent>' },
      { flags: '--due <date>', about: 'a date or time' },
      { flags: '--label <label>', about: 'adds it', many: 'yes' },
      { flags: '--unlabel <label>', about: 'takes it away', many: 'yes' },
      { flags: '--depends-on <task>', about: 'adds it', many: 'yes' },
      { flags: '--unset <key>', about: 'takes a field out of the header', many: 'yes' },
    ],
    example: 'neo task edit welcome/try-it --priority high --label today',
    load: async () => (await import('../task/edit-task.ts')).edit,
  },
  status('start', 'let it run: also again, after it has ended', 'neo task start welcome/look-around'),
  status('retry', 'run it again after it has failed or ended', 'neo task retry welcome/look-around'),
  status('cancel', 'end it without a result; what runs is stopped', 'neo task cancel welcome/look-around'),
  status('done', 'say that it is done', "neo task done welcome/try-it -m 'Tried all of it'"),
  status('fail', 'say that it has failed', "neo task fail welcome/try-it -m 'The editor is missing'"),
  {
    name: 'delete',
    args: '<task...>',
    about: 'remove the file; its history stays in git',
    example: 'neo task delete welcome/try-it',
    load: async () => (await import('../task/delete-task.ts')).remove,
  },
]
