/** State channels over a home: the present first, then what changes, to those who may see it. */
import { appendFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type HubEvent, SILENT } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome, NEO, PEER, SESSION, turning } from './hub-home.ts'

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

test.each([
  'constructor',
  'toString',
  '__proto__',
  'hasOwnProperty',
  'room:constructor:state',
  'session:toString:state',
])('a channel named %s is missing like any other that there is not', async (channel) => {
  const { hub } = await hubHome()
  await expect(hub.subscribe(HUMAN, { channel }, () => {})).rejects.toMatchObject({ code: -32002 })
})

test('a room is followed by its own id as by its folder', async () => {
  const { hub, call, context } = await hubHome({
    'rooms/shop/ROOM.md': '---\nname: Shop\nneo: { id: r-shop11 }\n---\n',
    'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n',
  })
  const state: HubEvent[] = []
  const neo: HubEvent[] = []
  await hub.subscribe(HUMAN, { channel: 'room:r-shop11:state' }, (event) => void state.push(event))
  await hub.subscribe(HUMAN, { channel: 'room:r-shop11:neo' }, (event) => void neo.push(event))
  expect(state[0]?.data).toMatchObject({ snapshot: { room: { shop: { name: 'Shop' } } } })
  await call('task.create', { roomId: 'shop', title: 'New', description: '', status: 'draft' })
  hub.changed((await context.look.look('all')).snapshot)
  hub.emit('room:shop:neo', { status: 'thinking' })
  await until(() => neo.length === 2 && JSON.stringify(state[1]?.data).includes('"New"'))
  expect([...state, ...neo].map(({ channel }) => channel).toSorted()).toEqual([
    'room:r-shop11:neo',
    'room:r-shop11:neo',
    'room:r-shop11:state',
    'room:r-shop11:state',
  ])
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

const SESSION_FILE = {
  'rooms/shop/sessions/s-aaaaaa.md': '---\nid: s-aaaaaa\ntask: t-aaaaaa\nstatus: running\n---\n',
}
const LIVE = '.git/neo/transcripts/s-aaaaaa.jsonl'
const MOVED = 'rooms/shop/transcripts/s-aaaaaa.jsonl'
const entry = (id: number, more: object = {}) =>
  `${JSON.stringify({ v: 1, id: `e${id}`, ts: '2026-03-01T09:00:00Z', type: 'tool_call', ...more })}\n`
const ids = (data: unknown): unknown =>
  Array.isArray(data) ? data.map(({ id }) => id) : (data as { id: string }).id

async function listening(channel: string, since?: number) {
  const home = await hubHome(SESSION_FILE)
  const append = (text: string) => {
    mkdirSync(dirname(join(home.home.dir, LIVE)), { recursive: true })
    appendFileSync(join(home.home.dir, LIVE), text)
  }
  append(entry(1) + entry(2))
  const events: HubEvent[] = []
  const of = { channel, ...(since === undefined ? {} : { since }) }
  const end = await home.hub.subscribe(HUMAN, of, (event) => void events.push(event))
  return { ...home, append, events, end }
}

test('lines of a transcript are told one by one, in order, whole, with growing numbers, and through the move into the room', async () => {
  const { home, append, events, hub } = await listening('session:s-aaaaaa:transcript')
  const third = entry(3)
  append(third.slice(0, 20))
  append(third.slice(20) + entry(4))
  await until(() => events.length === 3)
  append(entry(5))
  mkdirSync(dirname(join(home.dir, MOVED)), { recursive: true })
  renameSync(join(home.dir, LIVE), join(home.dir, MOVED))
  await until(() => events.length === 4)
  hub.close()
  const [first, ...later] = events.map(({ data }) => data as { snapshot: unknown; change: unknown })
  expect([ids(first?.snapshot), later.map(({ change }) => ids(change))]).toEqual([
    ['e1', 'e2'],
    ['e3', 'e4', 'e5'],
  ])
  expect(events.map(({ seq }) => seq - (events[0]?.seq ?? 0))).toEqual([0, 1, 2, 3])
  expect(readFileSync(join(home.dir, MOVED), 'utf8').split('\n')).toHaveLength(6)
})

test('who comes back to a transcript misses no line, and a second listener gets none twice', async () => {
  const { append, events, end, hub } = await listening('session:s-aaaaaa:transcript')
  await until(() => events.length === 1)
  end()
  append(entry(3) + entry(4))
  const [back, fresh]: [HubEvent[], HubEvent[]] = [[], []]
  const channel = 'session:s-aaaaaa:transcript'
  await hub.subscribe(HUMAN, { channel, since: events[0]?.seq ?? 0 }, (event) => void back.push(event))
  await hub.subscribe(HUMAN, { channel }, (event) => void fresh.push(event))
  append(entry(5))
  await until(() => back.length === 3 && fresh.length === 2)
  hub.close()
  expect(back.map(({ data }) => ids((data as { change: unknown }).change))).toEqual(['e3', 'e4', 'e5'])
  expect(ids(((fresh[0]?.data ?? {}) as { snapshot?: unknown }).snapshot)).toEqual(['e1', 'e2', 'e3', 'e4'])
})

test('the state of a session says each turn that is over, errors and the end', async () => {
  const { append, events, hub } = await listening('session:s-aaaaaa:state')
  append(entry(3, { type: 'assistant', text: 'Done so far', ts: '2026-03-01T09:00:01Z' }))
  append(entry(4, { type: 'assistant', text: 'Done so far', ts: '2026-03-01T09:00:02Z' }))
  append(entry(5, { type: 'error', message: 'red' }))
  append(entry(6, { type: 'end', message: 'over' }))
  await until(() => events.length === 5)
  hub.close()
  const said = events
    .slice(1)
    .map(({ data }) => (data as { change: { event: string; summary: string } }).change)
  expect(said.map(({ event, summary }) => `${event}: ${summary}`)).toEqual([
    'turn_completed: Done so far',
    'turn_completed: Done so far',
    'error: red',
    'ended: over',
  ])
})
