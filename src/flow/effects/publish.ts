/**
 * Review by pull request: pushing a finished session's branch and opening the request, in the background, and writing down
 * what came of it. Takes the task; gives whether it was done. Leaves to flow/pulls.ts: the forge.
 * Invariant 1: what leaves the machine is the branch, and a text without local paths and secrets.
 */
import { join } from 'node:path'
import type { Decision } from '../../core/model/decision.ts'
import type { Snapshot, TaskFile } from '../../core/model/snapshot.ts'
import { pullRequestBody } from '../../core/rules/forge.ts'
import { usdText } from '../../core/rules/usage-sum.ts'
import { readSession } from '../../formats/session.ts'
import { type Context, isoOf } from '../context.ts'
import type { Transacted } from '../transact.ts'
import { placeOf } from './finish.ts'
import { writeTask } from './task-write.ts'

const MOST_BYTES = 1024 * 1024

export async function publish(context: Context, snapshot: Snapshot, file: TaskFile): Promise<Transacted> {
  const { id = '', branch, session = '' } = file.task.neo
  const place = await placeOf(context, snapshot, file)
  if (place === null || branch === undefined) return 'lost'
  const push = snapshot.rooms.get(file.room)?.room.permissions['push']
  if (push === 'deny' || push === 'ask') {
    const how = push === 'deny' ? 'denies pushes' : 'asks before each push'
    context.pulls.refuse(id, `the room ${how}: push ${branch} by hand, or set permissions.push: allow`)
    return 'done'
  }
  const transcript = `rooms/${file.room}/transcripts/${session}.jsonl`
  const body = pullRequestBody({
    title: file.task.title,
    result: resultOf(context, file),
    checks: [],
    usage: null,
    transcript: context.look.tree().has(transcript) ? transcript : null,
    session,
    task: id,
  })
  context.pulls.open({ task: id, place, branch, title: file.task.title, body })
  return 'done'
}

/** The session's own words, checks included, as its file says them. */
function resultOf(context: Context, { room, task }: TaskFile): string {
  const path = `rooms/${room}/sessions/${task.neo.session ?? ''}.md`
  const read = context.world.files.read(join(context.home, path), MOST_BYTES)
  const session = read.kind === 'file' ? readSession(path, read.bytes) : null
  return session?.kind === 'ok' ? session.value.body : (task.neo.result ?? '')
}

/** What all sessions of the task cost; '' where no model worked on it. */
function costOf({ usage }: Context, { task }: TaskFile): string {
  const sum = usage.ofTask(task.neo.id ?? '')
  return sum.calls === 0 ? '' : ` (${usdText(sum)})`
}

export async function published(
  context: Context,
  file: TaskFile,
  { url, error }: Extract<Decision, { kind: 'published' }>,
): Promise<Transacted> {
  const says = url ?? error ?? ''
  const done = await writeTask(context, file, {
    // A forge that does not answer takes no request away.
    neo: { ...(url === null ? {} : { pr: url }), error: error ?? undefined },
    verb: url === null ? 'wait for pull request of' : 'open pull request of',
    says,
    event: 'publish',
  })
  if (done !== 'lost') {
    const text = `${file.room}/${file.name} ${url === null ? `has no pull request yet: ${says}` : `waits for review: ${says}${costOf(context, file)}`}`
    const at = isoOf(context.world.clock.now())
    context.outbox.put({
      key: `publish:${file.task.neo.id}:${says}`,
      text,
      room: file.room,
      at,
      to: ['terminal'],
    })
  }
  return done
}
