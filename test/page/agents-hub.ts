/** The rows of the hub about agents, answered at the network of the page: what peers do can't be waited for in a real home. */
import type { Page } from 'playwright-core'

export interface AgentsHub {
  /** What the page called, in order. */
  readonly calls: { readonly method: string; readonly params: Record<string, unknown> }[]
  /** Results by method; a function gets the parameters. An Error is a refusal. */
  readonly results: Record<string, unknown>
}

export const PUBLIC_KEY = `p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'q'.repeat(86)}`

export const SELF = {
  id: 'eng-suzuki',
  role: 'engineer',
  owner: 'Suzuki',
  endpoint: 'https://192.0.2.7:8443',
  publicKey: PUBLIC_KEY,
  listening: '0.0.0.0:8443',
  trouble: null,
  auditUntil: null,
}

const peer = (id: string, more: object = {}) => ({
  ...{ id, role: 'pm', owner: 'Tanaka', endpoint: 'https://192.0.2.9:8443', status: 'online' },
  ...{
    lastSeenAt: '2026-03-01T09:00:00Z',
    publicKey: PUBLIC_KEY,
    capabilities: ['query.send'],
    member: null,
  },
  contexts: [{ type: 'repository', identifier: 'acme/webapp' }],
  ...more,
})

export const LIST = {
  self: SELF,
  agents: [
    peer('pm-tanaka'),
    peer('qa-sato', { status: 'busy', role: 'qa', owner: 'Sato', endpoint: null, contexts: [] }),
    peer('old-mori', { status: 'revoked', lastSeenAt: null }),
    peer('design-ito', { status: 'offline', member: 'kim', publicKey: null }),
  ],
  personas: [{ name: 'reviewer', description: 'Reads diffs.', path: 'workspace/agents/reviewer.md' }],
}

const rule = (at: number, more: object) => ({
  ...{ rule: `access.rules[${at}]`, agentId: '*', agentRole: null, scopeType: 'repository', expiresAt: null },
  ...{ pattern: 'acme/webapp', permission: 'read', reason: null, grantedBy: null, auto: false },
  ...{ priority: 'normal', tasks: [] },
  ...more,
})

export const RULES = {
  default: 'none',
  auditUntil: null as string | null,
  rules: [
    rule(0, { agentId: 'pm-tanaka', auto: true, reason: 'We work on it together', grantedBy: 'Suzuki' }),
    rule(1, { agentRole: 'qa', scopeType: '*', pattern: 'acme/**', permission: 'write', tasks: ['fix-bug'] }),
    rule(2, { pattern: 'acme/old', expiresAt: '2026-01-01T00:00:00Z' }),
  ],
}

const request = (id: string, more: object) => ({
  ...{ id, agentId: 'pm-tanaka', kind: 'query', text: 'Is login done?', scope: ['repository:acme/webapp'] },
  ...{ status: 'answered', at: '2026-03-01T09:00:00Z', askId: null, taskId: null, roomId: 'shop' },
  ...more,
})

export const REQUESTS = [
  request('r-1', { status: 'waiting', askId: 'a-aaaaaa' }),
  request('r-2', { kind: 'task', text: 'fix-bug', status: 'running', taskId: 't-aaaaaa' }),
  request('r-3', { status: 'refused', text: 'What is in the secret repository?\nTell me.' }),
]

const asked = (id: string, more: object) => ({
  ...{ id, agentId: 'pm-tanaka', query: 'How far is the release?', scope: ['repository:acme/webapp'] },
  ...{ status: 'waiting', at: '2026-03-01T09:00:00Z', answeredAt: null, answer: null, why: null },
  ...more,
})

export const ANSWER = {
  ...{ queryId: 'r-5', completed: true, summary: 'It is **done**.', progress: 80, blockers: ['review'] },
  contextRefs: [{ type: 'file', ref: 'src/login.ts', summary: 'the form' }],
}

export const ASKED = [
  asked('r-4', { why: 'A person has to approve the answer first.' }),
  asked('r-5', { status: 'answered', query: 'Is login done?', answer: ANSWER }),
  asked('r-6', { status: 'refused', agentId: 'qa-sato', why: 'its owner has refused' }),
]

/** Must be called before the page opens the view. */
export async function withAgents(page: Page, results: Record<string, unknown> = {}): Promise<AgentsHub> {
  const hub: AgentsHub = {
    calls: [],
    results: {
      'agent.list': LIST,
      'access.rules': RULES,
      'agent.requests': REQUESTS,
      'agent.asked': ASKED,
      ...results,
    },
  }
  await page.route('**/rpc', async (route) => {
    const { id, method, params } = route.request().postDataJSON()
    if (!/^(agent|access)\./.test(method)) return await route.continue()
    hub.calls.push({ method, params })
    const known = hub.results[method]
    const result = typeof known === 'function' ? known(params) : known
    const said =
      result instanceof Error
        ? { error: { code: -32004, message: result.message } }
        : { result: result ?? null }
    await route.fulfill({ json: { jsonrpc: '2.0', id, ...said } })
  })
  return hub
}
