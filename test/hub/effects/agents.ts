/** What the parameters of agent.*, access.* and aoi.* do. */
import { expect } from 'vitest'
import { type Node, startNode } from '../../aoi/node.ts'
import type { HubHome } from '../hub-home.ts'
import { type Effects, effects, type Files } from './effect.ts'

const KEY = `p256:MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'A'.repeat(86)}`
const CONTEXT = { type: 'repository', identifier: 'acme/shop' } as const
export const scope = [CONTEXT]
export const PEER = { kind: 'peer', id: 'cat' } as const
export const HOME: Files = {
  'neo.yaml': [
    'daemon: { settle: 0s }',
    'agent:',
    '  id: ana',
    '  role: pm',
    '  owner: Ana',
    '  contexts: [{ type: repository, identifier: acme/shop, room: shop }]',
    'access:',
    '  rules:',
    '    - { agent_id: cat, scope_type: repository, pattern: acme/shop, permission: write, tasks: [greet] }',
    '',
  ].join('\n'),
  'workspace/agents/cat.md': `---\nowner: Cat\npublic_key: ${KEY}\n---\n`,
  'workspace/agents/dan.md': `---\nowner: Dan\npublic_key: ${KEY}\n---\n`,
  'templates/tasks/greet.md':
    '---\ntitle: "Greet {{name}}"\nparams:\n  name: { type: text, default: you }\n---\nHello.\n',
}

/** A home with the agent `ben` that knows this home's key, and answers it. */
async function ben({ call }: HubHome): Promise<Node> {
  const { publicKey } = await call('agent.keygen', {})
  const rule =
    '{ agent_id: ana, scope_type: repository, pattern: "acme/*", permission: write, auto: true, tasks: [greet] }'
  const files = {
    'workspace/agents/ana.md': `---\npublic_key: ${publicKey}\n---\n`,
    'templates/tasks/greet.md': HOME['templates/tasks/greet.md'] ?? '',
  }
  const node = await startNode('ben', { host: '127.0.0.6', rules: [rule], files })
  const { publicKey: theirs } = await call('agent.inspect', { endpoint: node.endpoint() })
  await call('agent.add', { agentId: 'ben', publicKey: theirs, endpoint: node.endpoint() })
  return node
}

const messageOf = (error: Error): string => error.message
let node: Node | null = null

/** Made at the first proof of a method. */
const beginning = (proofs: Effects['proofs']): Effects['proofs'] => ({
  ...proofs,
  agentId: async (home) => {
    node = await ben(home)
    await proofs['agentId']?.(home)
  },
})

const asked = { agentId: 'ben', query: 'how far?', contextScope: scope } as const
const handed = { agentId: 'ben', taskType: 'greet', contextScope: scope } as const

const OWN: readonly Effects[] = [
  effects('agent.list', HOME, {
    '': async ({ call }) =>
      expect((await call('agent.list', {})).agents.map(({ id }) => id)).toEqual(['cat', 'dan']),
  }),
  effects('agent.requests', HOME, {
    limit: async ({ call, refusal }) => {
      expect(await call('agent.requests', { limit: 1 })).toEqual([])
      expect(await refusal('agent.requests', { limit: 0 })).toMatchObject({ code: -32602 })
    },
  }),
  effects('agent.asked', HOME, {
    limit: async (home) => {
      node = await ben(home)
      for (const query of ['what now?', 'how far?']) await home.call('agent.query', { ...asked, query })
      const [newest, ...more] = await home.call('agent.asked', { limit: 1 })
      expect([newest?.query, newest?.status, newest?.answer?.completed, more]).toEqual([
        ...['how far?', 'answered', true],
        [],
      ])
    },
  }),
  effects('agent.keygen', HOME, {
    '': async ({ call }) => {
      const made = await call('agent.keygen', {})
      expect(made).toMatchObject({ id: 'ana', created: true })
      expect(await call('agent.keygen', {})).toEqual({ ...made, created: false })
    },
  }),
  effects('agent.inspect', HOME, {
    endpoint: async (home) => {
      node = await ben(home)
      expect(await home.call('agent.inspect', { endpoint: node.endpoint() })).toMatchObject({
        id: 'ben',
        certificate: null,
      })
    },
  }),
  effects('agent.add', HOME, {
    agentId: async ({ call, home }) => {
      await call('agent.add', { agentId: 'eve', publicKey: KEY })
      expect(home.read('workspace/agents/eve.md')).toContain(`public_key: ${KEY}`)
    },
    publicKey: async ({ refusal }) =>
      expect(await refusal('agent.add', { agentId: 'fay', publicKey: 'x' })).toMatchObject({ code: -32602 }),
    ...Object.fromEntries(
      (
        [
          ['endpoint', 'https://192.0.2.7:8443'],
          ['role', 'qa'],
          ['owner', 'Gil'],
          ['certificate', `sha256:${'a'.repeat(64)}`],
        ] as const
      ).map(([name, value]) => [
        name,
        async ({ call, home }: HubHome) => {
          const agentId = `with-${name}`
          await call('agent.add', { agentId, publicKey: KEY, [name]: value })
          expect(home.read(`workspace/agents/${agentId}.md`)).toContain(value)
        },
      ]),
    ),
    contexts: async ({ call }) =>
      expect((await call('agent.add', { agentId: 'hal', publicKey: KEY, contexts: scope })).contexts).toEqual(
        scope,
      ),
  }),
  effects('agent.revoke', HOME, {
    agentId: async ({ call }) => {
      await call('agent.revoke', { agentId: 'cat' })
      expect((await call('agent.list', {})).agents.map(({ status }) => status)).toEqual([
        'revoked',
        'offline',
      ])
    },
  }),
  effects('agent.token', HOME, {
    revoke: async ({ call, home }) => {
      await call('agent.token', { agentId: 'cat' })
      expect(await call('agent.token', { agentId: 'cat', revoke: true })).toEqual({
        agentId: 'cat',
        token: null,
      })
      expect(home.read('.git/neo/agent/tokens.json')).toBe('{}\n')
      // The agent itself is as before.
      expect((await call('agent.token', { agentId: 'cat' })).token).toMatch(/^neo_agent_/)
    },
    agentId: async ({ call, home, refusal }) => {
      const { token } = await call('agent.token', { agentId: 'cat' })
      expect(token).toMatch(/^neo_agent_/)
      expect(home.read('.git/neo/agent/tokens.json')).not.toContain(token)
      await call('agent.revoke', { agentId: 'cat' })
      expect(home.read('.git/neo/agent/tokens.json')).toBe('{}\n')
      expect((await refusal('agent.token', { agentId: 'cat' })).message).toContain('is revoked')
    },
  }),
  effects('access.rules', HOME, {
    '': async ({ call }) =>
      expect((await call('access.rules', {})).rules).toMatchObject([
        { rule: 'access.rules[0]', agentId: 'cat', permission: 'write' },
      ]),
  }),
  effects('access.check', HOME, checkProofs()),
]

