/**
 * `neo member add`, `pair`, `token` and `remove`: people of a home.
 */
import { asked } from '../rpc/rpc-failure.ts'
import { servedHub } from '../rpc/served.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'

const NEXT = 'neo member list'

export function addMember(call: Call): Promise<number> {
  const memberId = firstOf(call)
  const [name, role, rooms] = [call.text('name'), call.text('role'), call.all('room')]
  return withHub(call, async (at) => {
    const { id } = await asked('neo member add ana', () =>
      at.call('member.add', {
        memberId,
        ...(name === null ? {} : { name }),
        ...(role === null ? {} : { role }),
        rooms: [...rooms],
      }),
    )
    const path = `workspace/members/${id}.md`
    call.out.data('member.add', { id, path })
    call.out.line(path)
    call.out.note({ text: `neo member pair ${id} makes a code that binds an account.`, style: 'dim' })
    return 0
  })
}

export function pairMember(call: Call): Promise<number> {
  return withHub(call, async (at) => {
    const paired = await asked(NEXT, () => at.call('member.pair', { memberId: firstOf(call) }))
    const { memberId: id, channel, code, link } = paired
    call.out.data('member.pair', { id, channel, code, link })
    call.out.line(link ?? `/start ${code}`)
    const how =
      link === null
        ? `From the account of ${id}, this to the bot in a private chat`
        : `Opened from the account of ${id}, this binds it`
    call.out.note({ text: `${how}; it is valid within 15 minutes, and counts once.`, style: 'dim' })
    if (at.context.look.config().rest['channels'] === undefined)
      call.out.note('Telegram is not configured yet: channels.telegram in neo.yaml.')
    return 0
  })
}

export function memberToken(call: Call): Promise<number> {
  const memberId = firstOf(call)
  return withHub(call, async (at) => {
    if (call.isSet('revoke')) {
      const { memberId: id, revoked } = await asked(NEXT, () => at.call('member.revoke', { memberId }))
      call.out.data('member.revoke', { id, revoked })
      call.out.note(revoked ? 'It is over, with all that was signed in by it.' : 'There was none.')
      return 0
    }
    const { memberId: id, token } = await asked(NEXT, () => at.call('member.token', { memberId }))
    call.out.data('member.token', { id, token })
    call.out.line(token)
    const url = servedHub(at)?.url ?? null
    const where = url === null ? 'the page that neo watch serves' : url
    call.out.note({ text: `Shown this once. ${id} signs in with it at ${where}.`, style: 'dim' })
    return 0
  })
}

export function removeMember(call: Call): Promise<number> {
  return withHub(call, async (at) => {
    const { memberId: id, path } = await asked(NEXT, () =>
      at.call('member.remove', { memberId: firstOf(call) }),
    )
    call.out.data('member.remove', { id, path })
    call.out.line(path)
    call.out.note({ text: 'Not heard any more from now on; git keeps what the file was.', style: 'dim' })
    return 0
  })
}
