/**
 * `neo ask approve, deny, answer`: decides through the hub. Invariant 1: the first decision stands; a later one, a late
 * one, and one about something that has changed since it was asked are refused with exit code 5.
 */
import type { Ask } from '../../domain/ask/ask.ts'
import { NeoError } from '../../domain/home/error.ts'
import { lateFor } from '../../engine/commit/decide-ask.ts'
import { settleHome } from '../../engine/settle-home.ts'
import { usage } from '../cli-failure.ts'
import { withHubClient } from '../rpc/hub-client.ts'
import { type Call, firstOf } from '../spec.ts'
import { readStdin } from '../stdin.ts'
import { openDesk } from '../task/task-access.ts'
import { withTrusted } from '../with-world.ts'
import { askData } from './list-asks.ts'
import { findAsk, readAskAt } from './open-asks.ts'

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

async function change(call: Call, of: Deciding): Promise<number> {
  const { kind, decision, answer: words } = of
  return withTrusted(call, async ({ world, home }) => {
    const desk = await openDesk(call)
    const found = findAsk(desk, firstOf(call))
    const { ask: before, path } = found
    refuseKind(before, kind)
    refuseLate(before, world.clock.now())
    const by = await withHubClient(call, desk, async (hub) => {
      const answered = words === undefined ? {} : { answer: words }
      // The file that was found, by its path: a copy of another request has that request's id.
      await hub.call('ask.decide', { askId: path, decision, ...answered })
      return hub.by()
    })
    const settled = by === 'here' ? await settleHome(world, home) : 'held'
    const ask = readAskAt(desk, path)
    call.out.data(
      `ask.${kind === 'question' ? 'answer' : ask.decision === 'denied' ? 'deny' : 'approve'}`,
      askData({ ...found, ask }),
    )
    call.out.line(ask.id, 'is', kind === 'question' ? 'answered' : ask.decision)
    if (settled === 'settled') call.out.note('No daemon runs: neo watch or neo run goes on with it.')
    return 0
  })
}

function refuseKind({ id, kind }: Ask, want: Ask['kind']): void {
  if (kind === want) return
  throw usage(
    `Cannot do that: "${id}" is ${want === 'question' ? 'an approval' : 'a question'}`,
    `neo ask ${want === 'question' ? 'approve' : 'answer'} ${id}`,
  )
}

function refuseLate(ask: Ask, now: number): void {
  const late = lateFor(ask, now)
  if (late === null) return
  const { is, why, next } = late
  const more = { ...(why === undefined ? {} : { why }), next }
  throw new NeoError('refused', `Cannot decide "${ask.id}": ${is}`, more)
}
