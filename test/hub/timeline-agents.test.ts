/** audit.timeline: what agents of other homes did here, and what was done about them. */
import { expect, test } from 'vitest'
import type { ParamsOf } from '../../src/hub/method-table.ts'
import { HOME, PEER, scope } from './effects/agents.ts'
import { hubHome, type HubHome } from './hub-home.ts'

const DAN = { kind: 'peer', id: 'dan' } as const

async function busyHome(): Promise<HubHome> {
  const home = await hubHome(HOME)
  await home.call('aoi.discover', {}, PEER)
  await home.call('aoi.query', { query: 'how far?', contextScope: scope }, PEER)
  await home.refusal('aoi.query', { query: 'how far?', contextScope: scope }, DAN)
  await home.call('aoi.task.execute', { taskType: 'greet', contextScope: scope }, PEER)
  await home.call('task.create', { roomId: 'shop', title: 'Other', description: '' })
  await home.call('agent.token', { agentId: 'cat' })
  await home.call('agent.revoke', { agentId: 'cat' })
  return home
}

const told = async ({ call }: HubHome, asked: ParamsOf<'audit.timeline'>) =>
  (await call('audit.timeline', asked)).events.map(({ actor, agentId, decision }) =>
    [actor, agentId, decision?.method, decision?.effect].join(' '),
  )

test('the kind peer gives questions, tasks, refusals and revocations, and no hello', async () => {
  expect(await told(await busyHome(), { kinds: ['peer'] })).toEqual([
    'peer:cat cat aoi.query allow',
    'peer:dan dan aoi.query deny',
    'peer:cat cat aoi.task.execute allow',
    'human cat agent.token allow',
    'human cat agent.revoke allow',
  ])
})

test('agentId gives what one agent did, and what was done about it', async () => {
  const home = await busyHome()
  expect(await told(home, { agentId: 'dan' })).toEqual(['peer:dan dan aoi.query deny'])
  expect(await told(home, { agentId: 'cat', kinds: ['refusal'] })).toEqual([])
  const { events } = await home.call('audit.timeline', { agentId: 'cat' })
  expect(events.map(({ source }) => source)).toEqual(Array(4).fill('audit'))
})

test('tasks that an agent of another home does are its events too', async () => {
  const home = await hubHome({
    ...HOME,
    'rooms/shop/tasks/mine.md': '---\nstatus: draft\nneo: { id: t-mine }\n---\n# Mine\n',
    'rooms/shop/tasks/theirs.md':
      '---\nstatus: draft\nworker: peer:dan\nneo: { id: t-theirs }\n---\n# Theirs\n',
  })
  for (const taskId of ['t-mine', 't-theirs'])
    await home.call('task.update', { taskId, updates: { description: 'Changed.' } })
  for (const asked of [{ kinds: ['peer'] }, { agentId: 'dan' }, { agentId: 'dan', kinds: ['peer'] }]) {
    const { events } = await home.call('audit.timeline', asked)
    expect(events.map(({ source, taskId, agentId }) => [source, taskId, agentId])).toEqual([
      ['git', 't-theirs', 'dan'],
    ])
  }
  expect((await home.call('audit.timeline', { agentId: 'cat' })).events).toEqual([])
})

test('a member sees what agents did in their rooms, and nothing else of them', async () => {
  const home = await busyHome()
  home.home.write(
    'workspace/members/kim.md',
    '---\nname: Kim\nrole: member\npermissions: { rooms: [lobby] }\n---\n',
  )
  const { events } = await home.call('audit.timeline', { kinds: ['peer'] }, { kind: 'member', id: 'kim' })
  expect(events).toEqual([])
})
