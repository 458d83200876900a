/** Two homes, two daemons, two addresses: the agent protocol as its users see it. */
import { expect, test } from 'vitest'
import { openPeerWire } from '../../src/adapters/peer-wire/peer-wire.ts'
import { until } from '../path/home.ts'
import {
  CONTEXT,
  DELEGATES,
  delegated,
  ECHO,
  type Node,
  nodes,
  pair,
  rule,
  startNode,
  states,
} from './node.ts'

const scope = [CONTEXT]
const AUTO = rule('ana', 'permission: read, auto: true')
const QUERY = { agentId: 'ben', query: 'how far is the list?', contextScope: scope }

const messageOf = (error: Error): string => error.message
test('agents that know each other are online for each other', async () => {
  const [ana, ben] = await nodes({})
  const statusOf = async (node: Node) =>
    (await node.call('agent.list', {})).agents.map(({ id, status }) => [id, status])
  await until(
    async () => (await statusOf(ana))[0]?.[1] === 'online' && (await statusOf(ben))[0]?.[1] === 'online',
  )
  await ben.stop()
  await until(async () => (await statusOf(ana))[0]?.[1] === 'offline', 60_000)
})

test('an agent is told only of contexts that it may read', async () => {
  const [ana] = await nodes({})
  const [found] = (await ana.call('agent.discover', { agentId: 'ben' })).agents
  expect(found).toMatchObject({ id: 'ben', role: 'engineer', contexts: [], known: true })
  const [cat, dan] = [
    await startNode('cat', { host: '127.0.0.4' }),
    await startNode('dan', { host: '127.0.0.5', rules: [rule('cat', 'permission: read')] }),
  ]
  await pair(cat, dan)
  expect((await cat.call('agent.discover', {})).agents).toMatchObject([{ id: 'dan', contexts: [CONTEXT] }])
})

test('a refusal says the same whether the context exists or not', async () => {
  const [ana] = await nodes({})
  const ask = (identifier: string) =>
    ana.call('agent.query', { ...QUERY, contextScope: [{ type: 'repository', identifier }] }).catch(messageOf)
  const [there, absent] = [await ask('acme/shop'), await ask('acme/none')]
  expect(there).toBe('ben refused: Permission denied (no rule gives this agent access)')
  expect(absent).toBe(there)
})

test('a query is answered from tasks and git, with commits that exist', async () => {
  const [ana, ben] = await nodes({ rules: [AUTO] })
  ben.home.write('workspace/files/list.txt', 'one\n')
  ben.home.git('add', '.')
  ben.home.git('commit', '-qm', 'begin the list')
  ben.home.task('list', '# Write the list\n\n```sh\necho written\n```\n')
  await until(() => ben.home.status('list') === 'completed')
  const answer = await ana.call('agent.query', QUERY)
  expect(answer).toMatchObject({ completed: true, progress: 100, blockers: [] })
  expect(answer.summary).toContain('Completed: 1 of 1 task. "Write the list" is completed')
  const commits = answer.contextRefs.filter(({ type }) => type === 'commit')
  expect(commits.map(({ summary }) => summary)).toContain('begin the list')
  for (const { ref } of commits) expect(ben.home.git('cat-file', '-t', ref)).toBe('commit')
  expect(await states(ben)).toEqual(['answered'])
})

test('the answer to an asynchronous query comes as a notice', async () => {
  const [ana] = await nodes({ rules: [AUTO] })
  expect(await ana.call('agent.query', { ...QUERY, async: true })).toMatchObject({ completed: false })
  await until(() => ana.said(/ben answered "how far is the list\?": There are no tasks\./))
})

test('without auto, a person approves the answer, and exactly that text goes out', async () => {
  const [ana, ben] = await nodes({ rules: [rule('ana', 'permission: read')] })
  expect(await ana.call('agent.query', QUERY)).toMatchObject({
    completed: false,
    summary: 'A person has to approve the answer first.',
  })
  const [ask] = await ben.call('ask.list', {})
  expect(ask?.action).toMatchObject({ tool: 'aoi.answer', arguments: { agentId: 'ana', query: QUERY.query } })
  await ben.call('ask.decide', { askId: ask?.id ?? '', decision: 'approved' })
  await until(() => ana.said(/ben answered "how far is the list\?": There are no tasks\./))
  expect(await states(ben)).toEqual(['answered'])
  await ana.stop()
  await ana.start()
  expect(await ana.call('agent.asked', {})).toMatchObject([
    {
      query: QUERY.query,
      status: 'answered',
      answer: { completed: true, summary: expect.stringContaining('There are no tasks.') },
    },
  ])
})

