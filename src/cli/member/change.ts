/**
 * `neo member add`, `pair` and `remove`: people of a home. Takes ids and settings; prints the path, or a code.
 * Leaves to open.ts: the commit; to bus/pairing.ts: codes; to core/rules/policy.ts: what a role may do.
 * Invariant 1: a role other than parent gets the lobby and nothing else where no room is named.
 * Invariant 2: a code is printed once, and kept as its hash alone.
 */
import { join } from 'node:path'
import { openPairing } from '../../bus/pairing.ts'
import { MEMBERS } from '../../bus/members.ts'
import { NeoError } from '../../core/model/error.ts'
import { LOBBY } from '../../core/rules/policy.ts'
import { renderDocument } from '../../formats/edit.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { usage } from '../failure.ts'
import { type Call, firstOf } from '../spec.ts'
import { type AtMembers, findMember, withMembers, writeMember } from './open.ts'

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/
const VALID = 'within 15 minutes, and counts once'

export function addMember(call: Call): Promise<number> {
  const id = firstOf(call)
  if (!ID.test(id) || id === 'readme')
    throw usage(
      `Cannot name a member "${id}": want small letters, digits and dashes, at most 40`,
      'neo member add ana',
    )
  return withMembers(call, async (at) => {
    const path = `${MEMBERS}/${id}.md`
    if (at.world.files.read(join(at.home, path), 0).kind !== 'missing')
      throw new NeoError('failed', `Cannot add "${id}": ${path} is there already`, {
        next: 'neo member list',
      })
    await writeMember(at, { id, verb: 'add', change: { path, before: null, after: textOf(call, id) } })
    call.out.data('member.add', { id, path })
    call.out.line(path)
    call.out.note({ text: `neo member pair ${id} makes a code that binds an account.`, style: 'dim' })
    return 0
  })
}

function textOf(call: Call, id: string): string {
  const role = call.text('role') ?? 'member'
  const rooms = call.all('room')
  const names = rooms.length > 0 || role === 'parent' ? rooms : [LOBBY]
  const permissions = names.length === 0 ? {} : { permissions: { rooms: [...names] } }
  return renderDocument({ name: call.text('name') ?? id, role, ...permissions }, '')
}

export function pairMember(call: Call): Promise<number> {
  return withMembers(call, async (at) => {
    const { id } = findMember(at, firstOf(call))
    const { files, clock } = at.world
    const code = openPairing(files, clock, at.dir).begin(id, 'telegram')
    const bot = botName(at)
    const link = bot === null ? null : `https://t.me/${bot}?start=${code}`
    call.out.data('member.pair', { id, channel: 'telegram', code, link })
    call.out.line(link ?? `/start ${code}`)
    const how =
      link === null
        ? `From the account of ${id}, this to the bot in a private chat`
        : `Opened from the account of ${id}, this binds it`
    call.out.note({ text: `${how}; it is valid ${VALID}.`, style: 'dim' })
    if (at.context.look.config().rest['channels'] === undefined)
      call.out.note('Telegram is not configured yet: channels.telegram in neo.yaml.')
    return 0
  })
}

/** Known once Telegram has told it to a daemon of this home. */
function botName({ world, dir }: AtMembers): string | null {
  const read = world.files.readJson(join(dir, 'queues', 'telegram.json'))
  const { username } = (read ?? {}) as { readonly username?: unknown }
  return typeof username === 'string' && /^\w{3,40}$/.test(username) ? username : null
}

export function removeMember(call: Call): Promise<number> {
  return withMembers(call, async (at) => {
    const { id } = findMember(at, firstOf(call))
    const path = `${MEMBERS}/${id}.md`
    const read = at.world.files.read(join(at.home, path), MAX_BYTES)
    if (read.kind !== 'file') throw new NeoError('missing', `Cannot remove "${id}": ${path} cannot be read`)
    const change = { path, before: at.world.git.blobId(read.bytes), after: null }
    await writeMember(at, { id, verb: 'remove', change })
    call.out.data('member.remove', { id, path })
    call.out.line(path)
    call.out.note({ text: 'Not heard any more from now on; git keeps what the file was.', style: 'dim' })
    return 0
  })
}
