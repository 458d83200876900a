/** A mistyped value of a key that guards is an error at its place: nothing runs without the check, review or limit. */
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/files/config/read-config.ts'
import type { Read } from '../../../src/files/header/read-header.ts'
import { readAgent } from '../../../src/files/kinds/read-agent.ts'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readRoom } from '../../../src/files/kinds/read-room.ts'
import { readSchedule } from '../../../src/files/kinds/read-schedule.ts'
import { readScope } from '../../../src/files/kinds/read-scope.ts'
import { readTask } from '../../../src/files/kinds/read-task.ts'
import { readTemplate } from '../../../src/files/kinds/read-template.ts'
import { inlineText } from '../../../src/files/edit/scalar.ts'

const header = (lines: string) => `---\n${lines}\n---\nText.\n`

const READERS: Readonly<Record<string, (lines: string) => Read<unknown>>> = {
  task: (lines) => readTask('a.md', header(lines), 'UTC'),
  schedule: (lines) => readSchedule('a.md', header(`${lines}\nevery: 1d`)),
  template: (lines) => readTemplate('a.md', header(lines)),
  room: (lines) => readRoom('a.md', header(lines), 'a'),
  member: (lines) => readMember('a.md', header(lines)),
  agent: (lines) => readAgent('a.md', header(lines)),
  scope: (lines) => readScope('a.md', header(lines)),
  config: (lines) => readConfig('a.yaml', `# first\n${lines}\n`, {}),
}

/** As they are typed; the value begins at the column. */
const OF_TASKS: readonly (readonly [lines: string, column: number])[] = [
  ...['ture', 'off ', 'yes', 'true', 'Branch', '[branch]', 'pr, branch', '“branch”', '""', 'branch;'].map(
    (value) => [`review: ${value}`, 9] as const,
  ),
  ...['10 minuts', '10', '10 min', '\uff11\uff10m', '-5m', '10:00', '[10m]', 'off', '10,5m', '10M'].map(
    (value) => [`timeout: ${value}`, 10] as const,
  ),
  ...['5 euros', '$5', '5,00', '"5"', '\uff15', 'five', '-1', '[5]', 'true', '.inf', '1_000'].map(
    (value) => [`budget: ${value}`, 9] as const,
  ),
  ...['true', 'yes', 'on', 'no', 'false', 'none', '""', '[npm test', '"npm test', '{ run: npm test }'].map(
    (value) => [`verify: ${value}`, 9] as const,
  ),
  ...['#npm test', '- npm test', '* npm test', 'npm run test: ci'].map(
    (value) => [`verify: ${value}`, 9] as const,
  ),
  ['verify: npm test #all', 18],
  ['verify: [npm test, true]', 20],
  ['budget: { usd: 5 euros }', 16],
  ['budget: { euros: 5 }', 11],
  ['budget: { usd 5 }', 11],
  ['worker: Human', 9],
  ['worker: [human]', 9],
  ['permissions: { shell: ask }', 1],
  ['concurrency: 1', 1],
]

const ALL: readonly (readonly [kind: string, lines: string, column: number])[] = [
  ...['task', 'schedule', 'template'].flatMap((kind) => OF_TASKS.map((one) => [kind, ...one] as const)),
  ['task', 'depends_on: #12', 13],
  ['task', 'status: paused', 9],
  ['schedule', 'status: puased', 9],
  ['schedule', 'catch_up: no', 11],
  ['schedule', 'overlap: no', 10],
  ['schedule', 'depends_on: [a]', 1],
  ['schedule', 'disabled: true', 1],
  ...['deni', '[deny]', 'no', 'false'].map(
    (value) => ['room', `permissions: { shell: ${value} }`, 23] as const,
  ),
  ...['deny', 'no', 'false', '[]', '[deny]'].map((value) => {
    return ['room', `permissions: { write: ${value} }`, value === '[deny]' ? 24 : 23] as const
  }),
  ['room', 'permissions: { shel: deny }', 16],
  ['room', 'permissions: deny', 14],
  ['room', 'timeout: 10m', 1],
  ['room', 'verify: yes', 9],
  ['room', 'concurrency: \uff12', 14],
  ['room', 'budget: 5', 9],
  ['member', 'suspended: yes', 12],
  ['member', 'blocked: true', 1],
  ['config', 'sandbox: off', 10],
  ['config', 'sandbox: { network: deny }', 12],
  ['config', 'budget: { usd_per_day: 5 euros }', 24],
  ['config', 'budget: { usd: 5 }', 11],
  ['config', 'daemon: { concurrency: two }', 24],
  ['config', 'transcripts: off', 14],
]

