/**
 * `neo session resume`: continues a session that was interrupted. Invariant 1: a session that has ended never starts
 * again: its task does, which makes a new session.
 */
import { NeoError } from '../../domain/home/error.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { withTrusted } from '../with-world.ts'
import { findSession, taskNameOf } from './open-sessions.ts'

export async function resume(call: Call): Promise<number> {
  const session = await withTrusted(call, (opened) => findSession(call, opened, firstOf(call)))
  const { id, file } = session
  if (file.endedAt !== undefined || session.record === null)
    throw new NeoError('refused', `Cannot resume "${id}": it has ended (${file.status})`, {
      why: 'its work is kept with the task; the next attempt starts from it',
      next: `neo task retry ${file.task}`,
    })
  const { status } = await withHub(call, (hub) =>
    hub.call('session.resume', { sessionId: id }, 'neo watch, or neo run'),
  )
  call.out.data('session.resume', { session: id, task: file.task, status })
  call.out.line(id, `is ${status}: the daemon continues it`, { text: taskNameOf(session), style: 'dim' })
  return 0
}