test('a home that nobody reaches gets its answer by asking again', async () => {
  const [ana, ben] = await nodes({ rules: [rule('ana', 'permission: read')] })
  ben.home.write(
    'workspace/agents/ana.md',
    ben.home.read('workspace/agents/ana.md').replace(/^endpoint:.*\n/m, ''),
  )
  await until(async () => (await ben.call('agent.list', {})).agents[0]?.endpoint === null)
  await ana.call('agent.query', QUERY)
  const [ask] = await ben.call('ask.list', {})
  await ben.call('ask.decide', { askId: ask?.id ?? '', decision: 'approved' })
  await until(() => ana.said(/ben answered "how far is the list\?": There are no tasks\./))
  expect(await ana.call('agent.asked', {})).toMatchObject([{ status: 'answered', why: null }])
  expect(await states(ben)).toEqual(['answered'])
})

test('an answer that a person denies is a refusal', async () => {
  const [ana, ben] = await nodes({ rules: [rule('ana', 'permission: read')] })
  await ana.call('agent.query', QUERY)
  const [ask] = await ben.call('ask.list', {})
  await ben.call('ask.decide', { askId: ask?.id ?? '', decision: 'denied' })
  await until(() => ana.said(/ben answered "how far is the list\?": it refused to answer/))
  expect(await states(ben)).toEqual(['refused'])
  expect(await ana.call('agent.asked', {})).toMatchObject([
    { status: 'refused', answer: null, why: 'its owner has refused' },
  ])
})

test('a delegated task runs in the other home, and its state comes back', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO })
  ana.home.task('say', delegated('task_type: echo, text: "$(id) hello"'))
  await approveIn(ben)
  await until(() => ana.home.status('say') === 'completed')
  expect(ana.home.neo('say', 'result')).toBe('ben: 1 step passed: said $(id) hello')
  expect(await states(ben)).toEqual(['completed'])
})

/** Commands of a task that another agent made are approved by a person. */
async function approveIn(node: Node): Promise<void> {
  await until(async () => (await node.call('ask.list', {})).some(({ decision }) => decision === 'pending'))
  const [ask] = await node.call('ask.list', {})
  await node.call('ask.decide', { askId: ask?.id ?? '', decision: 'approved' })
}

test('a task type that no rule names fails the delegated task, with the allowed ones', async () => {
  const [ana] = await nodes({ rules: [DELEGATES], files: ECHO })
  ana.home.task('say', delegated('task_type: deploy'))
  await until(() => ana.home.status('say') === 'failed')
  expect(ana.home.neo('say', 'error')).toContain('allowed: echo')
})

test('a delegated task survives restarts of both homes, and runs once', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO })
  ana.home.task('say', delegated('task_type: echo, text: hello'))
  await until(async () => (await states(ben)).length === 1)
  await ben.stop()
  await ana.stop()
  await ana.start()
  await ben.start()
  await approveIn(ben)
  await until(() => ana.home.status('say') === 'completed', 90_000)
  expect(ben.home.git('ls-files', 'rooms/shop/tasks').split('\n')).toHaveLength(1)
})

test('a revoked agent is refused at once, and its tasks are cancelled', async () => {
  const both = rule('ana', 'permission: write, auto: true, tasks: [echo]')
  const [ana, ben] = await nodes({ rules: [both], files: ECHO })
  await ana.call('agent.execute', {
    agentId: 'ben',
    taskType: 'echo',
    taskParams: { text: 'x' },
    contextScope: scope,
  })
  await ben.call('agent.revoke', { agentId: 'ana' })
  expect(await ana.call('agent.query', QUERY).catch(messageOf)).toBe('ben refused: Authentication failed')
  expect((await ben.call('task.list', {})).map(({ status }) => status)).toEqual(['cancelled'])
  expect(ben.home.read('workspace/agents/ana.md')).toContain('status: revoked')
})

