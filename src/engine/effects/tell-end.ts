/**
 * The notice about a session's end: what came of it, where its work lies, what it cost. Invariant 1: what needs a person
 * is told everywhere; what ended well only where the room wants to hear it.
 */
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Verdict } from '../../domain/session/outcome.ts'
import { usdText } from '../../domain/budget/usage-sum.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Context } from '../context.ts'

export function tellEnd(
  context: Context,
  snapshot: Snapshot,
  { file, record, verdict }: { file: TaskFile; record: SessionRecord; verdict: Verdict },
): void {
  const { status, verb, says, needsPerson } = verdict
  const wanted = snapshot.rooms.get(file.room)?.room.notify ?? []
  const to = needsPerson === 'yes' ? ['terminal'] : status === 'completed' ? wanted : []
  if (to.length === 0) return
  const { neo } = file.task
  const details = detailsOf(context, record, verdict)
  const shown = details === '' || says.includes(details) ? says : `${says} (${details})`
  const next = status === 'review' ? `: neo review diff ${neo.id}` : ''
  const text = `${file.room}/${file.name} ${status === 'review' ? '' : `${status}: `}${shown}${next}`
  const key = `${verb}:${neo.id}:${neo.attempt ?? 0}`
  context.outbox.put({ key, text, room: file.room, at: isoSecond(context.world.clock.now()), to })
}

/** Branch and cost, as far as there are any. */
function detailsOf({ usage }: Context, record: SessionRecord, { neo, says }: Verdict): string {
  const { branch } = neo
  return [
    ...(typeof branch !== 'string' || says.includes(branch) ? [] : [`branch ${branch}`]),
    ...(record.agent === undefined ? [] : [usdText(usage.ofSession(record.id))]),
  ].join(', ')
}
