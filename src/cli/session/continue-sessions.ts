/**
 * `neo session resume, send`: continues an interrupted session, and sends a message to a running one. Invariant 1: a session
 * that has ended never starts again: its task does, which makes a new session. Invariant 2: if the session waits with a
 * question, the message is the answer.
 */
import { NeoError } from '../../domain/home/error.ts'
import { lockOwner } from '../../engine/lock.ts'
import { usage } from '../cli-failure.ts'
import { textOrStdin } from '../option-values.ts'
import { dim } from '../output.ts'
import { type Call, firstOf } from '../spec.ts'
import { withHub } from '../with-hub.ts'
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
  call.out.line(id, `is ${status}: the daemon continues it`, dim(taskNameOf(session)))
  return 0
}

export async function send(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const content = await textOrStdin(call, typed)
  if (content.trim() === '')
    throw usage('Cannot send the message: it is empty', "neo session send SESSION 'Use the smaller one'")
  return await withTrusted(call, async (opened) => {
    const session = await findSession(call, opened, firstOf(call))
    const { id, file } = session
    if (file.endedAt !== undefined)
      throw new NeoError('missing', `Cannot send to "${id}": it has ended (${file.status})`, {
        next: `neo task retry ${file.task}, or neo review reject with a message`,
      })
    const answers = await withHub(call, async (hub) => {
      const open = await hub.call('ask.list', {})
      await hub.call('message.send', { sessionId: id, content }, 'neo session list --status running')
      return open.some(({ kind, sessionId }) => kind === 'question' && sessionId === id)
    })
    call.out.data('session.send', { session: id, task: file.task, answered: answers })
    call.out.line(id, answers ? 'has its answer' : 'reads it at its next turn', dim(taskNameOf(session)))
    if (lockOwner(opened.world.git.gitDir, opened.world) === null)
      call.out.note('No daemon runs: it continues with neo watch or neo run.')
    return 0
  })
}
