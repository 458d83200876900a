/**
 * `neo member list`: people with role, rooms and the channels that they are known on. Takes a call; prints them.
 * Leaves to bus/members.ts: reading. Numbers of accounts are shown in the home's own terminal alone.
 */
import type { Member } from '../../formats/member.ts'
import type { Call } from '../spec.ts'
import { withMembers } from './open.ts'

export function listMembers(call: Call): Promise<number> {
  return withMembers(call, async ({ members }) => {
    call.out.data(
      'member.list',
      members.map(({ id, name, role, channels, permissions }) => ({ id, name, role, channels, permissions })),
    )
    call.out.table(
      members.map((member) => [member.id, member.name, member.role, roomsOf(member), on(member)]),
    )
    if (members.length === 0) call.out.note('No members: neo member add ana --role parent makes one.')
    return 0
  })
}

function roomsOf({ role, permissions }: Member): string {
  if (role === 'parent') return 'all rooms'
  const { rooms, ...named } = permissions
  const listed = Array.isArray(rooms) ? rooms.map(String) : []
  const allowed = Object.keys(named).filter((name) => named[name] === 'allow')
  return [...listed, ...allowed].join(', ') || 'no rooms'
}

function on({ channels }: Member): string {
  const all = Object.entries(channels).map(([channel, number]) => `${channel} ${number}`)
  return all.join(', ') || 'not paired'
}
