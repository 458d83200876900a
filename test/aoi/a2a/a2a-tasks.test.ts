/** Tasks of A2A on the wire: whose they are, their states, and lists of them. */
import { expect, test } from 'vitest'
import { AgentRefusal } from '../../../src/aoi/agent-core.ts'
import { order, question, SCOPE, serveA2a } from './served-a2a.ts'

const AT_ONCE = { configuration: { returnImmediately: true } }

test('what may not be read becomes a rejected task, found again by its id', async () => {
  const { core, rpc, post } = await serveA2a()
  const hidden = question('m-1', {
    metadata: { context_scope: [{ type: 'repository', identifier: 'hidden/x' }] },
  })
  const { result } = await rpc('SendMessage', hidden)
  expect(result.task).toMatchObject({
    id: 'rejected-m-1',
    status: {
      state: 'TASK_STATE_REJECTED',
      message: { role: 'ROLE_AGENT', parts: [{ text: 'Permission denied' }] },
    },
  })
  expect((await rpc('GetTask', { id: 'rejected-m-1' })).result).toEqual(result.task)
  expect((await rpc('GetTask', { id: 'rejected-m-1' }, 'qa-sato')).error.code).toBe(-32001)
  expect((await rpc('ListTasks', { status: 'TASK_STATE_REJECTED' })).result.totalSize).toBe(1)
  core.refuse(new AgentRefusal(-32001, 'Permission denied'))
  const reply = await post({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'w-1' } })
  expect([reply.status, await reply.json()]).toMatchObject([403, { error: { code: -32000 } }])
})

test('a task of another agent is the same as none, to the byte', async () => {
  const { rpc } = await serveA2a()
  await rpc('SendMessage', { ...order('m-1'), ...AT_ONCE })
  for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
    const theirs = await rpc(method, { id: 'w-1' }, 'qa-sato')
    expect(theirs).toEqual(await rpc(method, { id: 'w-2' }, 'qa-sato'))
  }
  expect((await rpc('ListTasks', {}, 'qa-sato')).result.tasks).toEqual([])
})

test('the same messageId again is the same task', async () => {
  const { core, rpc } = await serveA2a()
  const first = await rpc('SendMessage', { ...question('m-1', { contextId: 'talk' }), ...AT_ONCE })
  const again = await rpc('SendMessage', { ...question('m-1', { contextId: 'other' }), ...AT_ONCE })
  expect(again.result).toEqual(first.result)
  const theirs = await rpc('SendMessage', { ...question('m-1'), ...AT_ONCE }, 'qa-sato')
  expect([theirs.result.task.id, core.started.length]).toEqual(['w-2', 2])
})

test('fields may have the names of the .proto file, enums their numbers, and null is absent', async () => {
  const { rpc } = await serveA2a()
  const { result } = await rpc('SendMessage', {
    message: {
      message_id: 'm-1',
      context_id: 'talk',
      task_id: null,
      role: 1,
      parts: [{ text: 'Is login done?', unknown: true }],
      metadata: { context_scope: SCOPE },
    },
    configuration: { return_immediately: true, history_length: 0 },
  })
  expect(result.task).toEqual({
    id: 'w-1',
    contextId: 'talk',
    status: { state: 'TASK_STATE_WORKING', timestamp: expect.any(String) },
    artifacts: [],
  })
})

const STATES = [
  [{ state: 'pending' }, 'TASK_STATE_SUBMITTED'],
  [{ state: 'in_progress' }, 'TASK_STATE_WORKING'],
  [{ state: 'review' }, 'TASK_STATE_INPUT_REQUIRED'],
  [{ state: 'blocked' }, 'TASK_STATE_INPUT_REQUIRED'],
  [{ state: 'completed', status: 'completed' }, 'TASK_STATE_COMPLETED'],
  [{ state: 'failed', status: 'failed', error: 'The test fails' }, 'TASK_STATE_FAILED'],
  [{ state: 'cancelled', status: 'failed' }, 'TASK_STATE_CANCELED'],
] as const

test.each(STATES)('a delegated task that is %j is %s', async (change, state) => {
  const { core, rpc } = await serveA2a()
  await rpc('SendMessage', { ...order('m-1'), ...AT_ONCE })
  core.change('w-1', change)
  expect((await rpc('GetTask', { id: 'w-1' })).result.status.state).toBe(state)
})

test('a blocking call returns when a person has to approve the answer', async () => {
  const { core, rpc } = await serveA2a()
  const asked = rpc('SendMessage', question('m-1'))
  await expect.poll(() => core.watchers()).toBe(1)
  core.change('w-1', { waitsForPerson: true })
  expect((await asked).result.task.status.state).toBe('TASK_STATE_INPUT_REQUIRED')
})

test('a blocking call returns the task as it is when the time is over', async () => {
  const { core, rpc } = await serveA2a({ waitMs: 20 })
  expect((await rpc('SendMessage', question('m-1'))).result.task.status.state).toBe('TASK_STATE_WORKING')
  expect(core.watchers()).toBe(0)
})

test('a query and a task that has ended can’t be cancelled', async () => {
  const { core, rpc } = await serveA2a()
  await rpc('SendMessage', { ...question('m-1'), ...AT_ONCE })
  await rpc('SendMessage', { ...order('m-2'), ...AT_ONCE })
  core.change('w-2', { status: 'completed', state: 'completed' })
  expect((await rpc('CancelTask', { id: 'w-1' })).error.code).toBe(-32002)
  expect((await rpc('CancelTask', { id: 'w-2' })).error.code).toBe(-32002)
  expect((await rpc('SubscribeToTask', { id: 'w-2' })).error.code).toBe(-32004)
  expect((await rpc('SendMessage', question('m-3', { taskId: 'w-1' }))).error.code).toBe(-32004)
})

test('ListTasks gives each task once, newest first, page by page', async () => {
  const { rpc } = await serveA2a()
  for (const n of [1, 2, 3, 4, 5])
    await rpc('SendMessage', { ...(n % 2 === 0 ? question(`m-${n}`) : order(`m-${n}`)), ...AT_ONCE })
  const ids: string[] = []
  const times: string[] = []
  let pageToken = ''
  do {
    const { result } = await rpc('ListTasks', { pageSize: 2, pageToken })
    expect(result).toMatchObject({ pageSize: 2, totalSize: 5, nextPageToken: expect.any(String) })
    for (const task of result.tasks) {
      expect('artifacts' in task).toBe(false)
      ids.push(task.id)
      times.push(task.status.timestamp)
    }
    pageToken = result.nextPageToken
  } while (pageToken !== '')
  expect([...ids].sort()).toEqual(['w-1', 'w-2', 'w-3', 'w-4', 'w-5'])
  expect(times).toEqual([...times].sort().reverse())
  const after = await rpc('ListTasks', { statusTimestampAfter: times[1], includeArtifacts: true })
  expect(after.result.tasks.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
  expect(after.result.tasks[0].artifacts).toEqual([])
})
