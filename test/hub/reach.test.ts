/** Who runs what: no way of giving a text another worker, and no schedule, goes past policy. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { runbook } from '../path/home.ts'
import { EDITOR, type HubHome, hubHome, NEO } from './hub-home.ts'

const member = (role: string) =>
  `---\nname: Member\nrole: ${role}\npermissions: { rooms: [shop, yard] }\n---\n`
const KIM = { kind: 'member', id: 'kim' } as const
const ANNA = { kind: 'member', id: 'anna' } as const
const SCRIPT = runbook(['true'], ['status: draft', 'worker: agent'])
const every = (more: string) => `---\nevery: 1h\n${more}---\n${runbook(['true'])}`

function home(): Promise<HubHome> {
  return hubHome({
    'workspace/members/kim.md': member('child'),
    'workspace/members/anna.md': member('guest'),
    'workspace/members/pat.md': member('parent'),
    'rooms/yard/ROOM.md': '---\nworker: agent\n---\n',
    'rooms/yard/tasks/a.md': SCRIPT,
    'rooms/yard/schedules/run.md': every('worker: shell\n'),
    'rooms/yard/schedules/filled.md': '---\nevery: 1h\ntemplate: script\n---\n',
    'rooms/yard/schedules/calm.md': every('worker: agent\n'),
    'templates/tasks/script.md': '---\nworker: shell\n---\n# Run\n\n```sh\ntrue\n```\n',
  })
}

const hourly = (roomId: string, kind: 'task' | 'message' = 'task') => ({
  roomId,
  name: 'hourly',
  every: '1h',
  content: 'Look.',
  kind,
})

test.each<readonly [string, string, unknown]>([
  [
    'a task of its own in a room of commands',
    'task.create',
    { roomId: 'shop', title: 'A', description: 'b' },
  ],
  ['a change to a program', 'task.update', { taskId: 'yard/a', updates: { worker: 'exec:mark' } }],
  ['a change to commands', 'task.update', { taskId: 'yard/a', updates: { worker: 'shell' } }],
  ['a change to a peer', 'task.update', { taskId: 'yard/a', updates: { worker: 'peer:x' } }],
  ['a schedule in a room of commands', 'schedule.create', hourly('shop')],
  ['a run of a schedule of commands', 'schedule.run', { roomId: 'yard', name: 'run' }],
  ['a run of a schedule whose template has commands', 'schedule.run', { roomId: 'yard', name: 'filled' }],
  ['a template of commands', 'template.run', { roomId: 'yard', name: 'script' }],
])('members who run no commands have no way to them by %s', async (_, method, params) => {
  const { refusal } = await home()
  for (const who of [KIM, ANNA])
    expect(await refusal(method, params, who)).toMatchObject({ code: -32001, rule: 'member-shell' })
})

test.each<readonly [string, Principal]>([
  ['child', KIM],
  ['member', ANNA],
])('a task in a session that waits for commands is nothing that a %s starts', async (_, who) => {
  const { call, refusal } = await home()
  const { sessionId } = await call('session.create', { roomId: 'yard', worker: 'shell' })
  expect(await refusal('task.start', { taskId: 'yard/a', sessionId }, who)).toMatchObject({
    rule: 'member-shell',
  })
})

test('a model that gives the task of a person to a session of commands asks first', async () => {
  const { call, refusal } = await home()
  const { sessionId } = await call('session.create', { roomId: 'yard', worker: 'shell' }, EDITOR)
  const params = { taskId: 'yard/a', sessionId }
  for (const who of [EDITOR, { kind: 'neo', room: 'yard' } as const])
    expect(await refusal('task.start', params, who)).toMatchObject({ rule: 'runbook-of-a-person' })
  const { status, worker } = await call('task.get', { taskId: 'yard/a' })
  expect([status, worker]).toEqual(['draft', 'agent'])
})

test('a message that Neo plans for a member, who has less rights than he, is asked about first', async () => {
  const { refusal, call } = await home()
  const within = (speaker: 'human' | 'member:kim' | 'member:pat') =>
    ({ kind: 'neo', room: 'yard', onBehalfOf: { scope: null, speaker, keeps: 'shared' } }) as const
  const planned = hourly('yard', 'message')
  expect(await refusal('schedule.create', planned, within('member:kim'))).toMatchObject({ rule: 'child' })
  const asked = await refusal('schedule.create', planned, within('member:pat'))
  expect([asked.rule, typeof asked.ask]).toEqual(['guarded-keys', 'string'])
  // What recurs is asked about whoever he plans it for; what is due once is his to plan for the owner.
  const recurring = await refusal('schedule.create', planned, within('human'))
  expect([recurring.rule, typeof recurring.ask]).toEqual(['guarded-keys', 'string'])
  const { every: _, ...once } = planned
  await call('schedule.create', { ...once, name: 'once', at: '2030-01-01 09:00' }, within('human'))
  await call('schedule.create', planned)
  const [{ name = '' } = {}] = (await call('schedule.list', { roomId: 'yard' })).filter(
    ({ kind }) => kind === 'message',
  )
  const update = { roomId: 'yard', name, updates: { content: 'Tell all.' } }
  expect(await refusal('schedule.update', update, within('member:pat'))).toMatchObject({
    rule: 'guarded-keys',
  })
})

test('what a schedule of a member makes is from that member, whoever runs it', async () => {
  const { home: files, call } = await home()
  await call('schedule.create', hourly('yard', 'message'), KIM)
  await call('schedule.create', { ...hourly('yard'), name: 'work' }, ANNA)
  const [message, work] = (await call('schedule.list', { roomId: 'yard' })).filter(
    ({ createdBy }) => createdBy !== null,
  )
  const said = await call('schedule.run', {
    roomId: 'yard',
    name: message?.kind === 'message' ? message.name : '',
  })
  expect(files.read(said.path)).toContain('from: member:kim\n')
  const { taskId } = await call('schedule.run', { roomId: 'yard', name: work?.name ?? '' }, ANNA)
  expect((await call('task.get', { taskId: taskId ?? '' })).createdBy).toBe('member:anna')
})

test('an ask about a task is about that task, not about another that has its name by then', async () => {
  const one = await home()
  one.home.task('plan', runbook(['true'], ['status: draft', 'neo: { id: t-aaaaaa, created_by: human }']))
  const { ask = '' } = await one.refusal('task.delete', { taskId: 'plan' }, NEO)
  expect((await one.call('ask.list', {})).find(({ id }) => id === ask)).toMatchObject({
    action: { arguments: { taskId: 't-aaaaaa' }, files: ['rooms/shop/tasks/plan.md'] },
  })
  rmSync(join(one.home.dir, 'rooms/shop/tasks/plan.md'))
  one.home.write('rooms/yard/tasks/plan.md', SCRIPT)
  await one.refusal('ask.decide', { askId: ask, decision: 'approved' })
  expect(one.home.has('rooms/yard/tasks/plan.md')).toBe(true)
})

test('what people of one room approved is not done in another', async () => {
  const one = await home()
  const task = runbook(['true'], ['status: draft', 'neo: { id: t-aaaaaa, created_by: human }'])
  one.home.task('plan', task)
  const { ask = '' } = await one.refusal('task.delete', { taskId: 'plan' }, NEO)
  rmSync(join(one.home.dir, 'rooms/shop/tasks/plan.md'))
  one.home.write('rooms/yard/tasks/plan.md', task)
  expect(await one.refusal('ask.decide', { askId: ask, decision: 'approved' })).toMatchObject({
    message: expect.stringContaining('it was moved to the room yard'),
  })
  expect(one.home.has('rooms/yard/tasks/plan.md')).toBe(true)
})