function checkProofs(): Effects['proofs'] {
  const check = {
    agentId: 'cat',
    action: 'write',
    resourceType: 'repository',
    resource: 'acme/shop',
  } as const
  const allowed = async ({ call }: HubHome, over: object) =>
    (await call('access.check', { ...check, ...over })).allowed
  return {
    agentId: async (home) =>
      expect([await allowed(home, {}), await allowed(home, { agentId: 'dan' })]).toEqual([true, false]),
    action: async ({ refusal }) =>
      expect(await refusal('access.check', { ...check, action: 'admin' })).toMatchObject({ code: -32602 }),
    resourceType: async (home) => {
      expect(await allowed(home, { resourceType: 'folder', resource: 'acme/shop/src' })).toBe(true)
      expect(await allowed(home, { resourceType: 'folder', resource: 'acme/shopping/src' })).toBe(false)
    },
    resource: async (home) => expect(await allowed(home, { resource: 'acme/other' })).toBe(false),
  }
}

const OUT: readonly Effects[] = [
  effects(
    'agent.discover',
    HOME,
    beginning({
      agentId: async ({ call }) =>
        expect((await call('agent.discover', { agentId: 'ben' })).agents).toMatchObject([
          { id: 'ben', contexts: scope },
        ]),
    }),
  ),
  effects(
    'agent.query',
    HOME,
    beginning({
      agentId: async ({ call }) =>
        expect(await call('agent.query', asked)).toMatchObject({ completed: true }),
      query: async ({ call }) => {
        await call('agent.query', { ...asked, query: 'what now?' })
        expect((await node?.call('agent.requests', {}))?.[0]?.text).toBe('what now?')
      },
      contextScope: async ({ call, refusal }) => {
        const other = [{ type: 'repository', identifier: 'acme/none' }] as const
        expect(await call('agent.query', { ...asked, contextScope: [...other] }).catch(messageOf)).toContain(
          'Context not found',
        )
        expect(await refusal('agent.query', { ...asked, contextScope: [] })).toMatchObject({ code: -32602 })
      },
      priority: async ({ call }) =>
        expect(await call('agent.query', { ...asked, priority: 'high' })).toMatchObject({ completed: true }),
      async: async ({ refusal }) =>
        expect((await refusal('agent.query', { ...asked, async: true })).message).toContain('neo watch'),
      timeout: async ({ refusal }) =>
        expect(await refusal('agent.query', { ...asked, timeout: 0 })).toMatchObject({ code: -32602 }),
    }),
  ),
  effects(
    'agent.execute',
    HOME,
    beginning({
      agentId: async ({ call }) =>
        expect(await call('agent.execute', handed)).toMatchObject({ status: 'pending' }),
      taskType: async ({ call }) =>
        expect(await call('agent.execute', { ...handed, taskType: 'none' }).catch(messageOf)).toContain(
          'allowed: greet',
        ),
      taskParams: async ({ call }) => {
        await call('agent.execute', { ...handed, taskParams: { name: 'Kim' } })
        expect((await node?.call('task.list', {}))?.map(({ title }) => title)).toContain('Greet Kim')
      },
      contextScope: async ({ call }) =>
        expect(
          await call('agent.execute', {
            ...handed,
            contextScope: [{ type: 'repository', identifier: 'other/x' }],
          }).catch(messageOf),
        ).toContain('Permission denied'),
      async: async ({ call }) =>
        expect(await call('agent.execute', { ...handed, async: true })).toMatchObject({ status: 'pending' }),
      requestId: async ({ call }) => {
        const [one, other] = [
          await call('agent.execute', { ...handed, requestId: 'r-1' }),
          await call('agent.execute', { ...handed, requestId: 'r-1' }),
        ]
        expect(other.taskId).toBe(one.taskId)
      },
    }),
  ),
]

export const AGENTS: readonly Effects[] = [...OWN, ...OUT]
