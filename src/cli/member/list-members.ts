/**
 * `neo member list`: people with role, rooms and channels. Only the owner sees account numbers.
 */
import type { ResultOf } from '../../hub/method-table.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'

type Member = ResultOf<'member.list'>[number]

export function listMembers(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const members = await hub.call('member.list', {})
    call.out.data('member.list', members)
    call.out.table(
      members.map((member) => [member.id, member.name, member.role, roomsOf(member), on(member)]),
    )
    if (members.length === 0) call.out.note('No members: neo member add ana --role parent creates one.')
    return 0
  })
}

function roomsOf({ rooms }: Member): string {
  if (rooms === null) return 'all rooms'
  return rooms.join(', ') || 'no rooms'
}

function on({ channels, hasToken }: Member): string {
  const all = Object.entries(channels).map(([channel, number]) => `${channel} ${number}`)
  return [...all, ...(hasToken ? ['token'] : [])].join(', ') || 'not paired'
}
