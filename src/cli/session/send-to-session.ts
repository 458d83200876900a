/**
 * `neo session send`: a message to a session at work, into its mailbox. Where it waits with a question, the message is
 * the answer.
 */
import { NeoError } from '../../domain/home/error.ts'
import { usage } from '../cli-failure.ts'
import { asked } from '../rpc/rpc-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { findSession, taskNameOf } from './open-sessions.ts'

export async function send(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const content = typed === '-' ? await readStdin(call.around.stdin) : typed
  if (content.trim() === '')
    throw usage('Cannot send it: the text is empty', "neo session send SESSION 'Use the smaller one'")
  return await withHub(call, async (at) => {
    const session = await findSession(call, at, firstOf(call))
    const { id, file } = session
    if (file.endedAt !== undefined)
      throw new NeoError('missing', `Cannot tell "${id}" anything: it has ended (${file.status})`, {
        next: `neo task retry ${file.task}, or neo review reject with a message`,
      })
    const waits = at.context.sessions
      .facts()
      .get(id)
      ?.wants?.some(({ kind }) => kind === 'question')
    await asked('neo session list --status running', () =>
      at.call('message.send', { sessionId: id, content }),
    )
    call.out.data('session.send', { session: id, task: file.task, answered: waits === true })
    call.out.line(id, waits === true ? 'has its answer' : 'reads it at its next turn', {
      text: taskNameOf(session),
      style: 'dim',
    })
    if (at.daemon() === 'no') call.out.note('No daemon runs: it goes on with neo watch or neo run.')
    return 0
  })
}
