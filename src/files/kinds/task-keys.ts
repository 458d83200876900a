/**
 * The keys of a task's header, one row each: kind of value, allowed values, description. Plain data: it loads neither
 * zod nor a parser, so that commands can use it. check-value.ts says what a row means.
 */
import {
  BLOCKED_BY,
  ON_INTERRUPT,
  PRIORITIES,
  REVIEWS,
  TASK_STATUSES,
  WORKERS_EXPLAINED,
} from '../../domain/task/task.ts'
import { duration } from '../values/duration.ts'
import {
  budget,
  command,
  createdBy,
  id,
  bookkeeping,
  nonEmptyText,
  retry,
  used,
  variable,
  worker,
} from '../values/header-values.ts'
import {
  choice,
  decimal,
  describe,
  guard,
  integer,
  keys,
  map,
  naming,
  text,
  textList,
} from '../values/shape.ts'
import { time } from '../values/times.ts'

const neo = bookkeeping({
  id: describe('Id of the task.', id),
  created_by: createdBy,
  session: describe('Current or latest session.', id),
  attempt: describe('Number of attempts so far.', integer()),
  progress: describe('Progress in percent.', decimal(0, 100)),
  current_step: describe('Step that is running.', text()),
  started_at: describe('Start of the latest attempt.', time),
  completed_at: describe('End of the latest attempt.', time),
  result: describe('Result in one line. The session file has the details.', text()),
  error: describe('Error in one line.', text()),
  blocked: describe(
    'Why Neo blocked the task. It is removed when the task can continue.',
    choice(...BLOCKED_BY),
  ),
  handled: describe('Latest event that Neo has reacted to.', text()),
  retry_at: describe('Earliest start of the next attempt.', time),
  retries: describe('Number of automatic retries since the task was last set to `pending`.', integer()),
  branch: describe('Branch with the work.', text()),
  pr: describe('URL of the pull request.', text()),
  hold: describe('Why the work needs your review although `review: none` is set.', text()),
  verified: describe(
    'Result of the latest checks.',
    keys({
      at: describe('Time of the checks.', time),
      commands: describe('Number of commands.', integer()),
      passed: describe('Number of commands that passed.', integer()),
    }),
  ),
  usage: describe('Usage of all attempts.', keys(used)),
})

/** Keys of ROOM.md that hold for all its tasks. */
export const keysOfRooms = {
  permissions: "Set permissions in ROOM.md; tasks don't have this key.",
  concurrency: "Set concurrency in ROOM.md; tasks don't have this key.",
}

/** Templates have them too, with `params` of another form; schedules have those that they set for each task. */
export const taskKeys = {
  title: describe('Title in one line. Default: the first heading, else the file name.', text()),
  status: guard(
    'State of the task. Set `pending` to run it or run it again, `cancelled` to stop it. Default: `pending`.',
    choice(...TASK_STATUSES),
  ),
  priority: describe('Tasks with a higher priority start first. Default: `normal`.', choice(...PRIORITIES)),
  depends_on: guard(
    'Tasks that must be completed first, by id, file name (with or without its id) or `room/name`. Example: `[design, shop/prices]`.',
    textList(nonEmptyText),
  ),
  worker: guard(`Who does the task: ${WORKERS_EXPLAINED}. Default: that of the room.`, worker),
  model: guard(
    'Model as `provider/model`, or `none`. Default: that of the room, else of neo.yaml.',
    naming('provider'),
  ),
  persona: describe(
    'Persona: how an agent works. The `name` of a file in `workspace/agents/`, such as `reviewer`.',
    naming('persona'),
  ),
  workspace: guard(
    'Git repository or folder to work in, relative to the home. Default: that of the room.',
    nonEmptyText,
  ),
  review: guard(
    'What happens to finished work: `none` merges it, `branch` waits for your review, `pr` opens a pull request. Default: that of the room.',
    choice(...REVIEWS),
  ),
  verify: guard(
    'Commands that must pass in the worktree before the task is completed, such as `npm test`. Default: those of the room.',
    textList(command),
  ),
  labels: describe('Labels for searching and filtering.', textList()),
  due: describe(
    'Due date or time, such as `2026-03-05`. Neo does not start or stop anything because of it.',
    time,
  ),
  retry: describe(
    'Number of retries after a failure, or `{ max: 2, backoff: 30s }`. The wait doubles after each retry. Default: 0.',
    retry,
  ),
  on_interrupt: describe(
    'What to do if Neo cannot tell whether a step ran before a crash. With `retry`, a step can run twice. Default: `ask`.',
    choice(...ON_INTERRUPT),
  ),
  timeout: guard('Maximum duration of an attempt. Default: 1h.', duration),
  budget: describe(
    'Spending limit, such as `{ usd: 2, turns: 40 }`. A single number is US dollars. Default: that of the room.',
    budget,
  ),
  env: describe(
    'Names of environment variables to pass to the task besides those of the room.',
    textList(variable),
  ),
  params: describe('Parameter values, for a template or for a task that `peer:ID` does.', map(text())),
  neo,
}
