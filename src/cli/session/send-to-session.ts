/**
 * `neo session send`: a message to a running session. If the session waits with a question, the message is the answer.
 */
import { NeoError } from '../../domain/home/error.ts'
import { lockOwner } from '../../engine/lock.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { withTrusted } from '../with-world.ts'
import { findSession, taskNameOf } from './open-sessions.ts'

export async function send(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const content = typed === '-' ? await readStdin(call.around.stdin) : typed
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
    call.out.line(id, answers ? 'has its answer' : 'reads it at its next turn', {
      text: taskNameOf(session),
      style: 'dim',
    })
    if (lockOwner(opened.world.git.gitDir, opened.world) === null)
      call.out.note('No daemon runs: it continues with neo watch or neo run.')
    return 0
  })
}
