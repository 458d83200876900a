/** The sections agent and access of neo.yaml. */
import { describe, expect, test } from 'vitest'
import { NO_ACCESS } from '../../../src/domain/peer/peer.ts'
import { readConfig } from '../../../src/files/config/read-config.ts'

const read = (text: string) => readConfig('neo.yaml', text, { TZ: 'Europe/Paris' })

function configOf(text: string) {
  const result = read(text)
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result))
  return result.value
}

function problemsOf(text: string) {
  const result = read(text)
  return result.kind === 'ok' ? result.warnings : result.kind === 'bad' ? result.problems : []
}

describe('agent', () => {
  test('the protocol is off without the section', () => {
    expect(configOf('')).toMatchObject({ agent: null, access: NO_ACCESS })
  })

  test('has defaults for all but the id', () => {
    expect(configOf('agent: { id: eng-sato }').agent).toEqual({
      id: 'eng-sato',
      role: 'engineer',
      owner: 'eng-sato',
      host: '127.0.0.1',
      port: 8443,
      endpoint: null,
      tls: 'self',
      contexts: [],
      focusHours: null,
      interrupt: true,
      autoRespond: 0.8,
      approvalRequired: true,
      rate: { requests: 30, perMs: 60_000 },
      maxQueries: 4,
      discoveryIntervalMs: 60_000,
      workAi: null,
      mirror: { enabled: false, indexIntervalMs: 30_000, retentionDays: 30 },
      tailscale: { enabled: false, tailnet: null },
    })
  })

  test('reads each key', () => {
    const text = `agent:
  id: pm-ana
  role: pm
  owner: ana
  host: 0.0.0.0
  port: 9443
  endpoint: https://ana.example/
  tls: { cert: a.pem, key: b.pem }
  contexts:
    - { type: repository, identifier: acme/webapp, local_path: ../webapp, room: webapp }
    - { type: folder, identifier: acme/webapp/docs, room: docs }
  focus_hours: [9, 17]
  interrupt: off
  auto_respond: 0.9
  approval_required: false
  rate: 5/s
  max_queries: 2
  discovery_interval: 5m
  work_ai: exec:claude-code
  mirror: { enabled: true, index_interval: 1m, retention_days: 7 }
  tailscale: { enabled: true, tailnet: example.ts.net }
`
    expect(configOf(text).agent).toEqual({
      id: 'pm-ana',
      role: 'pm',
      owner: 'ana',
      host: '0.0.0.0',
      port: 9443,
      endpoint: 'https://ana.example',
      tls: { cert: 'a.pem', key: 'b.pem' },
      contexts: [
        { type: 'repository', identifier: 'acme/webapp', room: 'webapp', localPath: '../webapp' },
        { type: 'folder', identifier: 'acme/webapp/docs', room: 'docs' },
      ],
      focusHours: [9, 17],
      interrupt: false,
      autoRespond: 0.9,
      approvalRequired: false,
      rate: { requests: 5, perMs: 1000 },
      maxQueries: 2,
      discoveryIntervalMs: 300_000,
      workAi: 'exec:claude-code',
      mirror: { enabled: true, indexIntervalMs: 60_000, retentionDays: 7 },
      tailscale: { enabled: true, tailnet: 'example.ts.net' },
    })
  })

  test.each(['mcp:codex', 'mcp:codex/review', 'exec:claude'])('work_ai may be %s', (worker) => {
    expect(configOf(`agent: { id: ana, work_ai: ${worker} }`).agent?.workAi).toBe(worker)
  })

  test('without an id it warns that the protocol is off', () => {
    expect(configOf('agent: { port: 9000 }').agent).toBeNull()
    expect(problemsOf('agent: { port: 9000 }')).toMatchObject([
      { severity: 'warning', line: 1, message: 'agent: missing id, so the agent protocol is off' },
    ])
  })

  test.each([
    ['id: Eng_Sato', 'agent.id: invalid value "Eng_Sato"', 7],
    ['aproval_required: true', 'unknown key "agent.aproval_required"', 3],
    ['endpoint: http://ana.example', 'agent.endpoint: invalid value "http://ana.example"', 13],
    ['rate: 30', 'agent.rate: invalid value "30"', 9],
    ['rate: 0/m', 'agent.rate: invalid value "0/m"', 9],
    ['focus_hours: [9]', 'agent.focus_hours: not two different hours', 16],
    ['focus_hours: [0, 24]', 'agent.focus_hours: not two different hours', 16],
    ['interrupt: sometimes', 'agent.interrupt: invalid value "sometimes"', 14],
    ['auto_respond: 2', 'agent.auto_respond: invalid value 2', 17],
    ['discovery_interval: 10ms', 'agent.discovery_interval: invalid value "10ms"', 23],
    ['work_ai: claude', 'agent.work_ai: invalid value "claude"', 12],
    ['tls: { cert: a.pem }', 'agent.tls: missing cert or key', 8],
    [
      'contexts: [{ type: repository, identifier: acme, room: a }]',
      'agent.contexts[0]: the context is not a repository such as acme/webapp',
      46,
    ],
    ['contexts: [{ type: repository, identifier: acme/webapp }]', 'agent.contexts[0]: missing room', 14],
  ])('stops at %s', (line, message, column) => {
    const text = `agent:\n  ${line}\n${line.startsWith('id') ? '' : '  id: eng-sato\n'}`
    expect(read(text).kind).toBe('bad')
    expect(problemsOf(text)[0]).toMatchObject({ severity: 'error', line: 2, column, message })
    expect(problemsOf(text)[0]?.hint).not.toBe('')
  })

  test('names an item as the file counts it, with empty and invalid ones', () => {
    const list = (key: string, item: string) =>
      `    ${key}:\n      -\n      - 7\n      - ${item}\n      - ${item}\n`
    const one = '{ type: repository, identifier: acme/webapp, room: a }'
    const text = `agent:\n    id: a\n${list('contexts', one)}access:\n${list('rules', '{ agent_id: a }')}`
    const said = problemsOf(text).map(({ message, line }) => [message, line])
    expect(said).toContainEqual(['agent.contexts[3]: acme/webapp has a room already', 7])
    expect(said).toContainEqual(['access.rules[2]: missing pattern', 12])
    expect(said).toContainEqual(['access.rules[3]: missing pattern', 13])
  })

  test('plain HTTP is for this machine only', () => {
    expect(configOf('agent: { id: a, tls: off }').agent?.tls).toBe('off')
    expect(problemsOf('agent: { id: a, tls: off, host: 0.0.0.0 }')[0]).toMatchObject({
      message: 'agent.tls: off, and host is 0.0.0.0: requests would be sent in clear text',
      hint: 'Use tls: self, or host: 127.0.0.1 with a proxy or tunnel in front',
    })
  })

  test('a context has one room', () => {
    const one = '{ type: repository, identifier: acme/webapp, room: a }'
    expect(problemsOf(`agent: { id: a, contexts: [${one}, ${one}] }`)[0]?.message).toBe(
      'agent.contexts[1]: acme/webapp has a room already',
    )
  })
})

