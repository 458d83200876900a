/** How schedules look to clients: next runs, what the last ones made, and who sees them. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome } from './hub-home.ts'

const AT = '2026-03-01T09:00:00Z'
const KIM: Principal = { kind: 'member', id: 'kim' }
const neo = (id: string, at = AT) => `neo: { id: ${id}, created_at: ${at}, created_by: human }`
const task = (id: string, at: string, more: string) =>
  `---\ntitle: Look (${at})\nlabels: ["schedule:daily"]\n${more}\n${neo(id, at)}\n---\nLook.\n`
const FILES = {
  'rooms/shop/schedules/daily.md': `---\ncron: "0 9 * * *"\ntimezone: Asia/Tokyo\n${neo('c-aaaaaa')}\n---\nLook.\n`,
  'rooms/shop/tasks/one.md': task('t-aaaaaa', '2026-03-01T00:00:00Z', 'status: completed'),
  'rooms/shop/tasks/two.md': task('t-bbbbbb', '2026-03-02T00:00:00Z', 'status: failed'),
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/schedules/ask.md': `---\nevery: 1d\nkind: message\n${neo('c-bbbbbb')}\n---\nHow is it?\n`,
  'rooms/desk/inbox/ask--20260303T090000Z.md': '---\nfrom: schedule:ask\n---\nHow is it?\n',
  'rooms/desk/inbox/archive/ask--20260302T090000Z.md':
    '---\nfrom: schedule:ask\n---\nHow is it?\n\n## Reply\n\nAll is well.\nReally.\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

test('schedule.list gives all rooms, with the next runs in their zone', async () => {
  const { call } = await hubHome(FILES)
  const [ask, daily] = (await call('schedule.list', { nextRuns: 2 })).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  expect([ask?.roomId, daily?.roomId]).toEqual(['desk', 'shop'])
  expect(daily).toMatchObject({ timezone: 'Asia/Tokyo', zone: 'Asia/Tokyo', queued: 0, skipped: null })
  expect(daily?.nextRuns.map((at) => at.slice(11))).toEqual(['00:00:00Z', '00:00:00Z'])
  expect(daily?.nextAt).toBe(daily?.nextRuns[0])
})

test('a schedule tells what its last runs made, newest first', async () => {
  const { call } = await hubHome(FILES)
  const [shop] = await call('schedule.list', { roomId: 'shop' })
  expect(shop?.last.map(({ taskId, status }) => [taskId, status])).toEqual([
    ['t-bbbbbb', 'failed'],
    ['t-aaaaaa', 'completed'],
  ])
  const [desk] = await call('schedule.list', { roomId: 'desk' })
  expect(desk?.last.map(({ at, status, note }) => [at, status, note])).toEqual([
    ['2026-03-03T09:00:00Z', 'waiting', null],
    ['2026-03-02T09:00:00Z', 'answered', 'All is well.'],
  ])
})

test('a schedule of a paused room has no next run', async () => {
  const { call } = await hubHome(FILES)
  await call('room.pause', { roomId: 'shop' })
  expect((await call('schedule.list', { roomId: 'shop' }))[0]).toMatchObject({ nextAt: null, nextRuns: [] })
})

test('a schedule tells how many runs wait, and how many were skipped', async () => {
  const { call, context } = await hubHome(FILES)
  const skipped = { count: 2, at: Date.parse('2026-03-05T09:00:00Z') }
  context.schedules.put('c-aaaaaa', { rule: '', upTo: 0, fired: [], floor: 0, queue: [1], skipped })
  expect((await call('schedule.list', { roomId: 'shop' }))[0]).toMatchObject({
    queued: 1,
    skipped: { count: 2, at: '2026-03-05T09:00:00Z' },
  })
})

test('a member gets schedules of their rooms only, and not in another room', async () => {
  const { call, refusal } = await hubHome(FILES)
  const seen = await call('schedule.list', {}, KIM)
  expect(seen.map(({ name, acts }) => [name, acts])).toEqual([['daily', []]])
  expect((await call('schedule.list', { roomId: 'shop' }))[0]?.acts).toEqual(['run', 'change', 'delete'])
  expect(await refusal('schedule.list', { roomId: 'desk' }, KIM)).toMatchObject({ code: -32001 })
  expect(await refusal('schedule.check', { roomId: 'desk', every: '1d' }, KIM)).toMatchObject({
    code: -32001,
  })
})

interface Shown {
  readonly schedules: Readonly<Record<string, { readonly status: string }>>
  readonly broken: Readonly<Record<string, { readonly problems: readonly object[] }>>
}

test('the channel has the schedules that its reader sees, and says what changes', async () => {
  const { hub, call, home, context } = await hubHome({
    ...FILES,
    'rooms/shop/schedules/wrong.md': '---\ncron: often\n---\nLook.\n',
  })
  const [own, theirs]: [HubEvent[], HubEvent[]] = [[], []]
  await hub.subscribe(HUMAN, { channel: 'schedules' }, (event) => void own.push(event))
  await hub.subscribe(KIM, { channel: 'schedules' }, (event) => void theirs.push(event))
  await until(() => own.length > 0 && theirs.length > 0)
  const shown = ([event]: readonly HubEvent[]) => (event?.data ?? {}) as { readonly snapshot?: Shown }
  const [all, seen] = [shown(own).snapshot, shown(theirs).snapshot]
  expect(Object.keys(all?.schedules ?? {})).toHaveLength(2)
  expect(Object.keys(seen?.schedules ?? {})).toEqual(['rooms/shop/schedules/daily.md'])
  expect(all?.broken['rooms/shop/schedules/wrong.md']?.problems).toHaveLength(1)
  await call('schedule.update', { roomId: 'desk', name: 'ask', updates: { status: 'paused' } })
  home.write('rooms/shop/schedules/wrong.md', '---\nevery: 1d\n---\nLook.\n')
  hub.changed((await context.look.look('all')).snapshot)
  await until(() => own.length > 1)
  expect(own[1]?.data).toMatchObject({
    change: {
      set: { schedules: { 'rooms/desk/schedules/ask.md': { status: 'paused' } } },
      gone: { broken: ['rooms/shop/schedules/wrong.md'] },
    },
  })
})

test('the channel activity tells the owner of each commit, and a member of their rooms only', async () => {
  const { hub, call, context } = await hubHome(FILES)
  const [own, theirs]: [HubEvent[], HubEvent[]] = [[], []]
  await hub.subscribe(HUMAN, { channel: 'activity' }, (event) => void own.push(event))
  await hub.subscribe(KIM, { channel: 'activity' }, (event) => void theirs.push(event))
  const change = async (roomId: string) => {
    await call('task.create', { roomId, title: 'New', description: '' })
    hub.changed((await context.look.look('all')).snapshot)
  }
  await change('desk')
  await until(() => own.length === 2)
  expect(theirs).toHaveLength(1)
  await change('shop')
  await until(() => own.length === 3 && theirs.length === 2)
})
