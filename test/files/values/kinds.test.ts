import { describe, expect, test } from 'vitest'
import { readAsk } from '../../../src/files/kinds/read-ask.ts'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readMemory } from '../../../src/files/kinds/read-memory.ts'
import { readRoom } from '../../../src/files/kinds/read-room.ts'
import { readSchedule } from '../../../src/files/kinds/read-schedule.ts'
import { readScope } from '../../../src/files/kinds/read-scope.ts'
import { readSession } from '../../../src/files/kinds/read-session.ts'
import { readSkill } from '../../../src/files/kinds/read-skill.ts'

const header = (...lines: string[]): string => `---\n${lines.join('\n')}\n---\n`

describe('readRoom', () => {
  test('reads every key of the design', () => {
    const text = header(
      'name: Shop',
      'description: The web shop',
      'status: active            # active | paused | archived',
      'workspace: ../shop',
      'base: main',
      'worker: agent',
      'model: anthropic/claude-sonnet-5-5',
      'orchestrator: auto',
      'review: pr',
      'verify: [npm test]',
      'concurrency: 2',
      'budget: { usd_per_day: 5, tokens_per_task: 400000, turns_per_task: 60 }',
      'permissions: { shell: ask, network: deny, push: ask, write: ["src/**", "test/**"] }   # allow',
      'setup: [npm ci]',
      'env: [NODE_ENV, SHOP_KEY]',
      'env_files: [.env.test]',
      'hooks: off',
      'notify: ["telegram:123456"]',
      'approvers: [m-ana]',
      'mcp_servers: {}',
      'keep: 20',
      'neo: { id: r-4k2m9x, created_at: 2026-03-01T09:00:00Z }   # ours',
    )
    const read = readRoom('rooms/shop/ROOM.md', `${text}Be brief.\n`, 'shop')
    expect(read).toMatchObject({
      kind: 'ok',
      warnings: [],
      value: {
        name: 'Shop',
        workspace: '../shop',
        worker: { kind: 'agent' },
        budget: { usdPerDay: 5, tokens: 400_000, turns: 60 },
        permissions: { shell: 'ask', network: 'deny', push: 'ask', write: ['src/**', 'test/**'] },
        setup: ['npm ci'],
        cleanup: [],
        envFiles: ['.env.test'],
        hooks: 'off',
        keep: 20,
        neo: { id: 'r-4k2m9x', createdAt: '2026-03-01T09:00:00Z' },
        body: 'Be brief.\n',
      },
    })
  })

  test('gives defaults to a room of one line', () => {
    expect(readRoom('rooms/shop/ROOM.md', 'Be brief.', 'shop')).toMatchObject({
      value: {
        name: 'shop',
        status: 'active',
        orchestrator: 'auto',
        hooks: 'off',
        keep: 200,
        verify: [],
        neo: {},
      },
    })
  })

  test.each([
    'hooks: true',
    'permissions: { shell: maybe }',
    'concurrency: 0',
    'status: closed',
    'budget: 5',
  ])('refuses %j', (line) => {
    expect(readRoom('ROOM.md', header(line), 'x')).toMatchObject({
      kind: 'bad',
      problems: [{ code: 'type', line: 2 }],
    })
  })
})

describe('readAsk', () => {
  const text = header(
    'kind: approval',
    'task: t-7f3k2q',
    'action: { tool: run_task, arguments: { task: x, n: 1 }, files: [a.sh], sha256: 12e45 }',
    'reason: "it: asks"',
    'expires_at: 2026-03-08 09:00',
    'decision: approved',
    'decided_by: m-ana',
    'neo: { id: a-1b2c3d, created_at: 2026-03-01T09:00:00Z }',
  )

  test('reads an approval', () => {
    expect(readAsk('rooms/a/asks/a-1b2c3d.md', text, 'Europe/Paris')).toMatchObject({
      kind: 'ok',
      value: {
        id: 'a-1b2c3d',
        kind: 'approval',
        task: 't-7f3k2q',
        action: { tool: 'run_task', arguments: { task: 'x', n: 1 }, files: ['a.sh'], sha256: '12e45' },
        expiresAt: '2026-03-08T08:00:00Z',
        decision: 'approved',
        decidedBy: 'm-ana',
      },
    })
  })

  test('takes nothing unclear for a decision', () => {
    expect(readAsk('a.md', header('kind: approval', 'decision: yes'))).toMatchObject({ kind: 'bad' })
    expect(readAsk('a.md', header('kind: approval', 'decision:'))).toMatchObject({
      value: { decision: 'pending', id: 'a' },
    })
    expect(readAsk('a.md', header('reason: x'))).toMatchObject({
      problems: [{ message: 'missing key "kind"' }],
    })
  })
})

