/** Moving tasks through the hub, and what Neo's word about them is worth. */
import { expect, test } from 'vitest'
import { hubHome, HUMAN, last, NEO, SESSION, trailer } from './hub-home.ts'

const PATH = 'rooms/shop/tasks/a.md'
const file = (status: string, by = 'human', more = '') =>
  `---\nstatus: ${status}\n${more}neo:\n  id: t-aaaaaa\n  created_at: 2026-03-01T09:00:00Z\n  created_by: ${by}\n---\n# A\n`

test.each([
  ['task.start', 'draft', 'pending'],
  ['task.start', 'failed', 'pending'],
  ['task.start', 'blocked', 'pending'],
  ['task.retry', 'completed', 'pending'],
  ['task.cancel', 'pending', 'cancelled'],
] as const)(
  '%s by a person takes a task from %s to %s, in one commit of theirs',
  async (method, from, to) => {
    const { home, call } = await hubHome({ [PATH]: file(from) })
    expect((await call(method, { taskId: 'a' })).status).toBe(to)
    expect([last(home), home.git('status', '--porcelain')]).toEqual([
      `Person: neo(shop): ${method.slice(5)} a`,
      '',
    ])
  },
)

test.each([
  ['task.start', 'in_progress'],
  ['task.retry', 'in_progress'],
  ['task.retry', 'draft'],
])('%s of a task that is %s is refused', async (method, from) => {
  const { refusal } = await hubHome({ [PATH]: file(from) })
  expect(await refusal(method, { taskId: 'a' })).toMatchObject({ code: -32004 })
})

test.each([
  ['draft', 'human', 'transition'],
  ['failed', 'human', 'transition'],
  ['cancelled', 'neo', 'stopped-by-a-person'],
  ['blocked', 'neo', 'stopped-by-a-person'],
])('task.start by Neo of a task that is %s, of %s, becomes an ask: %s', async (from, by, rule) => {
  const { home, refusal } = await hubHome({ [PATH]: file(from, by) })
  expect(await refusal('task.start', { taskId: 'a' }, NEO)).toMatchObject({ code: -32001, rule })
  expect(home.read(PATH)).toBe(file(from, by))
})

test('task.retry by Neo runs his own failed task again', async () => {
  const { call } = await hubHome({ [PATH]: file('failed', 'neo') })
  expect((await call('task.retry', { taskId: 'a' }, NEO)).status).toBe('pending')
})

test('task.start with a waiting session is refused by name', async () => {
  const { refusal } = await hubHome({ [PATH]: file('draft') })
  const { code, issues } = await refusal('task.start', { taskId: 'a', sessionId: 's-1' })
  expect([code, issues?.[0]?.path]).toEqual([-32602, ['sessionId']])
})

test('task.complete and task.fail by a person end the task as theirs', async () => {
  const { home, call } = await hubHome({ [PATH]: file('in_progress', 'human', 'worker: human\n') })
  const done = await call('task.complete', { taskId: 'a', result: 'All\nfine' })
  expect(done).toMatchObject({ status: 'completed', result: 'All fine' })
  expect([typeof done.completedAt, last(home)]).toEqual([
    'string',
    'Person: neo(shop): complete a (All fine)',
  ])
  expect(await call('task.fail', { taskId: 'a', error: 'No' })).toMatchObject({
    status: 'failed',
    error: 'No',
  })
})

test('task.complete by Neo of a task that nobody works on is asked, and done when a person approves', async () => {
  const { home, call, refusal } = await hubHome({ [PATH]: file('in_progress', 'human', 'worker: human\n') })
  const { rule, ask = '' } = await refusal('task.complete', { taskId: 'a', result: 'Seen it' }, NEO)
  expect([rule, home.read(PATH)]).toEqual(['person-ends', file('in_progress', 'human', 'worker: human\n')])
  await call('ask.decide', { askId: ask, decision: 'approved' })
  expect(await call('task.get', { taskId: 'a' })).toMatchObject({ status: 'completed', result: 'Seen it' })
  expect(trailer(home, 'Neo-Approved-By')).toBe('Person')
})

test('task.complete by a session of a task that it does not work on is denied', async () => {
  const { refusal } = await hubHome({ [PATH]: file('in_progress') })
  expect(await refusal('task.complete', { taskId: 'a', result: 'x' }, SESSION)).toMatchObject({
    rule: 'own-session',
  })
})

test('task.fail by Neo gives up a task that has not started, and asks about one that a person works on', async () => {
  const { call, refusal } = await hubHome({
    [PATH]: file('pending'),
    'rooms/shop/tasks/b.md': file('in_progress', 'human', 'worker: human\n').replace('t-aaaaaa', 't-bbbbbb'),
  })
  expect((await call('task.fail', { taskId: 'a', error: 'Cannot be' }, NEO)).status).toBe('failed')
  expect(await refusal('task.fail', { taskId: 'b', error: 'x' }, NEO)).toMatchObject({ rule: 'person-ends' })
})

test('nothing is changed while the home is away from its branch', async () => {
  const { home, refusal } = await hubHome({ [PATH]: file('draft') })
  home.git('checkout', '-q', '--detach')
  const { code, message } = await refusal(
    'task.create',
    { roomId: 'lobby', title: 'x', description: '' },
    HUMAN,
  )
  expect([code, message]).toEqual([-32004, 'Cannot change the home now: HEAD is detached'])
})
