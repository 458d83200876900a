/**
 * What parameters mean, in one line for models, by their names, which mean the same in every method.
 */
const ASKED = 'A person is asked'
/** What a model may wish for, and a person decides. */
const asked = Object.fromEntries(
  [
    [
      'approvers',
      'base',
      'budget',
      'cleanup',
      'defaultModel',
      'defaultWorkspace',
      'env',
      'envFiles',
      'hooks',
    ],
    [
      'mcpServers',
      'model',
      'notify',
      'onInterrupt',
      'orchestrator',
      'permissions',
      'retry',
      'setup',
      'timeout',
    ],
  ]
    .flat()
    .map((name) => [name, ASKED]),
)

export const PARAMETERS: Readonly<Record<string, string>> = {
  roomId: 'The room: the name of its folder, as neo_room_list gives it',
  taskId: 'The task: its id (t-…), path, room/name, or name where only one task has it',
  sessionId: 'The session: its id (s-…)',
  memoryId: 'The memory: its id (m-…)',
  name: 'Its name',
  title: 'One line: what is wanted',
  description: 'Markdown: what is wanted, in full, for whoever does it. A checklist (- [ ]) is its plan',
  instructions: 'Markdown: the standing instruction for all work in the room',
  priority: 'low, normal, high or urgent',
  worker:
    'agent (a model does it), human (a person does it), shell (its sh blocks are run, after a person said yes), exec:NAME',
  dependsOn: 'Tasks that must be completed first: names, or room/name',
  labels: 'Words to find it by',
  due: 'A day or time, such as 2026-03-05',
  status: 'Only these; leave it out for all',
  label: 'Only tasks with this label',
  limit: 'At most so many',
  cursor: 'nextCursor of the page before',
  seconds: 'How long to wait at most',
  updates: 'The fields to set; null takes one out',
  result: 'What came of it',
  error: 'Why it cannot be done',
  content: 'The text, in markdown',
  type: 'conversation, task_result, preference, pattern or note',
  types: 'Only these kinds',
  tags: 'Words to find it by',
  importance: 'low, normal or high',
  query: 'What is looked for, in plain words',
  from: 'A day or time: not before it',
  to: 'A day or time: not after it',
  includeArchived: 'Archived rooms too',
  all: 'Decided ones too',
  by: 'day, room, model or session',
  template: 'A template by its name',
  params: 'Values for the parameters of the template',
  actor: 'human, neo, member:ID, session:ID, or a name in git',
  kinds: 'Only these: git, audit, transcript, commit, decision, …',
  since: 'A day or time: not before it',
  until: 'A day or time: not after it',
  cron: 'Five fields, such as 0 9 * * 1-5',
  every: 'A duration, such as 30m or 1d',
  at: 'A day and time: once',
  timezone: "Such as Europe/Berlin; else the home's",
  kind: 'task: its content becomes a task; message: it is said to the Neo of the room',
  concurrency: 'How many sessions at once',
  keep: 'How many session files stay',
  workspace:
    "The repository or folder to work in; else the room's. Others than the listed ones: a person is asked",
  verify: 'Commands that must pass before it counts as done. A person is asked',
  review: 'none, branch or pr. A person is asked',
  ...asked,
}