describe('readSession', () => {
  test('reads a session', () => {
    const text = header(
      'id: s-9k2m4x',
      'task: t-1',
      'worker: shell',
      'status: completed',
      'turns: 3',
      'usage: { input_tokens: 1, output_tokens: 2, usd: 0 }',
      'started_at: 2026-03-01T09:00:00Z',
      'sandbox: none',
      'runner: host',
    )
    expect(readSession('rooms/a/sessions/s-9k2m4x.md', `${text}# A\n`)).toMatchObject({
      kind: 'ok',
      value: {
        id: 's-9k2m4x',
        task: 't-1',
        status: 'completed',
        turns: 3,
        startedAt: '2026-03-01T09:00:00Z',
        body: '# A\n',
      },
    })
  })

  test('asks for task and status', () => {
    expect(readSession('s.md', 'x')).toMatchObject({ kind: 'bad', problems: [{}, {}] })
  })
})

describe('readMemory', () => {
  test('reads a memory', () => {
    const text = header(
      'type: preference',
      'tags: [a]',
      'importance: high',
      'neo: { id: m-1, created_by: human, task: t-1 }',
    )
    expect(readMemory('m.md', `${text}Likes tea.`)).toMatchObject({
      value: {
        type: 'preference',
        tags: ['a'],
        importance: 'high',
        neo: { id: 'm-1', createdBy: 'human', task: 't-1' },
        body: 'Likes tea.',
      },
    })
    expect(readMemory('m.md', 'x')).toMatchObject({ value: { type: 'note', importance: 'normal' } })
  })
})

describe('readSchedule', () => {
  test.each([
    ['cron: "0 9 * * 1-5"', { kind: 'cron', cron: '0 9 * * 1-5' }],
    ['every: 30m', { kind: 'every', everyMs: 1_800_000 }],
    ['at: 2026-03-01T09:00', { kind: 'at', at: '2026-03-01T09:00' }],
  ])('reads %j', (line, when) => {
    expect(readSchedule('s.md', `${header(line)}x`)).toMatchObject({
      value: { when, catchUp: 'latest', overlap: 'skip', kind: 'task', status: 'active' },
    })
  })

  test.each([
    ['kind: task', 'cron, every or at is missing'],
    ['every: 5m\nat: 2026-03-01', 'more than one of cron, every and at'],
    ['every: 1s', 'every: 1s is too short'],
    ['cron: daily', 'cron: invalid value "daily"'],
    ['cron: 0 9 * *', 'cron: invalid value "0 9 * *"'],
    ['every: 5m\ntimezone: Mars', 'timezone: invalid value "Mars"'],
  ])('refuses %j', (lines, message) => {
    expect(readSchedule('s.md', header(lines))).toMatchObject({
      kind: 'bad',
      problems: [{ message: expect.stringContaining(message) }],
    })
  })
})

describe('readMember', () => {
  test('keeps ids of channels as text', () => {
    expect(
      readMember(
        'workspace/members/m-ana.md',
        header('name: Ana', 'role: parent', 'channels: { telegram: 0123456 }', 'permissions: [approve]'),
      ),
    ).toMatchObject({
      value: {
        id: 'm-ana',
        name: 'Ana',
        role: 'parent',
        channels: { telegram: '0123456' },
        permissions: { approve: 'allow' },
      },
    })
  })
})

describe('readScope', () => {
  test.each([
    [['type: group'], 'shared'],
    [['type: dm'], 'private'],
    [['type: parents_group'], 'private'],
    [['type: group', 'members: [m-ana]'], 'private'],
    [['type: group', 'roles: [parent]', 'commit: true'], 'shared'],
  ])('says of %j that it is %s', (lines, keeps) => {
    expect(readScope('SCOPE.md', header(...lines))).toMatchObject({ value: { keeps } })
  })
})

describe('readSkill', () => {
  test('reads a skill', () => {
    const text = header(
      'name: pdf-forms',
      'description: Fills PDF forms. Use when asked to.',
      'allowed-tools: Read Write',
    )
    expect(readSkill('workspace/skills/pdf-forms/SKILL.md', text)).toMatchObject({
      kind: 'ok',
      warnings: [],
      value: { name: 'pdf-forms' },
    })
  })

  test.each([
    [['description: x'], 'missing key "name"'],
    [['name: a'], 'missing key "description"'],
    [['name: A', 'description: x'], 'name: invalid value "A"'],
    [['name: a--b', 'description: x'], 'name: invalid value "a--b"'],
    [['name: a', 'description: ""'], 'description: invalid value ""'],
  ])('refuses %j', (lines, message) => {
    expect(readSkill('skills/a/SKILL.md', header(...lines))).toMatchObject({
      kind: 'bad',
      problems: [{ message: expect.stringContaining(message) }],
    })
  })

  test('warns where the name is not that of the folder', () => {
    expect(readSkill('skills/b/SKILL.md', header('name: a', 'description: x'))).toMatchObject({
      kind: 'ok',
      warnings: [{ hint: 'Use name: b, or rename the folder' }],
    })
  })
})
