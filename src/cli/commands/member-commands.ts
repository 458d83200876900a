/** `neo member list, add, pair, token, remove`: people of a home. Only the owner sees account numbers. */
import { daemonAddress } from '../../client/daemon-address.ts'
import { composeAlive, composeFiles } from '../../compose.ts'
import { CHANNEL_NAMES, type ChannelName, pairText } from '../../domain/policy/channel-kinds.ts'
import type { ParamsOf, ResultOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { configOf } from '../config/read-config-file.ts'
import { findHome } from '../find-home.ts'
import { paramsOf } from '../option-values.ts'
import { dim } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { withHub } from '../with-hub.ts'

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

const NEXT = 'neo member list'

export function addMember(call: Call): Promise<number> {
  const memberId = firstOf(call)
  return withHub(call, async (hub) => {
    const { id } = await hub.call('member.add', { memberId, ...paramsOf(call) }, 'neo member add ana')
    const path = `workspace/members/${id}.md`
    call.out.data('member.add', { id, path })
    call.out.line(path)
    call.out.note(dim(`neo member pair ${id} creates a code that binds an account.`))
    return 0
  })
}

export function pairMember(call: Call): Promise<number> {
  const { channel: typed } = paramsOf<ParamsOf<'member.pair'>>(call)
  const configured = configuredChannels(call)
  if (typed === undefined && configured.length > 1)
    throw usage(
      `Cannot choose the channel: ${configured.join(' and ')} are configured`,
      `neo member pair ${firstOf(call)} --channel ${configured[0]}`,
    )
  const wanted = typed ?? configured[0] ?? CHANNEL_NAMES[0]
  return withHub(call, async (hub) => {
    const paired = await hub.call('member.pair', { memberId: firstOf(call), channel: wanted }, NEXT)
    const { memberId: id, channel, code, link } = paired
    call.out.data('member.pair', { id, channel, code, link })
    call.out.line(link ?? pairText(wanted, code))
    const how =
      link === null
        ? `Send this to the bot in a private chat from ${id}'s account`
        : `Open this link from ${id}'s account to bind it`
    call.out.note(dim(`${how}. It works once, within 15 minutes.`))
    if (!configured.includes(wanted))
      call.out.note(`The channel ${channel} is not configured yet: set channels.${channel} in neo.yaml.`)
    return 0
  })
}

function configuredChannels(call: Call): readonly ChannelName[] {
  const files = composeFiles()
  const { rest } = configOf(findHome(call, files), files, call.around.env)
  return CHANNEL_NAMES.filter((name) => (rest['channels'] as Record<string, unknown> | undefined)?.[name])
}

export function memberToken(call: Call): Promise<number> {
  const memberId = firstOf(call)
  return withHub(call, async (hub) => {
    if (call.isSet('revoke')) {
      const { memberId: id, revoked } = await hub.call('member.revoke', { memberId }, NEXT)
      call.out.data('member.revoke', { id, revoked })
      call.out.note(
        revoked ? 'Revoked; everyone who signed in with it is signed out.' : 'There was no token.',
      )
      return 0
    }
    const { memberId: id, token } = await hub.call('member.token', { memberId }, NEXT)
    call.out.data('member.token', { id, token })
    call.out.line(token)
    const files = composeFiles()
    const url = daemonAddress(findHome(call, files), files, await composeAlive())?.url
    const where = url ?? 'the page that neo watch serves'
    call.out.note(dim(`Shown only once. ${id} signs in with it at ${where}.`))
    return 0
  })
}

export function removeMember(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const { memberId: id, path } = await hub.call('member.remove', { memberId: firstOf(call) }, NEXT)
    call.out.data('member.remove', { id, path })
    call.out.line(path)
    call.out.note(dim("No access from now on; git keeps the file's history."))
    return 0
  })
}
