/**
 * The table of acting commands: what is typed, what the hub is asked for it, and what a file says then.
 * Takes nothing; gives rows in the order in which they are typed, and the home that they are typed in.
 */
const task = (id: string, more = '') =>
  `---\ntitle: ${id}\nstatus: pending\nworker: human\nneo: { id: t-${id}, created_at: 2026-03-01T09:00:00Z, created_by: human }\n---\nText.\n${more}`
const byModel = (id: string) =>
  `${task(id).replace('worker: human\n', '').replace('by: human', 'by: neo')}\n\`\`\`sh\ntrue\n\`\`\`\n`
const branch = (id: string) =>
  `---\ntitle: ${id}\nreview: branch\nneo: { id: t-${id}, created_at: 2026-03-01T09:00:00Z, created_by: human }\n---\n\`\`\`sh\necho ${id} > ${id}.md\n\`\`\`\n`
const question = (id: string) =>
  `---\nkind: question\nreason: Which one?\nneo: { id: ${id}, created_at: 2026-03-01T09:00:00Z }\n---\nWhich one?\n\n## Answer\n`

const NAMES = ['edits', 'starts', 'retries', 'cancels', 'done', 'silent', 'fails', 'goes'].map(
  (name) => `rest/${name}`,
)
export const FILES: Readonly<Record<string, string>> = {
  'rooms/rest/ROOM.md': '---\nname: Rest\nworker: human\nstatus: paused\n---\n',
  'rooms/other/ROOM.md': '---\nname: Other\n---\n',
  'templates/tasks/form.md':
    '---\ntitle: A {{what}}\nworker: human\nparams:\n  what: { type: string }\n---\nOf it.\n',
  'rooms/rest/schedules/daily.md': '---\ncron: 0 9 1 1 *\nkind: message\n---\nGood morning.\n',
  'rooms/shop/tasks/gives.md': branch('gives'),
  'rooms/shop/tasks/bad.md': branch('bad'),
  'rooms/shop/tasks/wants.md': byModel('wants'),
  'rooms/shop/tasks/wishes.md': byModel('wishes'),
  'rooms/rest/asks/a-qqqqqq.md': question('a-qqqqqq'),
  'rooms/other/memories/gate.md': 'The gate is green\n',
  ...Object.fromEntries(NAMES.map((name) => [`rooms/rest/tasks/${name.slice(5)}.md`, task(name.slice(5))])),
}

export interface Row {
  /** What is typed. `ASK` and `WISH` stand for the ids of the asks about wants and wishes. */
  readonly typed: readonly string[]
  readonly input?: string
  /** What the hub is asked; null: the command's own checks refuse it first. */
  readonly method: string | null
  readonly code?: number
  /** Commits that it makes; absent: one for each call of the hub. */
  readonly commits?: number
  /** A file that is changed, and what it says then; null: it is gone. */
  readonly file?: readonly [path: string, says: RegExp | null]
}

