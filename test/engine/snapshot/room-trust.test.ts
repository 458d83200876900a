/** Servers of tools that a room's file names count when a person trusts them; until then the room keeps those it had. */
import { expect, test } from 'vitest'
import type { Snapshot } from '../../../src/domain/plan/snapshot.ts'
import { openRoomTrust } from '../../../src/engine/snapshot/room-trust.ts'
import { readRoom } from '../../../src/files/kinds/read-room.ts'

const HERE = 'mcp_servers: { a: { command: here } }'
const THERE = 'mcp_servers: { a: { command: ./in-the-worktree } }'

function snapshot(rooms: Readonly<Record<string, string>>): Snapshot {
  const files = Object.entries(rooms).map(([name, header]) => {
    const path = `rooms/${name}/ROOM.md`
    const read = readRoom(path, Buffer.from(`---\n${header}\n---\n`), name)
    if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
    return [name, { path, name, hash: '', gitStatus: 'same', room: read.value }] as const
  })
  return { rooms: new Map(files), problems: [] } as unknown as Snapshot
}

const commandOf = ({ rooms }: Snapshot, name = 'shop') => {
  const server = rooms.get(name)?.room.mcpServers?.['a']
  return server?.kind === 'stdio' ? server.command : undefined
}

test('a changed server waits at once, and counts as soon as it is trusted', () => {
  let why: string | null = 'not yet'
  const trust = openRoomTrust(() => why)
  expect(commandOf(trust.trusted(snapshot({ shop: HERE })))).toBe('here')
  const changed = snapshot({ shop: THERE })
  const held = trust.trusted(changed)
  expect([commandOf(held), held.problems]).toMatchObject([
    'here',
    [{ file: 'rooms/shop/ROOM.md', hint: 'neo trust' }],
  ])
  expect(trust.trusted(changed).rooms).toBe(held.rooms)
  why = null
  expect([commandOf(trust.trusted(changed)), trust.trusted(changed).problems]).toEqual([
    './in-the-worktree',
    [],
  ])
})

test.each([
  ['a first server', { shop: 'worker: agent' }, { shop: THERE }, 'shop'],
  ['a new room with one', { shop: HERE }, { shop: HERE, other: THERE }, 'other'],
])('%s waits too', (_, before, after, name) => {
  const trust = openRoomTrust(() => 'not yet')
  trust.trusted(snapshot(before))
  const held = trust.trusted(snapshot(after))
  expect([commandOf(held, name), held.problems.length]).toEqual([undefined, 1])
})

test('a server that is taken away, and other settings, count without a word', () => {
  const trust = openRoomTrust(() => 'not yet')
  trust.trusted(snapshot({ shop: HERE }))
  const held = trust.trusted(snapshot({ shop: 'worker: agent' }))
  expect([commandOf(held), held.problems, held.rooms.get('shop')?.room.worker?.kind]).toEqual([
    undefined,
    [],
    'agent',
  ])
})

test.each([
  ['is turned off', 'mcp_servers: { a: { command: here, disabled: true }, b: { command: b } }'],
  [
    'is turned off as in other clients',
    'mcp_servers: { a: { command: here, enabled: false }, b: { command: b } }',
  ],
  ['is taken out', 'mcp_servers: { b: { command: b } }'],
])('a server that %s is off at once, also beside a change that waits', (_, after) => {
  const trust = openRoomTrust(() => 'not yet')
  trust.trusted(snapshot({ shop: 'mcp_servers: { a: { command: here }, b: { command: b } }' }))
  const off = trust.trusted(snapshot({ shop: after }))
  expect([commandOf(off), off.problems]).toEqual([undefined, []])
  const more = trust.trusted(snapshot({ shop: after.replace('command: b', 'command: c') }))
  expect(more.rooms.get('shop')?.room.mcpServers).toMatchObject({ b: { command: 'b' } })
  expect([commandOf(more), more.problems.length]).toEqual([undefined, 1])
})
