/**
 * Binds an account of a channel to a member, in the member's file. Invariant 1: an account belongs to one member at most.
 * Invariant 2: only the line of the channel changes.
 */
import { join } from 'node:path'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import { transact } from '../../engine/commit/transact.ts'
import type { Context } from '../../engine/context.ts'
import { MEMBERS, membersIn } from '../../engine/people/member-files.ts'
import { editDocument } from '../../files/edit/edit-header.ts'
import { readMember } from '../../files/kinds/read-member.ts'
import type { Person } from '../../ports/git-port.ts'

export interface Binding {
  readonly member: string
  readonly channel: string
  /** `null` removes the channel. */
  readonly number: string | null
  readonly author: Person
}

/** `null` when done, else why not. Call it in the daemon's line, or with its lock. */
export async function bind(context: Context, of: Binding): Promise<string | null> {
  const { files, git } = context.world
  const taken = membersIn(context).find(
    ({ id, channels }) => id !== of.member && of.number !== null && channels[of.channel] === of.number,
  )
  if (taken !== undefined) return `this account already belongs to the member ${taken.id}`
  const path = `${MEMBERS}/${of.member}.md`
  const read = files.read(join(context.home, path), MAX_BYTES)
  if (read.kind !== 'file') return `member "${of.member}" not found`
  const member = readMember(path, read.bytes)
  if (member.kind !== 'ok') return `can't read ${path}`
  const { [of.channel]: _, ...others } = member.value.channels
  const channels = of.number === null ? others : { ...others, [of.channel]: of.number }
  const after = editDocument(read.bytes.toString('utf8'), { set: { channels } })
  const verb = of.number === null ? 'part' : 'pair'
  const done = await transact(context, {
    kind: 'member',
    changes: [{ path, before: git.blobId(read.bytes), after }],
    subject: `neo(members): ${verb} ${of.member} — ${of.channel}`,
    trailers: [['Neo-Event', verb]],
    author: of.author,
  })
  return done === 'lost' ? `${path} is being edited; try again` : null
}
