/** A subscription of a member lasts as long as the right to it: whoever takes the room away, and however. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { type HubHome, hubHome, turning } from './hub-home.ts'

const KIM: Principal = { kind: 'member', id: 'kim' }
const FILE = 'workspace/members/kim.md'
const member = (rooms: string, role = 'member') =>
  `---\nname: Kim\nrole: ${role}\npermissions: { rooms: [${rooms}] }\n---\n`
const FILES = {
  [FILE]: member('shop'),
  'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n',
  'rooms/shop/sessions/s-aaaaaa.md': '---\nid: s-aaaaaa\ntask: t-aaaaaa\nstatus: running\n---\n',
  'rooms/garden/ROOM.md': '---\nname: Garden\n---\n',
}
const OF_ROOM = ['room:shop:state', 'room:shop:neo', 'session:s-aaaaaa:state', 'session:s-aaaaaa:transcript']

async function listen({ hub }: HubHome, channel: string, as: Principal = KIM): Promise<HubEvent[]> {
  const events: HubEvent[] = []
  await hub.subscribe(as, { channel }, (event) => void events.push(event))
  await until(() => events.length === 1)
  return events
}

test.each(OF_ROOM)('of %s a member who loses the room is told the end and nothing more', async (channel) => {
  const home = await hubHome(FILES)
  const events = await listen(home, channel)
  home.hub.emit(channel, { text: 'before' })
  await until(() => events.length === 2)
  home.home.write(FILE, member('garden'))
  await new Promise((resolve) => setImmediate(resolve))
  home.hub.emit(channel, { text: 'after' })
  await until(() => events.length === 3)
  home.hub.emit(channel, { text: 'later' })
  home.hub.changed((await home.context.look.look('all')).snapshot)
  await new Promise((resolve) => setImmediate(resolve))
  expect(events.map(({ data }) => Object.keys(data as object)[0])).toEqual(['snapshot', 'change', 'ended'])
  expect(JSON.stringify(events)).not.toContain('after')
  expect(home.audit().map(({ method, effect }) => `${method} ${effect}`)).toEqual([
    'subscribe allow',
    'subscribe deny',
  ])
  await expect(home.hub.subscribe(KIM, { channel }, () => {})).rejects.toMatchObject({ code: -32001 })
})

test('a member who is taken out, or is a parent no more, is told so in the next round, also where nothing happens', async () => {
  const home = await turning(await hubHome({ ...FILES, 'workspace/members/ana.md': member('', 'parent') }))
  const ana: Principal = { kind: 'member', id: 'ana' }
  const [lobby, asks, all] = [
    await listen(home, 'lobby:rooms'),
    await listen(home, 'asks'),
    await listen(home, 'room:garden:state', ana),
  ]
  rmSync(join(home.home.dir, FILE))
  home.home.write('workspace/members/ana.md', member('shop'))
  const isEnded = (events: HubEvent[]) => JSON.stringify(events.at(-1)?.data).startsWith('{"ended":"Denied: ')
  await until(() => [lobby, asks, all].every(isEnded))
})

test('who may still is told on, and hears nothing of a change of members', async () => {
  const home = await hubHome(FILES)
  const events = await listen(home, 'room:shop:neo')
  home.home.write(FILE, member('garden, shop'))
  await new Promise((resolve) => setImmediate(resolve))
  home.hub.changed((await home.context.look.look('all')).snapshot)
  home.hub.emit('room:shop:neo', { text: 'on' })
  await until(() => events.length === 2)
  expect(events[1]?.data).toEqual({ change: { text: 'on' } })
})
