/**
 * Members at the terminal: the open home, whom a name means, and writing a member's file with its commit.
 * Takes a call; gives members, or says what is missing. Leaves to bus/members.ts: reading, and binding of numbers.
 * Invariant 1: a file is written beside whoever else writes, against the bytes that were read.
 */
import { membersOf } from '../../bus/members.ts'
import { NeoError } from '../../core/model/error.ts'
import type { Context } from '../../flow/context.ts'
import { openHome } from '../../flow/open.ts'
import { type FileChange, transact } from '../../flow/transact.ts'
import type { Member } from '../../formats/member.ts'
import { alone } from '../rpc/alone.ts'
import type { Call } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'

export interface AtMembers extends Opened {
  readonly context: Context
  readonly members: readonly Member[]
}

export function withMembers<T>(call: Call, act: (at: AtMembers) => Promise<T>): Promise<T> {
  return withWorld(call, async (opened) => {
    const { home, world } = opened
    const context = await openHome({ home, world, settleMs: 0, env: call.around.env })
    return await act({ ...opened, context, members: membersOf({ home, files: world.files }) })
  })
}

/** Throws NeoError `missing`. */
export function findMember({ members }: AtMembers, id: string): Member {
  const found = members.find((member) => member.id === id || member.name === id)
  if (found !== undefined) return found
  const known = members.map((member) => member.id).join(', ')
  throw new NeoError('missing', `Cannot find the member "${id}"`, {
    ...(known === '' ? {} : { why: `there are: ${known}` }),
    next: 'neo member list',
  })
}

/** Throws NeoError `failed` where the file has changed meanwhile. */
export async function writeMember(
  { context }: AtMembers,
  of: { readonly id: string; readonly verb: 'add' | 'remove'; readonly change: FileChange },
): Promise<void> {
  const done = await alone(context, `member.${of.verb}`, (own) =>
    transact(own, {
      kind: 'member',
      changes: [of.change],
      subject: `neo(members): ${of.verb} ${of.id}`,
      trailers: [['Neo-Event', of.verb]],
      author: own.person,
    }),
  )
  if (done !== 'lost') return
  throw new NeoError('failed', `Cannot ${of.verb} "${of.id}": ${of.change.path} is being changed just now`, {
    next: 'git status, then the same again',
  })
}
