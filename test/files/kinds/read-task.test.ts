import { describe, expect, test } from 'vitest'
import { readTask } from '../../../src/files/kinds/read-task.ts'

const PATH = 'rooms/shop/tasks/fix-login.md'

function taskOf(text: string, zone = 'UTC') {
  const read = readTask(PATH, Buffer.from(text), zone)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.value
}

function problemsOf(text: string) {
  const read = readTask(PATH, Buffer.from(text), 'UTC')
  return read.kind === 'unfinished' ? [] : read.kind === 'bad' ? read.problems : read.warnings
}

const header = (...lines: string[]): string => `---\n${lines.join('\n')}\n---\n`

describe('readTask', () => {
  test('takes two lines without a header for a task', () => {
    expect(taskOf('# Fix the login\n\nIt is broken.')).toStrictEqual({
      title: 'Fix the login',
      status: 'pending',
      priority: 'normal',
      dependsOn: [],
      labels: [],
      retry: { max: 0, backoffMs: 30_000 },
      onInterrupt: 'ask',
      env: [],
      neo: {},
      body: '# Fix the login\n\nIt is broken.',
      bodyLine: 1,
    })
  })

  test('reads every key of a task', () => {
    const text = header(
      'title: Fix the login redirect   # comment',
      'status: in_progress',
      'priority: high',
      'depends_on: [design-login]',
      'worker: exec:claude-code',
      'model: anthropic/claude-sonnet-5-5',
      'workspace: ../shop',
      'review: pr',
      'verify: [npm test]',
      'labels: [auth]',
      'due: 2026-03-05',
      'retry: { max: 2, backoff: 1m }',
      'on_interrupt: retry',
      'timeout: 1h30m',
      'budget: { usd: 1.50, tokens: 400000, turns: 60 }',
      'env: [NODE_ENV]',
      'neo:',
      '  id: t-7f3k2q',
      '  created_at: 2026-03-01T10:00:00+01:00',
      '  created_by: schedule:nightly',
      '  attempt: 2',
      '  progress: 40',
      '  blocked: budget',
      '  handled: failed@2',
      '  verified: { at: 2026-03-01T09:09:50Z, commands: 1, passed: 1 }',
      '  usage: { input_tokens: 0, output_tokens: 0, usd: 0 }',
    )
    expect(taskOf(text)).toMatchObject({
      title: 'Fix the login redirect',
      status: 'in_progress',
      priority: 'high',
      dependsOn: ['design-login'],
      worker: { kind: 'exec', name: 'claude-code' },
      model: 'anthropic/claude-sonnet-5-5',
      workspace: '../shop',
      review: 'pr',
      verify: ['npm test'],
      due: '2026-03-05',
      retry: { max: 2, backoffMs: 60_000 },
      onInterrupt: 'retry',
      timeoutMs: 5_400_000,
      budget: { usd: 1.5, tokens: 400_000, turns: 60 },
      env: ['NODE_ENV'],
      neo: {
        id: 't-7f3k2q',
        createdAt: '2026-03-01T09:00:00Z',
        createdBy: 'schedule:nightly',
        attempt: 2,
        progress: 40,
        blocked: 'budget',
        handled: 'failed@2',
        verified: { at: '2026-03-01T09:09:50Z', commands: 1, passed: 1 },
      },
      bodyLine: 29,
    })
    expect(problemsOf(text)).toStrictEqual([])
  })

  test.each([
    ['title: Said', '# Heading', 'Said'],
    ['title:', '# Heading', 'Heading'],
    ['title: "  "', '```\n# no\n```\n## Real ##\n', 'Real'],
    ['title: |\n  two\n  lines', '', 'two lines'],
    ['title: 404', '', '404'],
    ['x: 1', 'no heading', 'fix-login'],
  ])('takes the title of %j and %j', (line, body, title) => {
    expect(taskOf(`${header(line)}${body}`).title).toBe(title)
  })

  test("leaves Neo's id out of a title that is the file's name", () => {
    const read = readTask('rooms/a/tasks/fix-it--t-7f3k2q.md', 'text', 'UTC')
    expect(read).toMatchObject({ value: { title: 'fix-it' } })
  })

  test('reads text that looks like numbers as it is written', () => {
    const task = taskOf(
      header('labels: [0012, 61e9540, 1.10, true]', 'depends_on: 0x1F', 'neo:', '  id: 007', '  result: 1_0'),
    )
    expect(task.labels).toStrictEqual(['0012', '61e9540', '1.10', 'true'])
    expect(task.dependsOn).toStrictEqual(['0x1F'])
    expect(task.neo).toStrictEqual({ id: '007', result: '1_0' })
  })

  test.each([
    ['retry: 2', { retry: { max: 2, backoffMs: 30_000 } }],
    ['retry: { max: 1 }', { retry: { max: 1, backoffMs: 30_000 } }],
    ['budget: 1.50', { budget: { usd: 1.5 } }],
    ['worker: peer:pm-ana', { worker: { kind: 'peer', name: 'pm-ana' } }],
    ['worker: mcp:codex/review', { worker: { kind: 'mcp', name: 'codex/review' } }],
    ['worker: shell', { worker: { kind: 'shell' } }],
    ['timeout: 250ms', { timeoutMs: 250 }],
    ['verify: npm test', { verify: ['npm test'] }],
    ['depends_on:\n  - a\n  - room/b', { dependsOn: ['a', 'room/b'] }],
    ['labels:\n  - a\n  -\n  - b', { labels: ['a', 'b'] }],
  ])('reads the short form %j', (line, part) => {
    expect(taskOf(header(line))).toMatchObject(part)
  })

  test.each([
    ['due: 2026-03-05 09:00', '2026-03-05T08:00:00Z'],
    ['due: 2026-07-05T09:00', '2026-07-05T07:00:00Z'],
    ['due: 2026-03-05T09:00:00+09:00', '2026-03-05T00:00:00Z'],
    ['due: "2026-03-05"', '2026-03-05'],
  ])("reads %j in the home's zone", (line, due) => {
    expect(taskOf(header(line), 'Europe/Paris').due).toBe(due)
  })

  test.each([
    ['status: done', 'status: invalid value "done"', 'Did you mean "completed"?'],
    ['status: In Progress', 'status: invalid value "In Progress"', 'Did you mean "in_progress"?'],
    ['priority: hihg', 'priority: invalid value "hihg"', 'Did you mean "high"?'],
    [
      'worker: robot',
      'worker: invalid value "robot"',
      'Use agent, shell, exec:NAME, mcp:SERVER, peer:ID or human',
    ],
    ['timeout: 30', 'timeout: invalid value "30"', 'Use a duration such as 30s, 5m or 2h'],
    ['due: tomorrow', 'due: invalid value "tomorrow"', 'Use a time such as'],
    ['due: 2026-02-30', 'due: invalid value "2026-02-30"', 'Use a time such as'],
    ['labels: { a: b }', 'labels: unexpected keys and values', 'Use a list such as [a, b]'],
    ['title: [a]', 'title: unexpected list', 'Use text'],
    ['retry: -1', 'retry: invalid value -1', 'Use a whole number from 0 to 100'],
    ['retry: { max: two }', 'retry.max: invalid value "two"', 'Use a whole number from 0 to 100'],
    ['depends_on: [a, [b]]', 'depends_on[1]: unexpected list', 'Use text'],
    ['env: [A-B]', 'env[0]: invalid value "A-B"', 'Use the name of an environment variable'],
    ['neo: { id: ../x }', 'neo.id: invalid value "../x"', 'Use an id such as t-7f3k2q'],
    ['neo: 5', 'neo: invalid value 5', 'Use a map of keys and values'],
  ])('refuses %j at its place, with a hint', (line, message, hint) => {
    const [problem, ...more] = problemsOf(header('# first', line))
    expect(more).toStrictEqual([])
    expect(problem).toMatchObject({ file: PATH, line: 3, severity: 'error', code: 'type' })
    expect(problem?.message.startsWith(message)).toBe(true)
    expect(problem?.hint.startsWith(hint)).toBe(true)
  })

  test('gives line and column of a value inside the neo block', () => {
    expect(problemsOf(header('neo:', '  id: t-1', '  attempt: one'))[0]).toMatchObject({
      line: 4,
      column: 12,
    })
  })

  test.each([
    ['titel: A', 'Did you mean "title"?'],
    ['shade: [a]', 'Remove it, or keep it: Neo ignores it'],
  ])('keeps the unknown key of %j, with a warning and a suggestion', (line, hint) => {
    const read = readTask(PATH, header(line), 'UTC')
    expect(read).toMatchObject({
      kind: 'ok',
      warnings: [{ code: 'unknown-key', severity: 'warning', line: 2, column: 1 }],
    })
    expect(problemsOf(header(line))[0]?.hint.startsWith(hint)).toBe(true)
  })

  test('lists the known keys if they fit on a line', () => {
    const [first, second] = problemsOf(header('shade: a', 'retry: { gloss: 1 }'))
    expect(first?.hint).toBe('Remove it, or keep it: Neo ignores it')
    expect(second).toMatchObject({
      message: 'unknown key "retry.gloss"',
      hint: 'Known keys are max, backoff',
    })
  })

  test('has nothing against the agent of another home as the worker', () => {
    expect(problemsOf(header('worker: peer:ana'))).toEqual([])
  })

  test.each([
    ...['tags: [a]', 'aliases: [b]', 'assignee: ana', 'created: 2026-03-01', 'updated: 2026-03-01', 'id: 7'],
    ...[
      'created_date: 2026-03-01',
      'milestone: m1',
      'project: web',
      'estimate: 3',
      'owner: ana',
      'type: bug',
    ],
    ...['cssclasses: [a]', 'publish: true', 'date: 2026-03-01', 'author: Ana', 'Tags: x'],
  ])('keeps %j, which another program keeps there, without a word', (line) => {
    expect(readTask(PATH, header(line), 'UTC')).toMatchObject({ kind: 'ok', warnings: [] })
  })

  test('says all that is wrong, errors first', () => {
    const codes = problemsOf(header('oops: 1', 'status: x', 'timeout: y')).map(({ severity, line }) => [
      severity,
      line,
    ])
    expect(codes).toStrictEqual([
      ['error', 3],
      ['error', 4],
      ['warning', 2],
    ])
  })

  test('calls a body with an open code fence unfinished', () => {
    expect(readTask(PATH, '```sh\necho half', 'UTC')).toMatchObject({ kind: 'unfinished' })
  })

  test('takes a key that guards nothing and is empty for one that is absent', () => {
    expect(taskOf(header('priority:', 'labels: ~', 'persona: null', 'neo:'))).toMatchObject({
      priority: 'normal',
      labels: [],
      neo: {},
    })
    expect(taskOf(header('persona:'))).not.toHaveProperty('persona')
  })

  test('survives keys of prototypes', () => {
    const read = readTask(
      PATH,
      header('__proto__: { status: draft }', 'constructor: 1', 'neo: { __proto__: { id: x } }'),
      'UTC',
    )
    expect(read).toMatchObject({ kind: 'ok', value: { status: 'pending', neo: {} } })
    expect(read.kind === 'ok' && read.warnings.length).toBe(3)
  })
})
