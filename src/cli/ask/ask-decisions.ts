/**
 * `neo ask approve, deny, answer`: decides through the hub, which refuses (exit code 5) a second decision, an expired
 * request, and one whose content changed since.
 */
import type { Ask } from '../../domain/ask/ask.ts'
import { usage } from '../cli-failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { askData } from './show-asks.ts'
import { findAsk, readAskAt } from './show-asks.ts'

export function approve(call: Call): Promise<number> {
  return decide(call, 'approved')
}

export function deny(call: Call): Promise<number> {
  return decide(call, 'denied')
}

export async function answer(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const text = typed === '-' ? await readStdin(call.around.stdin) : typed
  if (text.trim() === '')
    throw usage('Cannot answer: the answer is empty', "neo ask answer ID 'The second one'")
  return change(call, { kind: 'question', decision: 'answered', answer: text })
}

function decide(call: Call, decision: 'approved' | 'denied'): Promise<number> {
  return change(call, { kind: 'approval', decision })
}

interface Deciding {
  readonly kind: Ask['kind']
  readonly decision: 'approved' | 'denied' | 'answered'
  readonly answer?: string
}

async function change(call: Call, { kind, decision, answer: words }: Deciding): Promise<number> {
  const lookup = await openTaskLookup(call)
  const found = findAsk(lookup, firstOf(call))
  refuseKind(found.ask, kind)
  const { path } = found
  const isWaiting = await withHub(call, async (hub) => {
    // By its path: a copy of another request has that request's id.
    await hub.call('ask.decide', { askId: path, decision, ...(words === undefined ? {} : { answer: words }) })
    return hub.by() === 'here' && !(await hub.local()).daemonRuns()
  })
  const ask = readAskAt(lookup, path)
  call.out.data(
    `ask.${kind === 'question' ? 'answer' : ask.decision === 'denied' ? 'deny' : 'approve'}`,
    askData({ ...found, ask }),
  )
  call.out.line(ask.id, 'is', kind === 'question' ? 'answered' : ask.decision)
  if (isWaiting) call.out.note('No daemon runs: neo watch or neo run continues.')
  return 0
}

function refuseKind({ id, kind }: Ask, want: Ask['kind']): void {
  if (kind === want) return
  throw usage(
    `Cannot ${want === 'question' ? 'answer' : 'approve or deny'} "${id}": it is ${want === 'question' ? 'an approval request' : 'a question'}`,
    `neo ask ${want === 'question' ? 'approve' : 'answer'} ${id}`,
  )
}
