/**
 * member.*: people of a home: their files, the codes that bind an account to them, and their own tokens. Invariant 1: a
 * role other than parent gets the lobby and nothing else if no room is named. Invariant 2: a code and a token are
 * told once, and kept as their hashes. Invariant 3: who is removed has no token left.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { CHANNEL_KINDS, CHANNEL_NAMES, type ChannelName } from '../../../domain/policy/channel-kinds.ts'
import { ROLES } from '../../../domain/policy/known-people.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { openPairing } from '../../../engine/people/member-files.ts'
import { renderDocument } from '../../../files/edit/edit-header.ts'
import type { Member } from '../../../files/kinds/read-member.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { type Actor, type HubEnv, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { peopleOf } from '../../rights/member-rules.ts'
import { missing } from '../../views/find-in-home.ts'
import { memberView, tokensOf, viewMember } from '../../views/member-view.ts'
import { idText, titleText } from '../../views/shapes.ts'

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/
/** Of a file that a person has named. */
const FILE = /^[A-Za-z0-9][\w-]{0,79}$/
const FOLDER = 'workspace/members'
const DAY_MS = 86_400_000

export const memberId = z.strictObject({
  memberId: idText.describe('The member: their id, or a name that only one of them has'),
})

export const memberList = method({
  name: 'member.list',
  summary: 'List members',
  details: 'The people of the home besides its owner. Only the owner sees account numbers.',
  params: z.strictObject({}),
  result: z.array(memberView),
  act: 'see-home',
  resource: aboutHome,
  run: async (env, _, { principal }) =>
    peopleOf(env).map((member) => {
      const view = viewMember(env, member)
      return principal.kind === 'human' ? view : { ...view, channels: {} }
    }),
})

/** By the exact id first, else by a name that one of them alone has. Throws HubError `missing`. */
export function findMember(env: HubEnv, asked: string): Member {
  const people = peopleOf(env)
  const own = people.find(({ id }) => id === asked)
  const [named, ...others] = people.filter(({ name }) => name === asked)
  const found = own ?? named
  if (found === undefined) throw missing('member', asked)
  if (own !== undefined || others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  const says = `More than one member is called "${asked}": use an id (${ids.join(', ')})`
  throw new HubError(HUB_CODES.missing, says, { ids })
}

/** The same where what is left of a member, a file that does not read or a token, has an exact id too. */
function memberIdOf(env: HubEnv, asked: string): string {
  const path = join(env.context.home, FOLDER, `${asked}.md`)
  const isFile = FILE.test(asked) && env.context.world.files.read(path, 0).kind !== 'missing'
  return isFile || tokensOf(env).all().has(asked) ? asked : findMember(env, asked).id
}

export const memberAdd = method({
  name: 'member.add',
  summary: 'Add a member',
  details: 'Without `rooms`, a member whose role is not `parent` gets access to the lobby only.',
  params: z.strictObject({
    memberId: z
      .string()
      .refine((id) => ID.test(id) && id !== 'readme', {
        error: 'want lower-case letters, digits and dashes, at most 40',
      })
      .describe('Lower-case letters, digits and dashes'),
    name: titleText.optional().describe('Otherwise the id'),
    role: z
      .string()
      .refine((role) => ROLES.some((one) => one === role), { error: `want one of ${ROLES.join(', ')}` })
      .default('member')
      .describe(`One of ${ROLES.join(', ')}`),
    rooms: z.array(idText).max(200).optional().describe('Rooms that they have access to'),
  }),
  result: memberView,
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: id, name = id, role, rooms = [] }, actor) => {
    const path = `${FOLDER}/${id}.md`
    if (env.context.world.files.read(join(env.context.home, path), 0).kind !== 'missing')
      throw new HubError(HUB_CODES.busy, `Cannot add "${id}": ${path} already exists`)
    const names = rooms.length > 0 || role === 'parent' ? rooms : [LOBBY]
    const permissions = names.length === 0 ? {} : { permissions: { rooms: [...names] } }
    const after = renderDocument({ name, role, ...permissions }, '')
    await write(env, actor, { id, verb: 'add', before: null, after })
    return viewMember(env, findMember(env, id))
  },
})

