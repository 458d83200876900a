/** The official client of A2A, @a2a-js/sdk, against our server. */
import { Role, type SendMessageRequest, TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { JsonRpcTaskNotFoundError } from '@a2a-js/sdk/errors'
import { expect, test } from 'vitest'
import { SCOPE, type Served, serveA2a } from './served-a2a.ts'

async function clientOf({ url }: Served, peer = 'pm-tanaka', polling = false): Promise<Client> {
  const fetchImpl: typeof fetch = (at, init) =>
    fetch(at, { ...init, headers: { ...(init?.headers as Record<string, string>), 'X-Peer': peer } })
  const factory = new ClientFactory({
    ...ClientFactoryOptions.default,
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    clientConfig: { polling },
  })
  return await factory.createFromUrl(url)
}

type Content = { $case: 'text'; value: string } | { $case: 'data'; value: object }

function message(content: Content, messageId = 'm-1'): SendMessageRequest {
  return {
    tenant: '',
    message: {
      messageId,
      contextId: 'talk-1',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
      metadata: { context_scope: SCOPE },
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  }
}

const QUESTION = message({ $case: 'text', value: 'Is login done?' })
const ORDER = message({ $case: 'data', value: { task_type: 'fix-bug', task_params: { n: 7 } } })

test('the client reads from the card that it can sign, or send a token', async () => {
  const { url } = await serveA2a()
  const card = await new DefaultAgentCardResolver().resolve(url)
  expect(card.securityRequirements.map(({ schemes }) => Object.keys(schemes))).toEqual([
    ['signature'],
    ['token'],
  ])
  expect(card.securitySchemes['token']?.scheme).toMatchObject({
    $case: 'httpAuthSecurityScheme',
    value: { scheme: 'Bearer' },
  })
})

test('the client finds the card, asks, and gets the answer with its references', async () => {
  const served = await serveA2a()
  const client = await clientOf(served)
  const asked = client.sendMessage(QUESTION)
  await expect.poll(() => served.core.watchers()).toBe(1)
  served.core.change('w-1', {
    completed: true,
    summary: 'Login is done.',
    progress: 80,
    blockers: ['review'],
    refs: [{ type: 'file', ref: 'src/login.ts', summary: 'the form' }],
  })
  const task = await asked
  expect(task).toMatchObject({
    id: 'w-1',
    contextId: 'talk-1',
    status: { state: TaskState.TASK_STATE_COMPLETED },
    history: [{ messageId: 'm-1', role: Role.ROLE_USER }],
    artifacts: [
      {
        artifactId: 'answer',
        parts: [
          { content: { $case: 'text', value: 'Login is done.' } },
          {
            content: {
              $case: 'data',
              value: {
                progress: 80,
                blockers: ['review'],
                context_refs: [{ type: 'file', ref: 'src/login.ts', summary: 'the form' }],
              },
            },
          },
        ],
      },
    ],
  })
  expect(served.core.watchers()).toBe(0)
})

test('the client delegates a task, polls it, lists it and cancels it', async () => {
  const served = await serveA2a()
  const client = await clientOf(served, 'pm-tanaka', true)
  const task = await client.sendMessage(ORDER)
  expect(task).toMatchObject({ id: 'w-1', status: { state: TaskState.TASK_STATE_SUBMITTED } })
  expect(served.core.started).toMatchObject([{ params: { taskType: 'fix-bug', taskParams: { n: 7 } } }])
  served.core.change('w-1', { state: 'in_progress' })
  const got = await client.getTask({ tenant: '', id: 'w-1', historyLength: undefined })
  expect(got.status?.state).toBe(TaskState.TASK_STATE_WORKING)
  const list = await client.listTasks({
    tenant: '',
    contextId: 'talk-1',
    status: TaskState.TASK_STATE_WORKING,
    pageToken: '',
    pageSize: undefined,
    historyLength: undefined,
    statusTimestampAfter: undefined,
    includeArtifacts: undefined,
  })
  expect([list.tasks.map(({ id }) => id), list.nextPageToken, list.totalSize]).toEqual([['w-1'], '', 1])
  const cancelled = await client.cancelTask({ tenant: '', id: 'w-1', metadata: undefined })
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
})

test('the client streams a task to its end', async () => {
  const served = await serveA2a()
  const client = await clientOf(served)
  const seen: unknown[] = []
  for await (const { payload } of client.sendMessageStream(ORDER)) {
    seen.push(payload?.$case)
    if (seen.length === 1) served.core.change('w-1', { state: 'in_progress' })
    if (seen.length === 2)
      served.core.change('w-1', { status: 'completed', state: 'completed', output: 'Fixed.' })
    if (payload?.$case === 'statusUpdate')
      seen.push(payload.value.status === undefined ? '' : TaskState[payload.value.status.state])
  }
  expect(seen).toEqual([
    'task',
    'statusUpdate',
    'TASK_STATE_WORKING',
    'artifactUpdate',
    'statusUpdate',
    'TASK_STATE_COMPLETED',
  ])
})

test('the client subscribes to a task that it started before', async () => {
  const served = await serveA2a()
  const client = await clientOf(served, 'pm-tanaka', true)
  await client.sendMessage(QUESTION)
  const states: unknown[] = []
  for await (const { payload } of client.resubscribeTask({ tenant: '', id: 'w-1' })) {
    if (payload?.$case === 'task' || payload?.$case === 'statusUpdate')
      states.push(payload.value.status?.state)
    if (states.length === 1) served.core.change('w-1', { refused: 'The owner has declined.' })
  }
  expect(states).toEqual([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_REJECTED])
})

test('the client sees tasks of other agents as not found', async () => {
  const served = await serveA2a()
  await (await clientOf(served, 'pm-tanaka', true)).sendMessage(ORDER)
  const other = await clientOf(served, 'qa-sato')
  const got = other.getTask({ tenant: '', id: 'w-1', historyLength: undefined })
  await expect(got).rejects.toBeInstanceOf(JsonRpcTaskNotFoundError)
})

test('the client reads the extended card, which names contexts and task types', async () => {
  const client = await clientOf(await serveA2a())
  const card = await client.getAgentCard()
  expect(card.skills.map(({ id }) => id)).toEqual(['query', 'task-fix-bug'])
  expect(card.skills[0]?.description).toContain('acme/webapp')
  expect(card.securitySchemes['signature']?.scheme?.$case).toBe('httpAuthSecurityScheme')
})
