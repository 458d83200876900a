/**
 * Review by pull request: the branch is pushed and the request opened in the background. If the room asks before pushes,
 * only the approved commit is pushed, and the approval is marked as handled once the request is open.
 */

import { costText } from '../../domain/budget/usage-sum.ts'
import type { DecisionOf } from '../../domain/plan/decision.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Transacted } from '../commit/transact.ts'
import type { Context } from '../context.ts'
import { notifyPull } from '../people/notices.ts'
import { approval, approvedAsk, PUSH, subjectFor } from './ask-effects.ts'
import { presentHash, pullOf, pushOf } from './approved-text.ts'
import { writeTask } from './task-write.ts'

export async function publish(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Transacted> {
  const { id = '', branch } = file.task.neo
  const push = snapshot.rooms.get(file.room)?.room.permissions['push'] ?? 'allow'
  if (push === 'ask') return publishApproved(context, snapshot, file)
  if (push === 'allow') {
    const pull = await pullOf(context, snapshot, file)
    if (pull === null) return 'lost'
    context.pulls.open({ task: id, ...pull })
    return 'done'
  }
  const how = `push ${branch} by hand`
  context.pulls.refuse(id, `the room denies pushes (permissions.push): ${how}`)
  return 'done'
}

async function publishApproved(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Transacted> {
  const ask = approvedAsk(snapshot, file, PUSH)
  const push = ask === null ? null : await pushOf(context, snapshot, file)
  if (push === null || ask === null) return 'lost'
  const subject = await subjectFor(context, snapshot, { file, tool: PUSH })
  if (presentHash(ask.ask, subject) !== ask.ask.action.sha256) return 'lost'
  const { commit } = push.arguments
  context.pulls.open({ task: file.task.neo.id ?? '', ...push.pull, commit })
  return 'done'
}

/** The cost of all sessions of the task; '' if no model worked on it. */
function costOf({ usage }: Context, { task }: TaskFile): string {
  const cost = costText(usage.ofTask(task.neo.id ?? ''))
  return cost === '' ? '' : ` (${cost})`
}

export async function published(
  context: Context,
  snapshot: Snapshot,
  { file, decision }: { file: TaskFile; decision: DecisionOf<'published'> },
): Promise<Transacted> {
  const { url, error } = decision
  const says = url ?? error ?? ''
  const done = await writeTask(context, file, {
    // An error of the forge does not remove an open pull request.
    neo: { ...(url === null ? {} : { pr: url }), error: error ?? undefined },
    verb: url === null ? 'wait for pull request of' : 'open pull request for',
    says,
    event: 'publish',
    ...(url === null ? {} : approval(context, snapshot, { file, tool: PUSH })),
  })
  if (done !== 'lost') {
    notifyPull(context, file, { url, says, cost: costOf(context, file) })
  }
  return done
}
