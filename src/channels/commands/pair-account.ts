/**
 * Pairing: binds an account of a channel to a member, in the member's file. Invariant 1: an account belongs to one member
 * at most. Invariant 2: only the line of the channel changes.
 */

import { join } from 'node:path'
import { spelled } from '../../domain/policy/channel-kinds.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { MEMBERS, membersIn, type Pairing } from '../../engine/people/member-files.ts'
import { editDocument } from '../../files/edit/edit-header.ts'
import { readMember } from '../../files/kinds/read-member.ts'
import type { MessageQueues } from '../channel.ts'
import type { Inbound } from '../channel-message.ts'

interface PairRun {
  readonly context: Context
  readonly queues: MessageQueues
  readonly pairing: Pairing
  readonly isKnown: (number: string) => boolean
  readonly message: Inbound
  /** The code. */
  readonly rest: string
  say(text: string): void
}

/** Bound by the code alone: the person who has it is the member. */
export async function pair(of: PairRun): Promise<void> {
  const { queues, context, message, pairing, rest, say, isKnown } = of
  const { channel, senderId } = message
  const member = pairing.redeem(rest, { channel, account: senderId })
  if (member === null && !isKnown(senderId)) return refuseStranger({ queues, context }, message)
  if (member === null)
    return say('This pairing code is invalid, expired or already used. Ask the owner for a new one.')
  const why = await context.exclusive(() => bind(context, { member, channel, number: senderId }))
  say(
    why === null
      ? `Welcome. You are paired as ${member}. Type ${spelled(channel, 'help')} for the commands.`
      : `Pairing failed: ${why}.`,
  )
}

/** Once for each account, whatever it writes. */
export function refuseStranger(
  { queues, context }: Pick<PairRun, 'queues' | 'context'>,
  { channel, chatId, senderId }: Pick<Inbound, 'channel' | 'chatId' | 'senderId'>,
): void {
  const content = `You're not authorised (id ${senderId}). Ask the owner for a pairing code.`
  if (queues.put({ key: `stranger:${channel}:${senderId}`, channel, chatId, content }) === 'new')
    context.emit({ kind: 'refused', text: `${channel}: message from an unknown sender (id ${senderId})` })
}

/** `null` when done, else why not. */
async function bind(
  context: Context,
  of: { readonly member: string; readonly channel: string; readonly number: string },
): Promise<string | null> {
  const { files, git } = context.world
  const taken = membersIn(context).find(
    ({ id, channels }) => id !== of.member && channels[of.channel] === of.number,
  )
  if (taken !== undefined) return `this account already belongs to the member ${taken.id}`
  const path = `${MEMBERS}/${of.member}.md`
  const read = files.read(join(context.home, path), MAX_BYTES)
  if (read.kind !== 'file') return `member "${of.member}" not found`
  const member = readMember(path, read.bytes)
  if (member.kind !== 'ok') return `can't read ${path}`
  const channels = { ...member.value.channels, [of.channel]: of.number }
  const after = editDocument(read.bytes.toString('utf8'), { set: { channels } })
  const done = await transact(context, {
    kind: 'member',
    changes: [{ path, before: git.blobId(read.bytes), after }],
    subject: `neo(members): pair ${of.member} — ${of.channel}`,
    trailers: [['Neo-Event', 'pair']],
    author: NEO,
  })
  return done === 'lost' ? `${path} is being edited; try again` : null
}
