/** State channels over a home: the present first, then what changes, to those who may see it. */
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import { SILENT } from '../../src/hub/neo-control.ts'
import { until } from '../path/home.ts'
import { hubHome, HUMAN, NEO, PEER, SESSION, turning } from './hub-home.ts'

test('a subscriber gets the room, then each change of it', async () => {
  const home = await turning(await hubHome())
  const events: HubEvent[] = []
  await home.hub.subscribe(NEO, { channel: 'room:shop:state' }, (event) => void events.push(event))
  const { id } = await home.call('task.create', {
    roomId: 'shop',
    title: 'New',
    description: '',
    status: 'draft',
  })
  await until(() => JSON.stringify(events.at(-1)?.data).includes(`"${id}"`))
  expect(events[0]?.data).toMatchObject({
    snapshot: { tasks: {}, asks: {}, room: { shop: { status: 'active' } } },
  })
  expect(events.map(({ seq }) => seq - (events[0]?.seq ?? 0))).toEqual(events.map((_, at) => at))
})

test.each(['lobby:rooms', 'room:shop:state', 'room:shop:neo', 'asks', 'audit'])(
  '%s gives a snapshot to a person, and nothing to a peer',
  async (channel) => {
    const { hub, audit } = await hubHome({ 'rooms/shop/tasks/a.md': '# A\n' })
    const events: HubEvent[] = []
    await hub.subscribe(HUMAN, { channel }, (event) => void events.push(event))
    await until(() => events.length === 1)
    expect(events[0]?.data).toHaveProperty('snapshot')
    await expect(hub.subscribe(PEER, { channel }, () => {})).rejects.toMatchObject({ code: -32001 })
    expect(audit().map(({ method, effect }) => `${method} ${effect}`)).toEqual([
      'subscribe allow',
      'subscribe deny',
    ])
  },
)

test('a channel that there is not is missing, and of another room denied', async () => {
  const { hub } = await hubHome({ 'rooms/other/ROOM.md': '---\nname: x\n---\n' })
  for (const channel of ['room:nowhere:state', 'session:s-zzzzzz:state', 'paint'])
    await expect(hub.subscribe(HUMAN, { channel }, () => {})).rejects.toMatchObject({ code: -32002 })
  await expect(hub.subscribe(SESSION, { channel: 'room:other:state' }, () => {})).rejects.toMatchObject({
    code: -32001,
  })
})

test('emit() reaches who listens to Neo, and a session that is told of later keeps its last word', async () => {
  const { hub } = await hubHome({
    'rooms/shop/sessions/s-aaaaaa.md': '---\nid: s-aaaaaa\ntask: t-aaaaaa\nstatus: running\n---\n',
  })
  const [neo, session]: HubEvent[][] = [[], []]
  await hub.subscribe(HUMAN, { channel: 'room:shop:neo' }, (event) => void neo?.push(event))
  hub.emit('room:shop:neo', { status: 'thinking' })
  hub.emit('session:s-aaaaaa:state', { event: 'waiting_for_input', question: 'Which?' })
  await hub.subscribe(HUMAN, { channel: 'session:s-aaaaaa:state' }, (event) => void session?.push(event))
  await until(() => neo?.length === 2 && session?.length === 1)
  expect(neo?.map(({ data }) => data)).toEqual([{ snapshot: SILENT }, { change: { status: 'thinking' } }])
  expect(session?.[0]?.data).toEqual({
    snapshot: { status: 'running', event: 'waiting_for_input', question: 'Which?' },
  })
})