interface Written {
  readonly id: string
  readonly verb: 'add' | 'remove' | 'change' | 'suspend' | 'unlink'
  readonly before: string | null
  readonly after: string | null
}

export async function write(env: HubEnv, actor: Actor, { id, verb, before, after }: Written): Promise<void> {
  const path = `${FOLDER}/${id}.md`
  await commit(env, actor, {
    room: LOBBY,
    part: 'members',
    what: `${verb} ${id}`,
    event: verb,
    changes: [{ path, before, after }],
    lost: `Cannot ${verb} "${id}": ${path} is being edited; try again in a moment`,
  })
}

export const memberPair = method({
  name: 'member.pair',
  summary: 'Create a pairing code',
  details: 'It connects an account of a channel with a member. It works once, within 15 minutes.',
  params: memberId.extend({
    channel: z.enum(CHANNEL_NAMES).default(CHANNEL_NAMES[0]).describe('The channel to connect'),
  }),
  result: z.strictObject({
    memberId: z.string(),
    channel: z.string(),
    code: z.string(),
    link: z.string().nullable(),
    isSetUp: z.boolean().describe('Whether the channel is turned on in neo.yaml'),
  }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: asked, channel }) => {
    const { id } = findMember(env, asked)
    const { files, clock } = env.context.world
    const code = openPairing(files, clock, env.context.dir).begin(id, channel)
    const bot = botName(env, channel)
    const link = bot === null ? null : (CHANNEL_KINDS[channel].pairLink?.(bot, code) ?? null)
    return { memberId: id, channel, code, link, isSetUp: isSetUp(env, channel) }
  },
})

function isSetUp({ context }: HubEnv, channel: ChannelName): boolean {
  const channels = context.look.config().rest['channels'] as Readonly<Record<string, unknown>> | undefined
  const own = channels?.[channel] as { readonly enabled?: unknown } | undefined
  return own?.enabled === true
}

/** Known once the channel has been open in a daemon of this home. */
function botName({ context }: HubEnv, channel: ChannelName): string | null {
  const read = context.world.files.readJson(join(context.dir, 'queues', `${channel}.json`))
  const { username } = (read ?? {}) as { readonly username?: unknown }
  return typeof username === 'string' && /^\w{3,40}$/.test(username) ? username : null
}

export const memberRemove = method({
  name: 'member.remove',
  summary: 'Remove a member',
  details: 'Revokes their token too. Git keeps the file.',
  params: memberId,
  result: z.strictObject({ memberId: z.string(), path: z.string() }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: asked }, actor) => {
    const id = memberIdOf(env, asked)
    const path = `${FOLDER}/${id}.md`
    const { files, git } = env.context.world
    const read = FILE.test(id) ? files.read(join(env.context.home, path), MAX_BYTES) : null
    if (read?.kind !== 'file') throw missing('member', id)
    tokensOf(env).revoke(id)
    await write(env, actor, { id, verb: 'remove', before: git.blobId(read.bytes), after: null })
    return { memberId: id, path }
  },
})

export const memberToken = method({
  name: 'member.token',
  summary: 'Create an access token for a member',
  details:
    'It lets the member use the page and this API as themselves. It is returned only once, and an earlier token stops working.',
  params: memberId.extend({
    expiresInDays: z.int().min(1).max(3650).optional().describe('Default: it does not expire'),
  }),
  result: z.strictObject({ memberId: z.string(), token: z.string(), expiresAt: z.string().nullable() }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: asked, expiresInDays }) => {
    const { id } = findMember(env, asked)
    const until = expiresInDays === undefined ? null : env.context.world.clock.now() + expiresInDays * DAY_MS
    const token = tokensOf(env).make(id, until)
    env.wake()
    return { memberId: id, token, expiresAt: until === null ? null : new Date(until).toISOString() }
  },
})

export const memberRevoke = method({
  name: 'member.revoke',
  summary: 'Revoke the access token of a member',
  details: 'Whatever was signed in with it is signed out at once.',
  params: memberId,
  result: z.strictObject({ memberId: z.string(), revoked: z.boolean() }),
  act: 'change-home',
  resource: aboutHome,
  run: async (env, { memberId: asked }) => {
    const id = memberIdOf(env, asked)
    const revoked = tokensOf(env).revoke(id)
    env.wake()
    return { memberId: id, revoked }
  },
})
