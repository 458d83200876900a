/**
 * member.update and member.unpair: what a person changes about a member. Only the keys that are set change in the file.
 * Invariant: taking an account away from a member never gives it the rights of the owner.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { CHANNEL_NAMES } from '../../../domain/policy/channel-kinds.ts'
import { accountsIn, ROLES } from '../../../domain/policy/known-people.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { editDocument, type Json, type Keys } from '../../../files/edit/edit-header.ts'
import type { Member } from '../../../files/kinds/read-member.ts'
import { type Actor, type HubEnv, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { missing } from '../../views/find-in-home.ts'
import { idText, titleText } from '../../views/shapes.ts'
import { memberView, viewMember } from '../../views/member-view.ts'
import { findMember, memberId, write } from './member-methods.ts'

const updates = z.strictObject({
  name: titleText.optional().describe('How the page and Neo call them'),
  role: z.enum(ROLES).optional().describe('What they may do; see docs/people.md'),
  rooms: z
    .array(idText)
    .max(200)
    .optional()
    .describe('Rooms that they have access to, in place of the present ones'),
  suspended: z.boolean().optional().describe('`true` takes all access away at once; `false` gives it back'),
})

export const memberUpdate = method({
  name: 'member.update',
  summary: 'Update a member',
  details: 'Takes effect at once, also for open connections.',
  params: memberId.extend({ updates: updates.describe('The fields to set') }),
  result: memberView,
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: asked, updates: given }, actor) => {
    const member = findMember(env, asked)
    const { rooms, suspended, ...plain } = given
    const verb = suspended === true ? 'suspend' : 'change'
    await edit(
      { env, actor, member, verb },
      {
        ...plain,
        ...(rooms === undefined ? {} : { permissions: { ...otherPermissions(member), rooms: [...rooms] } }),
        // False is the default.
        ...(suspended === undefined ? {} : { suspended: suspended ? true : undefined }),
      },
    )
    return viewMember(env, findMember(env, member.id))
  },
})

/** Without those that name a room. */
function otherPermissions({ permissions }: Member): Record<string, Json> {
  const others = Object.entries(permissions).filter(([key, value]) => key !== 'rooms' && value !== 'allow')
  return Object.fromEntries(others) as Record<string, Json>
}

export const memberUnpair = method({
  name: 'member.unpair',
  summary: 'Unlink an account from a member',
  details:
    'The opposite of pairing. Refused if the account is also in `allow_from`, which would make it the owner.',
  params: memberId.extend({ channel: z.enum(CHANNEL_NAMES).describe('The channel of the account') }),
  result: memberView,
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: asked, channel }, actor) => {
    const member = findMember(env, asked)
    const account = member.channels[channel]
    if (account === undefined) throw missing('account', channel)
    if (ownAccounts(env, channel).includes(account))
      throw new HubError(
        HUB_CODES.busy,
        `Cannot unlink the account: it is also in channels.${channel}.allow_from, so it would get all permissions of the owner; remove it there first`,
      )
    const { [channel]: _, ...others } = member.channels
    await edit(
      { env, actor, member, verb: 'unlink' },
      {
        channels: Object.keys(others).length === 0 ? undefined : others,
      },
    )
    return viewMember(env, findMember(env, member.id))
  },
})

function ownAccounts({ context }: HubEnv, channel: string): readonly string[] {
  const all = context.look.config().rest['channels'] as
    | Readonly<Record<string, { allow_from?: unknown }>>
    | undefined
  return accountsIn(all?.[channel]?.allow_from, channel)
}

type Verb = Parameters<typeof write>[2]['verb']

interface Edit {
  readonly env: HubEnv
  readonly actor: Actor
  readonly member: Member
  readonly verb: Verb
}

async function edit({ env, actor, member: { id }, verb }: Edit, set: Keys): Promise<void> {
  const { files, git } = env.context.world
  const read = files.read(join(env.context.home, 'workspace', 'members', `${id}.md`), MAX_BYTES)
  if (read.kind !== 'file') throw missing('member', id)
  const before = read.bytes.toString('utf8')
  const after = editDocument(before, { set })
  if (after !== before) await write(env, actor, { id, verb, before: git.blobId(read.bytes), after })
}
