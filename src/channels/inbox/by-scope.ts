/**
 * Handles messages in a scope's own conversation: what people say in chats. Nothing passes through a file in git.
 * Invariant 1: which messages are answered together is noted before their turn, so that a kill changes nothing. Invariant 2:
 * events, notices and commits hold nothing that was said, and no reason that may quote it.
 */

import { forgetAsked } from '../../domain/memory/distill-forget.ts'
import type { Trigger } from '../../domain/plan/decision.ts'
import { targetOf } from '../../domain/policy/known-people.ts'
import type { ScopeAt, ScopeSpeaker } from '../../domain/policy/scope-types.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import type { Context } from '../../engine/context.ts'
import { membersIn } from '../../engine/people/member-files.ts'
import { isLetThrough, NOT_IN, NOT_OUT } from '../../engine/people/run-guards.ts'
import { scopeAt, scopeStore } from '../../engine/people/scope-store.ts'
import { forgetInScope } from '../../memory/distill/forgetting.ts'
import { distillScope } from '../../memory/distill/scope-distilling.ts'
import { memorySetting } from '../../memory/memory-settings.ts'
import type { Queue } from '../../store/durable-queue.ts'
import { type Inbound, joined, togetherWith } from '../channel-message.ts'
import { bodyOf, CLOSED, keysIn, type MessageHandler, picturesOf } from './by-inbox.ts'

export interface ByScopeOptions {
  readonly context: Context
  readonly queue: Queue<Inbound>
  /** Why a room can't answer now; `null` if it can. */
  readonly blockedReason: (room: string) => string | null
}

/** How soon it is looked again whether a room hears; a person who waits sees no more of it than that. */
const HINDERED_MS = 3_000
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 5 * 60_000

export function byScope(options: ByScopeOptions): MessageHandler {
  /** Waits in a row, by scope. */
  const waits = new Map<string, number>()
  const restOf = (scope: string, until: number | undefined): number => {
    const before = waits.get(scope) ?? 0
    waits.set(scope, before + 1)
    const now = options.context.world.clock.now()
    const grown = grownWait({ first: FIRST_WAIT_MS, most: LONGEST_WAIT_MS }, before + 1)
    return Math.min(LONGEST_WAIT_MS, Math.max(1_000, until === undefined ? grown : until - now))
  }
  return async (message, signal) => {
    const { context, blockedReason } = options
    const why = blockedReason(message.room)
    if (why !== null) return { kind: 'rests', ms: HINDERED_MS, why }
    const scope = scopeAt(scopeStore(context), message.scope)
    const { first, keys } = gathered(options, message)
    const guarded = { scope, room: first.room, speaker: first.speaker, signal }
    if (!(await isLetThrough(context, { ...guarded, side: 'in', text: bodyOf(first) })))
      return signal.aborted ? CLOSED : { kind: 'over', text: NOT_IN, with: keys }
    const forgot = await forgetSaid(context, scope, first)
    if (forgot !== null) return { kind: 'over', text: forgot, with: keys }
    const mind = context.turns.orchestrator()?.scopes
    if (mind === undefined) return { kind: 'rests', ms: HINDERED_MS, why: 'Neo is not running' }
    const turned = await mind.talk(turnOf(context, scope, first), signal)
    if (signal.aborted && turned.kind === 'waits') return CLOSED
    if (turned.kind === 'waits')
      return {
        kind: 'rests',
        ms: restOf(scope.name, turned.retryAt),
        why: turned.why ?? "Neo can't answer now",
      }
    waits.delete(scope.name)
    const text = turned.reply
    const isShown = await isLetThrough(context, { ...guarded, side: 'out', text })
    if (signal.aborted) return CLOSED
    return { kind: 'over', text: isShown ? withMasked(first, text) : NOT_OUT, with: keys }
  }
}

/** What its speaker asked to be forgotten, answered without a model; null if the message is about something else. */
async function forgetSaid(
  context: Context,
  scope: ScopeAt,
  { content: text, speaker }: Inbound,
): Promise<string | null> {
  if (forgetAsked(text) === null) return null
  const forget = async () => {
    if (memorySetting(context.look.config(), 'distill') !== 'off') await distillScope(context, scope)
    return forgetInScope(context, scope, { text, speaker })
  }
  const forgot = scope.keeps === 'private' ? await forget() : await context.exclusive(forget)
  return forgot.kind === 'none' ? null : forgot.reply
}

function turnOf(context: Context, scope: ScopeAt, message: Inbound) {
  const { room, speaker, key, target, content } = message
  // The channel's own target first; else whom the speaker names.
  const named = target === speaker ? (targetOf(content, membersIn(context)) ?? speaker) : target
  const about = named === speaker ? '' : `[about ${named}] `
  const trigger: Trigger = {
    ...{ key: `say:${key}`, room, kind: 'message', from: speaker },
    text: `${about}${bodyOf(message)}`,
    ...picturesOf(context.dir, message),
  }
  return { scope, room, speaker: speaker as ScopeSpeaker, messages: [trigger] }
}

/** The message with those that are answered with it. */
function gathered(
  { queue }: ByScopeOptions,
  message: Inbound,
): { readonly first: Inbound; readonly keys: readonly string[] } {
  const noted = keysIn(queue.get(message.key)?.note)
  const together =
    noted?.flatMap((key) => queue.get(key)?.item ?? []) ?? togetherWith(message, queue.waiting())
  const keys = noted ?? together.map(({ key }) => key)
  if (noted === null) queue.note(message.key, { with: keys })
  return { first: joined([message, ...together]), keys }
}

function withMasked({ metadata }: Inbound, text: string): string {
  const { masked } = metadata
  return masked === undefined ? text : `${text}\n\n(Masked and not stored: ${masked}.)`.trim()
}