/** Without a value, as in an edit that is not finished: `where` is the key or item that has none. */
const EMPTY: readonly (readonly [kind: string, lines: string, where: string])[] = [
  ...['task', 'schedule', 'template'].flatMap((kind) => [
    ...['review', 'verify', 'timeout', 'budget', 'worker', 'model', 'workspace'].flatMap((key) => [
      [kind, `${key}:`, key] as const,
      [kind, `${key}: ~`, key] as const,
      [kind, `${key}: ""`, key] as const,
      [kind, `${key}: " "`, key] as const,
      [kind, `${key}: # later`, key] as const,
      [kind, `${key}: {}`, key] as const,
    ]),
    [kind, 'verify:\n  - npm test\n  -', 'verify[1]'] as const,
    [kind, 'budget: { usd: }', 'budget.usd'] as const,
    [kind, 'budget:\n  usd:\n  turns: 3', 'budget.usd'] as const,
  ]),
  ['task', 'status:', 'status'],
  ['task', 'depends_on:', 'depends_on'],
  ['schedule', 'catch_up:', 'catch_up'],
  ['schedule', 'template:', 'template'],
  ['room', 'permissions:', 'permissions'],
  ['room', 'permissions: {}', 'permissions'],
  ['room', 'permissions: { shell: , network: deny }', 'permissions.shell'],
  ['room', 'permissions: { write: }', 'permissions.write'],
  ['room', 'concurrency:', 'concurrency'],
  ['room', 'mcp_servers: { a: { command: x, disabled: } }', 'mcp_servers.a.disabled'],
  ['member', 'role:', 'role'],
  ['member', 'permissions: {}', 'permissions'],
  ['member', 'suspended:', 'suspended'],
  ['member', 'guards: { in: }', 'guards.in'],
  ['agent', 'tailscale_node: a\nstatus:', 'status'],
  ['scope', 'roles:', 'roles'],
  ['scope', 'members: []', 'members'],
  ['scope', 'guards: {}', 'guards'],
  ['config', 'budget:', 'budget'],
  ['config', 'budget: { usd_per_day: }', 'budget.usd_per_day'],
  ['config', 'sandbox: {}', 'sandbox'],
  ['config', 'daemon: { branch: "" }', 'daemon.branch'],
  [
    'config',
    'access: { rules: [{ agent_id: "*", pattern: a/b, permission: read, expires_at: }] }',
    'access.rules[0].expires_at',
  ],
]

test.each(EMPTY)('of %s, %j without a value is an error, and %s is named', (kind, lines, where) => {
  expect(READERS[kind]?.(lines)).toMatchObject({
    kind: 'bad',
    problems: [{ severity: 'error', message: expect.stringMatching(new RegExp(`^${escaped(where)}: `)) }],
  })
})

function escaped(text: string): string {
  return text.replaceAll(/[.[\]]/g, '\\$&')
}

test.each([
  ['task', 'verify: []', 'verify'],
  ['task', 'depends_on: []', 'depends_on'],
  ['room', 'verify: []', 'verify'],
  ['agent', 'capabilities: []', 'capabilities'],
  ['config', 'heartbeat: { active_hours: [] }', 'heartbeat.active_hours'],
])('of %s, the list in %j says none: a warning', (kind, lines, where) => {
  const said = READERS[kind]?.(lines)
  const warnings = said?.kind === 'ok' ? said.warnings : []
  expect(warnings).toContainEqual(
    expect.objectContaining({ severity: 'warning', line: 2, message: `${where}: the list is empty` }),
  )
})

test.each([
  ['task', 'priority:'],
  ['task', 'labels: []'],
  ['task', 'retry: {}'],
  ['task', 'neo: {}'],
  ['room', 'approvers: []'],
  ['room', 'mcp_servers: {}'],
  ['member', 'notify: {}'],
  ['config', 'daemon:'],
  ['config', 'providers: {}'],
  ['config', 'sandbox: { read: [] }'],
  ['config', 'workers:'],
])('of %s, %j guards nothing and is silent', (kind, lines) => {
  expect(READERS[kind]?.(lines)).toMatchObject({ kind: 'ok', warnings: [] })
})

test.each(ALL)('of %s, %j is an error at its place', (kind, lines, column) => {
  const read = READERS[kind]?.(lines)
  expect(read).toMatchObject({ kind: 'bad', problems: [{ line: 2, column, severity: 'error' }] })
  if (read?.kind !== 'bad') return
  expect(read.problems[0]?.hint).not.toMatch(/^Did you mean "(?:none|allow|off)"/)
})

test('two lines with one key, also in capitals, are an error, and none of them holds', () => {
  for (const second of ['review: none', 'Review: none', 'review : none'])
    expect(readTask('a.md', header(`review: branch\n${second}`), 'UTC')).toMatchObject({
      kind: 'bad',
      problems: [{ line: 3, column: 1 }],
    })
})

test.each(['true', 'no', 'npm test #all', '#x', '- a', 'a: b'])(
  'a command %j that a program writes is read back',
  (command) => {
    const read = readTask('a.md', header(`title: A\nenv: [A]\nverify: [${inlineText(command)}]`), 'UTC')
    expect(read.kind).toBe(command === 'no' ? 'bad' : 'ok')
  },
)
