/** Memories through the hub: kept as files, found by words, seen by those who see the room. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { hubHome, LOBBY_NEO, last, NEO, SESSION } from './hub-home.ts'

const memory = (id: string, by: string, text: string, more = '') =>
  `---\ntype: note\n${more}neo:\n  id: ${id}\n  created_at: 2026-03-01T09:00:00Z\n  created_by: ${by}\n---\n${text}\n`
const FILES = {
  'rooms/shop/memories/a.md': memory(
    'm-aaaaaa',
    'human',
    'First line\nThe login page loops on Safari',
    'tags: [auth]\n',
  ),
  'rooms/shop/memories/b.md': memory('m-bbbbbb', 'neo', '日本語のメモ 🎉 login'),
  'rooms/other/memories/c.md': memory('m-cccccc', 'human', 'login elsewhere'),
  'rooms/other/ROOM.md': '---\nname: Other\n---\n',
}

test('memory.add keeps a committed file that names its author, its secrets masked', async () => {
  const { home, call } = await hubHome()
  const content = `Deploys need a token: ghp_${'a1'.repeat(18)}`
  const made = await call(
    'memory.add',
    { roomId: 'shop', type: 'preference', content, tags: ['ci'] },
    SESSION,
  )
  expect(made).toMatchObject({
    type: 'preference',
    tags: ['ci'],
    createdBy: 'session:s-aaaaaa',
    sessionId: 's-aaaaaa',
  })
  expect(made.path).toMatch(/^rooms\/shop\/memories\/deploys-need-a-token--m-\w{6}\.md$/)
  expect(home.read(made.path)).not.toContain('ghp_')
  expect(last(home)).toMatch(/^Neo: neo\(shop\): remember \(Deploys need a token/)
})

test('memory.list gives a room its own, by type', async () => {
  const { call } = await hubHome(FILES)
  expect((await call('memory.list', { roomId: 'shop' }, NEO)).map(({ id }) => id)).toEqual([
    'm-bbbbbb',
    'm-aaaaaa',
  ])
  expect(await call('memory.list', { roomId: 'shop', type: 'pattern' })).toEqual([])
})

test('memory.search finds by words, best first, with the line', async () => {
  const { call } = await hubHome(FILES)
  const { results, total } = await call('memory.search', { roomId: 'shop', query: '"login" AND (loops' })
  expect(results[0]).toMatchObject({
    source: 'rooms/shop/memories/a.md:10',
    snippet: 'The login page loops on Safari',
    memoryId: 'm-aaaaaa',
    words: ['login', 'loops'],
  })
  expect(total).toBe(2)
})

test.each([['日本語'], ['🎉'], ['メモ']])('memory.search finds %s', async (query) => {
  const { call } = await hubHome(FILES)
  expect((await call('memory.search', { query })).results.map(({ memoryId }) => memoryId)).toEqual([
    'm-bbbbbb',
  ])
})

test.each(['', '   ', '"*()', '\\'])('memory.search of %j finds nothing and fails not', async (query) => {
  const { call } = await hubHome(FILES)
  expect((await call('memory.search', { query })).results).toEqual([])
})

test('memory.search looks only where the caller sees', async () => {
  const { call, refusal } = await hubHome(FILES)
  const rooms = async (as: typeof NEO) =>
    [
      ...new Set((await call('memory.search', { query: 'login' }, as)).results.map(({ room }) => room)),
    ].toSorted()
  expect([await rooms(NEO), await rooms(LOBBY_NEO)]).toEqual([['shop'], ['other', 'shop']])
  expect(await refusal('memory.search', { roomId: 'other', query: 'x' }, NEO)).toMatchObject({
    rule: 'own-room',
  })
})

test('memory.search filters by tag, type and day', async () => {
  const { call } = await hubHome(FILES)
  const total = async (more: object) =>
    (await call('memory.search', { query: 'login', roomId: 'shop', ...more })).total
  expect([await total({ tags: ['auth'] }), await total({ types: ['pattern'] })]).toEqual([1, 0])
  expect([await total({ to: '2026-03-01' }), await total({ from: '2026-03-02' })]).toEqual([2, 0])
})

test('memory.delete removes the file; of what a person wrote Neo has to ask', async () => {
  const { home, call, refusal } = await hubHome(FILES)
  await call('memory.delete', { memoryId: 'm-bbbbbb' }, NEO)
  expect([home.has('rooms/shop/memories/b.md'), last(home)]).toEqual([
    false,
    'Neo: neo(shop): forget m-bbbbbb',
  ])
  expect(await refusal('memory.delete', { memoryId: 'm-aaaaaa' }, NEO)).toMatchObject({
    rule: 'work-of-a-person',
  })
  expect(await refusal('memory.delete', { memoryId: 'm-aaaaaa' }, SESSION)).toMatchObject({
    rule: 'own-work',
  })
  expect(await refusal('memory.delete', { memoryId: 'm-zzzzzz' })).toMatchObject({ code: -32002 })
})

test('for whoever is let into rooms only Neo finds nothing of the whole home, and sums up no usage of it', async () => {
  const at = await hubHome({
    'rooms/shop/tasks/a.md': '# A\n',
    'workspace/memory/MEMORY.md': '- The safe is behind the clock\n',
    'workspace/members/anna.md': '---\nrole: guest\npermissions: { rooms: [shop] }\n---\n',
    'workspace/members/ana.md': '---\nrole: parent\n---\n',
  })
  const neoFor = (id: string, room: string): Principal => ({
    kind: 'neo',
    room,
    onBehalfOf: { scope: 'x', speaker: `member:${id}`, keeps: 'private' },
  })
  const found = async (as: Principal) => (await at.call('memory.search', { query: 'safe clock' }, as)).total
  const all: readonly Principal[] = [
    { kind: 'member', id: 'anna' },
    neoFor('anna', 'shop'),
    neoFor('anna', 'lobby'),
    { kind: 'member', id: 'ana' },
    neoFor('ana', 'shop'),
    neoFor('ana', 'lobby'),
    { kind: 'neo', room: 'shop' },
  ]
  const totals: number[] = []
  for (const as of all) totals.push(await found(as))
  expect(totals).toEqual([0, 0, 0, 1, 1, 1, 1])
  for (const as of [neoFor('anna', 'shop'), neoFor('anna', 'lobby')])
    expect((await at.call('usage.summary', {}, as)).rows).toEqual([])
  expect((await at.call('usage.summary', { roomId: 'shop' }, neoFor('anna', 'shop'))).rows).toEqual([])
})
