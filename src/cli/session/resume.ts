/**
 * `neo session resume`: goes on with a session that was left where it was. The daemon does that by itself for every
 * session whose task is in progress, so this says what holds, or why it cannot be.
 * Invariant 1: a session that has ended is never begun anew: its task is, which makes a session of its own.
 */
import { NeoError } from '../../domain/home/error.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { findSession, taskNameOf } from './open-sessions.ts'

export function resume(call: Call): Promise<number> {
  return withHub(call, async (at) => {
    const session = await findSession(call, at, firstOf(call))
    const { id, file } = session
    const fact = at.context.sessions.facts().get(id)
    if (file.endedAt !== undefined || fact === undefined || fact.state === 'ended')
      throw new NeoError('refused', `Cannot resume "${id}": it has ended (${file.status})`, {
        why: 'what it left is with its task; a further attempt begins with that',
        next: `neo task retry ${file.task}`,
      })
    if (at.daemon() === 'no')
      throw new NeoError('failed', `Cannot resume "${id}" here: no daemon runs`, {
        why: 'sessions run in the daemon, which picks up by itself what was left',
        next: 'neo watch, or neo run',
      })
    call.out.data('session.resume', { session: id, task: file.task, status: file.status })
    call.out.line(id, `is ${file.status}: the daemon goes on with it`, {
      text: taskNameOf(session),
      style: 'dim',
    })
    return 0
  })
}
