/**
 * Conversations as channels hold them: what happens after an answer, and what the hub asks for. Invariant 1: a failure is
 * reported with the name of the scope alone, and costs no answer.
 */

import { relative } from 'node:path'
import type { ScopeAt } from '../domain/policy/scope-types.ts'
import type { Context } from '../engine/context.ts'
import { moveTranscript } from '../engine/effects/wake-orchestrator.ts'
import { isOfScope, type OfScope, type ScopeControl } from '../engine/people/scope-board.ts'
import { scopeAt, scopeStore } from '../engine/people/scope-store.ts'
import { distillScope, isScopeDue, scopeMarkOf } from '../memory/distill/scope-distilling.ts'
import { scopeChanged } from '../memory/search/scope-recall.ts'
import type { Queue } from '../store/durable-queue.ts'
import { type Held, placeOf } from './channel-message.ts'
import type { Sending } from './delivery/outbound.ts'

/** A group that talks in the room's own conversation, through its inbox. */
export function isInRoom(context: Context, scope: string): boolean {
  return scopeAt(scopeStore(context), scope).type === 'room'
}

/** Answers since the last look, by scope: a look reads the transcript. */
const answers = new WeakMap<Context['look'], Map<string, number>>()

/** True at the first answer after a start, then now and then. */
function isTime({ look }: Context, name: string): boolean {
  const counts = answers.get(look) ?? new Map<string, number>()
  answers.set(look, counts)
  const count = (counts.get(name) ?? LOOK_EVERY - 1) + 1
  counts.set(name, count % LOOK_EVERY)
  return count % LOOK_EVERY === 0
}

/** What is said and what is answered are two. */
const LOOK_EVERY = 5

/** After each answer: writes facts and notes if they are due, and moves closed transcripts of shared scopes into git. */
export async function afterAnswer(context: Context, name: string, how: 'answered' | 'closed'): Promise<void> {
  const scope = scopeAt(scopeStore(context), name)
  try {
    if (
      (how === 'closed' || isTime(context, name) || scopeMarkOf(context, scope).failures > 0) &&
      isScopeDue(context, scope)
    ) {
      if (scope.keeps === 'private') await distillScope(context, scope)
      else await context.exclusive(() => distillScope(context, scope))
    }
    scopeChanged(context, scope)
    if (scope.keeps === 'shared') await moveClosed(context, scope)
  } catch {
    // Its mark says why; the words of an error may quote what was said.
    context.emit({ kind: 'trouble', text: `${name}: could not write facts and notes; retrying` })
  }
}

async function moveClosed(context: Context, scope: ScopeAt): Promise<void> {
  const closed = context.turns.orchestrator()?.scopes?.closed(scope) ?? []
  const folder = relative(context.home, scope.folder)
  for (const file of closed)
    await context.exclusive(() =>
      moveTranscript(context, { ...file, room: scope.name }, `${folder}/transcripts/${file.name}`),
    )
}

/** What waits in the queue of messages to Neo. */
interface Waiting {
  hold(scope: string): Promise<() => void>
  forget(of: OfScope): number
  waiting(scope?: string): number
}

export function scopeControl(
  context: Context,
  { receiving, sending, held }: { receiving: Waiting; sending: Sending; held: Queue<Held> },
): ScopeControl {
  const mind = () => context.turns.orchestrator()?.scopes
  return {
    async renew(name) {
      await mind()?.renew(scopeAt(scopeStore(context), name))
      await afterAnswer(context, name, 'closed')
    },
    async hold(name) {
      const release = await receiving.hold(name)
      await mind()?.drop(name)
      return { release }
    },
    forget: (of) => receiving.forget(of) + sending.forget(of) + held.forget((item) => isOfScope(item, of)),
    send(scope, { key, path, name }) {
      const place = placeOf(scope.key)
      if (place !== null) sending.put({ key, ...place, content: '', file: { path, name } })
    },
    sending: (scope) => sending.waiting(scope),
    waiting: (name) => receiving.waiting(name),
  }
}