describe('access', () => {
  test('reads rules', () => {
    const text = `access:
  default: read
  audit_mode: 2026-03-01T10:00
  rules:
    - { agent_id: eng-sato, scope_type: repository, pattern: acme/webapp, permission: write, expires_at: 2026-06-01, reason: release, granted_by: ana, auto: true, priority: high, tasks: [fix-bug] }
    - { agent_role: qa, pattern: "acme/*", permission: read }
    - { agent_id: "*", pattern: "**", permission: none }
`
    const plain = { scopeType: '*', auto: false, priority: 'normal', tasks: [] }
    expect(configOf(text).access).toEqual({
      default: 'read',
      auditSince: '2026-03-01T09:00:00Z',
      rules: [
        {
          agentId: 'eng-sato',
          scopeType: 'repository',
          pattern: 'acme/webapp',
          permission: 'write',
          expiresAt: '2026-05-31T22:00:00Z',
          reason: 'release',
          grantedBy: 'ana',
          auto: true,
          priority: 'high',
          tasks: ['fix-bug'],
        },
        { ...plain, agentId: '*', agentRole: 'qa', pattern: 'acme/*', permission: 'read' },
        { ...plain, agentId: '*', pattern: '**', permission: 'none' },
      ],
    })
  })

  test('audit mode off is off', () => {
    expect(configOf('access: { audit_mode: off }').access.auditSince).toBeNull()
  })

  test('audit mode without a time is an error that says how to write it', () => {
    expect(problemsOf('access: { audit_mode: on }')[0]).toMatchObject({
      severity: 'error',
      line: 1,
      column: 23,
      message: 'access.audit_mode: invalid value "on"',
      hint: 'Use off, or the time since when it is on, such as 2026-03-01T09:00:00Z; it ends 24 hours later',
    })
  })

  test.each([
    ['pattern: acme/webapp, permission: read', 'access.rules[0]: missing agent_id, or agent_role', 7],
    ['agent_id: a, permission: read', 'access.rules[0]: missing pattern', 7],
    ['agent_id: a, pattern: acme/webapp', 'access.rules[0]: missing permission', 7],
    [
      'agent_id: a, pattern: acme/webapp, permission: raed',
      'access.rules[0].permission: invalid value "raed"',
      56,
    ],
    ['agent_id: a, patern: acme/webapp, permission: read', 'unknown key "access.rules[0].patern"', 22],
    [
      'agent_id: a, pattern: acme/../x, permission: read',
      'access.rules[0].pattern: the pattern contains . or .. as a name',
      31,
    ],
    [
      'agent_id: a, scope_type: repository, pattern: acme/webapp/src, permission: read',
      'access.rules[0].pattern: the pattern matches no repository; use such as acme/webapp or acme/*',
      55,
    ],
    [
      'agent_id: a, pattern: "acme/{a,b}", permission: read',
      'access.rules[0].pattern: the pattern contains {; only * and ** have a meaning',
      31,
    ],
    [
      'agent_id: a, pattern: acme/webapp, permission: read, expires_at: soon',
      'access.rules[0].expires_at: invalid value "soon"',
      74,
    ],
  ])('stops at the rule { %s }', (given, message, column) => {
    const text = `access:\n  rules:\n    - { ${given} }\n`
    expect(read(text).kind).toBe('bad')
    const found = problemsOf(text).find((one) => one.message === message)
    expect(found).toMatchObject({ file: 'neo.yaml', severity: 'error', line: 3, column })
    expect(found?.hint).not.toBe('')
  })

  test('an invalid value is not also called missing', () => {
    expect(
      problemsOf('access: { rules: [{ agent_id: "A B", pattern: a/b, permission: read }] }'),
    ).toHaveLength(1)
  })
})
