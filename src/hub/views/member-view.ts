/** A member as clients see them, and the channel `members`. */
import { z } from 'zod'
import type { Member } from '../../files/kinds/read-member.ts'
import type { HubEnv, Shown } from '../env.ts'
import { type MemberTokens, openMemberTokens, peopleOf, roomsOf } from '../rights/member-rules.ts'

export const memberView = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  /** Null: all. */
  rooms: z.array(z.string()).nullable(),
  suspended: z.boolean().describe('They have no access, and their file stays'),
  /** Numbers of accounts by channel; told to the owner alone. */
  channels: z.record(z.string(), z.string()),
  hasToken: z.boolean(),
  token: z
    .strictObject({
      createdAt: z.string().describe("'' if it isn't known"),
      expiresAt: z.string().nullable(),
      lastUsedAt: z.string().nullable().describe('Null: never, as far as it is known'),
    })
    .nullable(),
})
type MemberView = Shown<z.input<typeof memberView>>

export function viewMember(env: HubEnv, member: Member): MemberView {
  const { id, name, role, channels, suspended = false } = member
  const token = tokensOf(env).all().get(id) ?? null
  const rooms = role === 'parent' ? null : [...roomsOf(member)]
  return { id, name, role, rooms, suspended, channels: { ...channels }, hasToken: token !== null, token }
}

export function tokensOf({ context }: HubEnv): MemberTokens {
  const { files, clock } = context.world
  return openMemberTokens(files, clock, context.dir)
}

/** Without the numbers of accounts, which only the owner gets. */
export function membersState(env: HubEnv): { readonly members: Readonly<Record<string, unknown>> } {
  const rows = peopleOf(env).map((member) => {
    const { channels, ...view } = viewMember(env, member)
    return [member.id, { ...view, accounts: Object.keys(channels) }] as const
  })
  return { members: Object.fromEntries(rows) }
}
