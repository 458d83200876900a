/**
 * What an agent that no rule names learns from a home by asking for what is there and for what is not: nothing. The
 * replies are the same byte for byte, apart from what it has sent itself, and the home decides in the same way.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { CONTEXT, type Node, startNode } from './node.ts'
import { type SigningAgent, signingAgent } from './signing-agent.ts'

const ECHO = '---\ntitle: Echo\nworker: human\n---\nEcho.\n'
const CAT = '{ agent_id: cat, pattern: acme/shop, permission: write, auto: true, tasks: [echo] }'

/** Of another agent, or of the owner. */
interface There {
  readonly context: string
  readonly template: string
  readonly task: string
  readonly query: string
}

/** As long as those that are there, so that a reply has the same length. */
const GONE = { context: 'acme/none', template: 'none' }

async function scene(): Promise<readonly [Node, SigningAgent, There & { readonly own: string }]> {
  const files = { 'templates/tasks/echo.md': ECHO }
  const ben = await startNode('ben', { host: '127.0.0.1', rules: [CAT], files })
  ben.home.task('mine', '---\nworker: human\n---\n# Mine\n')
  await until(() => ben.home.neo('mine', 'id') !== undefined)
  const [cat, ana] = [await signingAgent('cat', ben), await signingAgent('ana', ben)]
  const scope = { from: 'cat', to: 'ben', context_scope: [CONTEXT] }
  const task = await cat.call('aoi.task.execute', { ...scope, task_type: 'echo', async: true })
  const query = await cat.call('aoi.query', { ...scope, query: 'how far?' }, 2)
  const { task_id: of = '' } = task.result as { readonly task_id?: string }
  const { metadata } = query.result as { readonly metadata?: { readonly query_id: string } }
  const own = ben.home.neo('mine', 'id') ?? ''
  return [
    ben,
    ana,
    { context: 'acme/shop', template: 'echo', task: of, query: metadata?.query_id ?? '', own },
  ]
}

type Probe = (name: string) => readonly [path: string, method: string, params: object]

const aoi =
  (method: string, params: (name: string) => object): Probe =>
  (name) => ['/aoi/v1/rpc', method, { from: 'ana', to: 'ben', ...params(name) }]
const a2a =
  (method: string, params: (name: string) => object): Probe =>
  (name) => ['/a2a/v1', method, params(name)]

const scopeOf = (identifier: string) => [{ type: 'repository', identifier }]
const sent = (content: object, identifier: string) => ({
  message: {
    ...{ messageId: 'm-1', role: 'ROLE_USER', parts: [content] },
    metadata: { context_scope: scopeOf(identifier) },
  },
})
const typed = (taskType: string) => ({ data: { task_type: taskType, task_params: {} } })

/** Of each method that agents can call, with what it names. */
const PROBES: readonly (readonly [string, keyof There | 'own', Probe])[] = [
  ['query', 'context', aoi('aoi.query', (name) => ({ query: 'x', context_scope: scopeOf(name) }))],
  [
    'execute in a context',
    'context',
    aoi('aoi.task.execute', (name) => ({ task_type: 'echo', context_scope: scopeOf(name) })),
  ],
  [
    'execute a template',
    'template',
    aoi('aoi.task.execute', (name) => ({ task_type: name, context_scope: [CONTEXT] })),
  ],
  ['cancel the task of another agent', 'task', aoi('aoi.task.cancel', (name) => ({ task_id: name }))],
  ['cancel a task of the owner', 'own', aoi('aoi.task.cancel', (name) => ({ task_id: name }))],
  [
    'notify of a query',
    'query',
    aoi('aoi.notify', (name) => ({ event: 'query.completed', related_query_id: name, data: {} })),
  ],
  ['A2A: query', 'context', a2a('SendMessage', (name) => sent({ text: 'x' }, name))],
  ['A2A: execute', 'template', a2a('SendMessage', (name) => sent(typed(name), 'acme/shop'))],
  ...(['GetTask', 'CancelTask', 'SubscribeToTask'] as const).flatMap((method) =>
    (['task', 'query', 'own'] as const).map(
      (what) => [`A2A: ${method} of a ${what}`, what, a2a(method, (id) => ({ id }))] as const,
    ),
  ),
  [
    'A2A: continue a task',
    'task',
    a2a('SendMessage', (taskId) => {
      const { message } = sent({ text: 'x' }, 'acme/shop')
      return { message: { ...message, taskId } }
    }),
  ],
]

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

test('what is there and what is not get the same reply, by the same decisions', async () => {
  const [ben, ana, there] = await scene()
  const decisions = () => readFileSync(join(ben.home.dir, '.git/neo/audit.jsonl'), 'utf8').trim().split('\n')
  const told = async (probe: Probe, name: string) => {
    const [path, method, params] = probe(name)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
    const before = decisions().length
    const { status, text } = await ana.send(await ana.sign(body, { path }))
    const made = decisions()
      .slice(before)
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      .filter(({ who }) => who === 'peer:ana')
      .map(({ method: called, act, effect, rule }) => [called, act, effect, rule])
    return { status, text: text.replaceAll(name, 'NAME').replaceAll(TIME, 'TIME'), made }
  }
  const found: unknown[] = []
  const missed: unknown[] = []
  for (const [title, what, probe] of PROBES) {
    const name = there[what]
    found.push([title, await told(probe, name)])
    missed.push([title, await told(probe, absent(what, name))])
  }
  expect(missed).toEqual(found)
  expect(JSON.stringify(found)).not.toMatch(/Echo|Mine|mine/)
})

/** As long as the one that is there. */
function absent(what: keyof There | 'own', name: string): string {
  if (what === 'context' || what === 'template') return GONE[what]
  return name.slice(0, 2) + 'z'.repeat(name.length - 2)
}

test('it sees no context, no task type and no task, in the cards and lists either', async () => {
  const [, ana] = await scene()
  expect((await ana.call('aoi.discover', { agent_id: 'ana' })).result).toMatchObject({
    agents: [{ identity: { id: 'ben', capabilities: { contexts: [] } } }],
  })
  const list = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ListTasks', params: {} })
  const { reply } = await ana.send(await ana.sign(list, { path: '/a2a/v1' }))
  expect(reply?.result).toMatchObject({ tasks: [], totalSize: 0 })
  const card = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetExtendedAgentCard', params: {} })
  expect((await ana.send(await ana.sign(card, { path: '/a2a/v1' }))).text).not.toMatch(/acme|echo/)
})