test('a clock that is an hour wrong keeps nobody out', async () => {
  const [ana] = await nodes({ rules: [AUTO] }, { skewMs: 3_600_000 })
  expect(await ana.call('agent.query', QUERY)).toMatchObject({ completed: true })
})

test('the same request id makes one task', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO })
  const task = {
    agentId: 'ben',
    taskType: 'echo',
    taskParams: { text: 'x' },
    contextScope: scope,
    requestId: 'r-1',
  }
  const [one, other] = [await ana.call('agent.execute', task), await ana.call('agent.execute', task)]
  expect(other.taskId).toBe(one.taskId)
  expect(await ben.call('task.list', {})).toHaveLength(1)
})

test('in focus hours a query waits until they end', async () => {
  const hour = new Date().getHours()
  const agent = `focus_hours: [${(hour + 23) % 24}, ${(hour + 6) % 24}]`
  const [ana, ben] = await nodes({ rules: [AUTO], agent })
  expect(await ana.call('agent.query', QUERY)).toMatchObject({ completed: false })
  expect(await states(ben)).toEqual(['buffered'])
})

test('a narrower rule hides files and the commits that touch them', async () => {
  const hidden = '{ agent_id: ana, scope_type: folder, pattern: acme/shop/secret, permission: none }'
  const [ana, ben] = await nodes({ rules: [AUTO, hidden] })
  for (const [path, subject] of [
    ['secret/plan.txt', 'write the hidden plan'],
    ['list.txt', 'begin the list'],
  ] as const) {
    ben.home.write(`workspace/files/${path}`, 'the list of the plan\n')
    ben.home.git('add', '.')
    ben.home.git('commit', '-qm', subject)
  }
  const said = JSON.stringify(await ana.call('agent.query', { ...QUERY, query: 'what is the plan?' }))
  expect(said).toContain('begin the list')
  expect(said).not.toMatch(/hidden|secret/)
})

test('an address inside this machine that another home announces is not passed on', async () => {
  const [ana, ben] = await nodes({ rules: [AUTO] })
  const [{ publicKey = '' } = {}] = (await ben.call('agent.list', {})).agents
  const inward = {
    agentId: 'eve',
    publicKey: publicKey ?? '',
    endpoint: 'https://169.254.169.254',
    contexts: scope,
  }
  await ben.call('agent.add', inward)
  const { agents } = await ana.call('agent.discover', { agentId: 'ben' })
  expect(agents.map(({ id, endpoint }) => [id, endpoint]).toSorted()).toEqual([
    ['ben', null],
    ['eve', null],
  ])
})

test('an A2A client with a token asks what the rules let its agent see, and nothing once it or the agent is revoked', async () => {
  const [, ben] = await nodes({ rules: [AUTO] })
  let { token } = await ben.call('agent.token', { agentId: 'ana' })
  const ask = async (id: string) => {
    const message = {
      ...{ messageId: id, role: 'ROLE_USER', parts: [{ text: 'how far?' }] },
      metadata: { context_scope: scope },
    }
    const reply = await openPeerWire().send({
      ...{ url: `${ben.endpoint()}/a2a/v1`, method: 'POST', trust: null, timeoutMs: 30_000 },
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'SendMessage', params: { message } }),
    })
    return reply.kind === 'reply' ? [reply.status, reply.body] : [0, reply.why]
  }
  expect(await ask('m-1')).toEqual([200, expect.stringMatching(/TASK_STATE_COMPLETED.*There are no tasks/s)])
  const refused = [401, expect.stringContaining('Authentication failed')]
  await ben.call('agent.token', { agentId: 'ana', revoke: true })
  expect(await ask('m-2')).toEqual(refused)
  token = (await ben.call('agent.token', { agentId: 'ana' })).token
  expect(await ask('m-3')).toEqual([200, expect.stringContaining('TASK_STATE_COMPLETED')])
  await ben.call('agent.revoke', { agentId: 'ana' })
  expect(await ask('m-4')).toEqual(refused)
})

test('a person who approves a task of another agent sees the values that its script gets', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO })
  ana.home.task('say', delegated('task_type: echo, text: "curl evil"'))
  await until(async () => (await ben.call('ask.list', {})).length === 1)
  const [ask] = await ben.call('ask.list', {})
  expect(ask?.action?.arguments).toMatchObject({ params: { text: 'curl evil' } })
})
