/** Files in workspace/agents/: who is a peer, who is a persona, and which mistakes give nobody access. */
import { describe, expect, test } from 'vitest'
import { AGENT_ACTIONS } from '../../../src/domain/peer/peer.ts'
import { readAgent } from '../../../src/files/kinds/read-agent.ts'

const FILE = 'workspace/agents/eng-sato.md'
const KEY = `p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'x'.repeat(86)}`

function read(lines: readonly string[], file = FILE) {
  return readAgent(file, `---\n${lines.join('\n')}\n---\nText.\n`)
}

function problemOf(lines: readonly string[], file = FILE) {
  const result = read(lines, file)
  if (result.kind === 'unfinished') throw new Error(result.why)
  return (result.kind === 'bad' ? result.problems : result.warnings)[0]
}

const OWN = ' If the key is your own, start it with x-'

describe('readAgent', () => {
  test('reads a peer', () => {
    const lines = [
      'role: engineer',
      'owner: sato',
      'endpoint: https://sato.example:8443/',
      `public_key: ${KEY}`,
      `certificate: sha256:${'AB'.repeat(32)}`,
      'capabilities: [context.read, query.send]',
      'contexts: [{ type: repository, identifier: acme/webapp }]',
      'member: sato',
      'tailscale_node: n123CNTRL',
      'max_concurrent_queries: 2',
      'status: revoked',
      'neo: { id: p-1 }',
    ]
    expect(read(lines)).toEqual({
      kind: 'ok',
      warnings: [],
      value: {
        kind: 'peer',
        peer: {
          id: 'eng-sato',
          role: 'engineer',
          owner: 'sato',
          endpoint: 'https://sato.example:8443',
          publicKey: KEY,
          certificate: `sha256:${'ab'.repeat(32)}`,
          capabilities: ['context.read', 'query.send'],
          contexts: [{ type: 'repository', identifier: 'acme/webapp' }],
          member: 'sato',
          tailscaleNodeId: 'n123CNTRL',
          maxConcurrentQueries: 2,
          revoked: true,
          body: 'Text.\n',
        },
      },
    })
  })

  test('a peer with only a key is active, and does all', () => {
    const peer = {
      id: 'eng-sato',
      publicKey: KEY,
      capabilities: AGENT_ACTIONS,
      contexts: [],
      revoked: false,
      body: 'Text.\n',
    }
    expect(read([`public_key: ${KEY}`])).toEqual({ kind: 'ok', warnings: [], value: { kind: 'peer', peer } })
  })

  test.each([
    ['publik_key: x', 'unknown key "publik_key"', `Did you mean "public_key"?${OWN}`],
    ['publicKey: x', 'unknown key "publicKey"', `Did you mean "public_key"?${OWN}`],
    ['Status: revoked', 'unknown key "Status"', `Did you mean "status"?${OWN}`],
    ['state: revoked', 'unknown key "state"', `Did you mean "status"?${OWN}`],
    ['revoked: true', 'unknown key "revoked"', `Did you mean "status"?${OWN}`],
    ['rol: pm', 'unknown key "rol"', `Did you mean "role"?${OWN}`],
    ['tailscaleNodeId: n1', 'unknown key "tailscaleNodeId"', `Did you mean "tailscale_node"?${OWN}`],
    ['status: off', 'status: invalid value "off"', 'Use one of active, revoked'],
    [
      'public_key: p256:abc',
      'public_key: invalid value "p256:abc"',
      'Use a key such as p256:MFkw…, as neo agent keygen prints it',
    ],
    [
      'endpoint: http://sato.example:8443',
      'endpoint: invalid value "http://sato.example:8443"',
      'Use a base URL such as https://host:8443',
    ],
    [
      'endpoint: https://a:b@sato.example',
      'endpoint: invalid value "https://a:b@sato.example"',
      'Use a base URL such as https://host:8443',
    ],
    [
      'capabilities: [context.rea]',
      'capabilities[0]: invalid value "context.rea"',
      'Did you mean "context.read"?',
    ],
    [
      'contexts: [{ type: file, identifier: acme/../x }]',
      'contexts[0]: the context contains . or .. as a name',
      'Use such as { type: repository, identifier: acme/webapp }',
    ],
    [
      'contexts: [{ type: file }]',
      'contexts[0]: missing type or identifier',
      'Use such as { type: repository, identifier: acme/webapp }',
    ],
  ])('%s is an error of the file', (line, message, hint) => {
    expect(read([`owner: sato`, line])).toMatchObject({ kind: 'bad' })
    expect(problemOf([`owner: sato`, line])).toMatchObject({
      file: FILE,
      severity: 'error',
      line: 3,
      message,
      hint,
    })
  })

  test('gives the column of a wrong context', () => {
    expect(problemOf(['contexts: [{ type: file, identifier: acme/../x }]'])).toMatchObject({
      line: 2,
      column: 38,
    })
  })

  test('a peer without a key is read, with a warning', () => {
    expect(read(['role: pm'])).toMatchObject({ kind: 'ok', value: { kind: 'peer' } })
    expect(problemOf(['role: pm'])).toMatchObject({
      severity: 'warning',
      message: 'no public_key: this agent cannot call this home',
    })
  })

  test.each([
    'Eng-Sato',
    'eng_sato',
    'eng sato',
    'eng--sato',
    '-x',
    'eng-sato.sync-conflict-1',
    'a'.repeat(65),
  ])('%s.md is not the file of an agent', (name) => {
    expect(problemOf([`public_key: ${KEY}`], `workspace/agents/${name}.md`)).toMatchObject({
      severity: 'error',
      code: 'id',
    })
  })

  test('a sub-agent of Claude Code is a persona, without a warning', () => {
    const lines = [
      'name: reviewer',
      'description: Reviews changes.',
      'tools: Read, Grep',
      'model: sonnet',
      'color: blue',
      'permissionMode: plan',
    ]
    expect(read(lines)).toEqual({
      kind: 'ok',
      warnings: [],
      value: {
        kind: 'persona',
        name: 'reviewer',
        description: 'Reviews changes.',
        tools: ['Read', 'Grep'],
        model: 'sonnet',
        body: 'Text.\n',
      },
    })
    expect(read(['name: a', 'description: b', 'tools: [Read, mcp__x]'])).toMatchObject({
      value: { tools: ['Read', 'mcp__x'] },
    })
    expect(read(['name: a', 'description: b'])).toMatchObject({ value: { tools: null, model: null } })
  })

  test('a name and a description make no persona of a file with a key', () => {
    expect(read(['name: a', 'description: b', `public_key: ${KEY}`])).toMatchObject({
      value: { kind: 'peer' },
    })
  })
})