const at = (name: string) => `rooms/rest/tasks/${name}.md`
export const ROWS: readonly Row[] = [
  {
    typed: [
      'task',
      'new',
      '--room',
      'rest',
      '--title',
      'One thing',
      '--label',
      'a',
      '--depends-on',
      'goes',
      '--priority',
      'high',
      '-',
    ],
    input: 'Do it.\n',
    method: 'task.create',
    file: [
      'rooms/rest/tasks/one-thing--*.md',
      /title: One thing\nstatus: pending\npriority: high\ndepends_on: \[goes\]\nlabels: \[a\]\n[\s\S]*created_by: human\n---\nDo it\.\n$/,
    ],
  },
  {
    typed: [
      'task',
      'new',
      '--room',
      'rest',
      '--title',
      'Json',
      '--status',
      'draft',
      '--worker',
      'human',
      '--json',
    ],
    method: 'task.create',
    file: ['rooms/rest/tasks/json--*.md', /status: draft/],
  },
  {
    typed: [
      'task',
      'new',
      '--room',
      'rest',
      '--template',
      'form',
      '--param',
      'what=form',
      '--label',
      'b',
      '--json',
    ],
    method: 'template.run',
    file: ['rooms/rest/tasks/a-form--*.md', /labels: \[b\]/],
  },
  { typed: ['task', 'new', '--room', 'nowhere', '--title', 'x'], method: null, code: 4 },
  {
    typed: ['task', 'new', '--room', 'rest', '```sh\nopen fence'],
    method: 'task.create',
    commits: 0,
    code: 2,
  },
  {
    typed: ['task', 'new', '--room', 'rest', '--template', 'form'],
    method: null,
    code: 2,
  },
  {
    typed: [
      'task',
      'edit',
      'edits',
      '--title',
      'Edited',
      '--priority',
      'low',
      '--label',
      'l',
      '--depends-on',
      'goes',
      '--json',
    ],
    method: 'task.update',
    file: [at('edits'), /title: Edited[\s\S]*priority: low[\s\S]*Text\./],
  },
  {
    typed: ['task', 'edit', 'edits', '-', '--unset', 'labels'],
    input: 'Another text',
    method: 'task.update',
    file: [at('edits'), /---\nAnother text\n$/],
  },
  {
    typed: ['task', 'edit', 'edits', '--due', 'never'],
    // An invalid parameter: refused before anything is recorded.
    method: null,
    commits: 0,
    code: 2,
    file: [at('edits'), /---\nAnother text\n$/],
  },
  {
    typed: ['rpc', 'task.update', '{"taskId": "rest/edits", "updates": {"labels": ["x"]}}', '--json'],
    method: 'task.update',
    file: [at('edits'), /labels: \[x\]/],
  },
  { typed: ['task', 'edit', 'nothing', '--title', 'x'], method: null, code: 4 },
  {
    typed: ['task', 'cancel', 'cancels', 'retries', '--json'],
    method: 'task.cancel',
    file: [at('cancels'), /status: cancelled/],
  },
  { typed: ['task', 'retry', 'retries'], method: 'task.retry', file: [at('retries'), /status: pending/] },
  {
    typed: ['task', 'done', 'done', '-m', 'All of\nit'],
    method: 'task.complete',
    file: [at('done'), /status: completed[\s\S]*result: All of it/],
  },
  { typed: ['task', 'done', 'silent'], method: 'task.complete', file: [at('silent'), /status: completed/] },
  {
    typed: ['task', 'done', 'silent'],
    method: 'task.complete',
    commits: 0,
    file: [at('silent'), /status: completed/],
  },
  {
    typed: ['task', 'fail', 'fails', '-m', 'No', '--json'],
    method: 'task.fail',
    file: [at('fails'), /status: failed[\s\S]*error: "?No/],
  },
  {
    typed: ['task', 'start', 'starts'],
    method: 'task.start',
    commits: 0,
    file: [at('starts'), /status: pending/],
  },
  { typed: ['task', 'start', 'fails'], method: 'task.start', file: [at('fails'), /status: pending/] },
  { typed: ['task', 'retry', 'nothing'], method: null, code: 4 },
  { typed: ['task', 'delete', 'goes', '--json'], method: 'task.delete', file: [at('goes'), null] },
  {
    typed: ['room', 'new', 'web', '--description', 'A shop', '--worker', 'human', '--workspace', '../web'],
    method: 'room.create',
    file: [
      'rooms/web/ROOM.md',
      /name: web\nstatus: active\ndescription: A shop\nworkspace: \.\.\/web\nworker: human/,
    ],
  },
  { typed: ['room', 'new', 'WEB'], method: null, code: 1 },
  {
    typed: ['room', 'pause', 'other'],
    method: 'room.pause',
    file: ['rooms/other/ROOM.md', /status: paused/],
  },
  {
    typed: ['room', 'pause', 'other'],
    method: 'room.pause',
    commits: 0,
    file: ['rooms/other/ROOM.md', /status: paused/],
  },
  {
    typed: ['room', 'resume', 'other', '--json'],
    method: 'room.resume',
    file: ['rooms/other/ROOM.md', /status: active/],
  },
  {
    typed: ['room', 'archive', 'other'],
    method: 'room.archive',
    file: ['rooms/other/ROOM.md', /status: archived/],
  },
  { typed: ['schedule', 'run', 'daily'], method: 'schedule.run' },
  {
    typed: ['memory', 'add', 'rest', 'The pump is blue'],
    method: 'memory.add',
    file: ['rooms/rest/memories/*.md', /The pump is blue/],
  },
  {
    typed: ['memory', 'delete', 'rooms/other/memories/gate.md', '--json'],
    method: 'memory.delete',
    file: ['rooms/other/memories/gate.md', null],
  },
  {
    typed: ['memory', 'restore', 'rooms/other/memories/gate.md', '--json'],
    method: 'memory.restore',
    file: ['rooms/other/memories/gate.md', /The gate is green/],
  },
  {
    typed: ['member', 'add', 'bob'],
    method: 'member.add',
    file: ['workspace/members/bob.md', /role: member/],
  },
  { typed: ['member', 'token', 'bob', '--revoke'], method: 'member.revoke', commits: 0 },
  { typed: ['member', 'remove', 'bob'], method: 'member.remove', file: ['workspace/members/bob.md', null] },
  {
    typed: ['ask', 'approve', 'ASK'],
    method: 'ask.decide',
    file: ['rooms/shop/asks/ASK.md', /decision: approved[\s\S]*decided_by: Ana/],
  },
  { typed: ['ask', 'deny', 'ASK'], method: 'ask.decide', commits: 0, code: 5 },
  {
    typed: ['ask', 'deny', 'WISH'],
    method: 'ask.decide',
    file: ['rooms/shop/asks/WISH.md', /decision: denied[\s\S]*decided_by: Ana/],
  },
  {
    typed: ['ask', 'answer', 'a-qqqqqq', 'The second.'],
    method: 'ask.decide',
    file: ['rooms/rest/asks/a-qqqqqq.md', /decided_by: Ana[\s\S]*## Answer\n\nThe second\.\n$/],
  },
  {
    typed: ['review', 'accept', 'shop/gives'],
    method: 'review.accept',
    file: ['workspace/files/gives.md', /^gives\n$/],
  },
  { typed: ['review', 'accept', 'shop/gives'], method: null, code: 4 },
  {
    typed: ['review', 'reject', 'shop/bad', '--json'],
    method: 'review.reject',
    file: ['rooms/shop/tasks/bad.md', /status: failed[\s\S]*error: rejected by Ana/],
  },
]
