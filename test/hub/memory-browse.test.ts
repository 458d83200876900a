/** Who sees and changes what is remembered, entry by entry; and that the channel `memory` tells of changes. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { entry } from './effects/memory.ts'
import { HUMAN, hubHome, NEO } from './hub-home.ts'

const KIM: Principal = { kind: 'member', id: 'kim' }
const memory = (id: string, by: string) =>
  `---\ntype: note\nneo: { id: m-${id}, created_at: 2026-03-01T09:00:00Z, created_by: "${by}" }\n---\nThe pump is ${id}.\n`
const FILES = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/memories/secret.md': memory('secret', 'human'),
  'rooms/shop/memories/blue.md': memory('blue', 'human'),
  'rooms/shop/memories/kims.md': memory('kims', 'member:kim'),
  'workspace/memory/MEMORY.md': '- The safe is behind the clock\n',
  'workspace/members/kim.md':
    '---\nrole: member\npermissions: { rooms: [shop] }\nchannels: { test: "42" }\n---\n',
  '.git/neo/scopes/test-42/scope.json': '{"key":"test:42"}',
  '.git/neo/scopes/test-42/MEMORY.md': '- (member:kim): plays chess — 2026-03-02 (said-abc:1)\n',
}

test('memory.browse gives a member their rooms and conversations, and the owner no private chat of theirs', async () => {
  const home = await hubHome(FILES)
  const texts = async (as: Principal) =>
    (await home.call('memory.browse', {}, as)).entries.map(({ text }) => text).toSorted()
  expect(await texts(KIM)).toEqual(['The pump is blue.', 'The pump is kims.', 'plays chess'])
  expect(await texts(HUMAN)).toEqual([
    'The pump is blue.',
    'The pump is kims.',
    'The pump is secret.',
    'The safe is behind the clock',
  ])
  expect((await home.call('memory.browse', {}, KIM)).places.map(({ name }) => name)).toEqual([
    'Shop',
    'test-42',
  ])
  expect(await texts(NEO)).not.toContain('plays chess')
  expect(await home.refusal('memory.browse', { scopeId: 'test-42' })).toMatchObject({ rule: 'other-scope' })
})

test('a member edits and forgets what they wrote, and nothing else', async () => {
  const home = await hubHome(FILES)
  const { id, version, mayEdit } = await entry(home, 'kims')
  expect(mayEdit).toBe(true)
  await home.call('memory.update', { memoryId: id ?? '', version, updates: { content: 'Mine' } }, KIM)
  expect(home.home.git('log', '-1', '--format=%an %s').trim()).toBe('kim neo(shop): edit m-kims')
  const theirs = await entry(home, 'blue')
  const refused = await home.refusal('memory.delete', { memoryId: theirs.id }, KIM)
  expect(refused).toMatchObject({ rule: 'member-acts' })
  const { entries } = await home.call('memory.browse', { roomId: 'shop' }, KIM)
  expect(entries.map(({ mayForget }) => mayForget)).toEqual([false, true])
  const { source, version: said } = entries[1] === undefined ? theirs : entries[1]
  await home.call('memory.delete', { memoryId: source, version: said }, KIM)
  expect(home.home.has('rooms/shop/memories/kims.md')).toBe(false)
})

test('memory.delete of a fact takes its older values and notes along, and names who did it', async () => {
  const said = 'neo-2026-03-02-1:12'
  const home = await hubHome({
    'rooms/shop/memories/MEMORY.md': `- **bay** (human): 7 — 2026-03-02 (${said})\n- **door** (human): red — 2026-03-02 (${said}3)\n`,
    'rooms/shop/memories/HISTORY.md': '- 2026-03-02: **bay** (human): 5 — 2026-03-01 (neo-2026-03-01-1:3)\n',
    'rooms/shop/memories/2026-03-02.md': `- 09:12 [human] The bay is 7 (${said})\n`,
  })
  const { source, version } = await entry(home, '7', { roomId: 'shop' })
  await home.call('memory.delete', { memoryId: source, version })
  const read = (name: string) => home.home.read(`rooms/shop/memories/${name}.md`)
  expect(read('MEMORY')).toBe(`- **door** (human): red — 2026-03-02 (${said}3)\n`)
  expect(read('HISTORY')).not.toContain('bay')
  expect(read('2026-03-02')).toBe(`- 09:12 [human] (forgotten) (${said})\n`)
})

test('the channel memory tells of a new memory, a member of their rooms alone', async () => {
  const home = await hubHome(FILES)
  const told: string[] = []
  const rooms: string[] = []
  const listen = async (as: Principal, into: string[]) =>
    await home.hub.subscribe(as, { channel: 'memory' }, ({ data }) => {
      const { snapshot, change } = data as Record<string, { rooms?: object; set?: { rooms?: object } }>
      into.push(Object.keys(snapshot?.rooms ?? change?.set?.rooms ?? {}).join())
    })
  await listen(HUMAN, told)
  await listen(KIM, rooms)
  await home.call('memory.add', { roomId: 'desk', type: 'note', content: 'New' })
  home.hub.changed((await home.context.look.look('all')).snapshot)
  expect([told, rooms]).toEqual([['desk,lobby,shop', 'desk'], ['shop']])
})
