/**
 * Neo's conversations, one for each scope: a room's own conversation is a scope of type `room`. Invariants: 1. in a
 * conversation one thing happens at a time; conversations run beside each other; 2. idle ones are dropped from memory if
 * there are many: their files hold everything, but a room's state of the present is only here.
 */
import { join } from 'node:path'
import type { Trigger } from '../domain/plan/decision.ts'
import type { ClosedFile, ScopeTurn } from '../engine/agents/orchestrator.ts'
import { closedTranscripts, openStore, type Store, type StoreOptions } from './conversation-store.ts'
import type { NeoOptions } from './options.ts'
import type { Present } from './orchestrator-conversation.ts'
import { BY_PERSON, type TurnEnd } from './orchestrator-model-call.ts'
import type { TurnContext } from './run-actions.ts'
import { runTurn } from './turn.ts'

export type ConversationScope =
  | { readonly type: 'room'; readonly name: string }
  | ({ readonly type: 'scope' } & ScopeTurn['scope'])

/** A conversation in memory. */
export interface LiveConversation {
  readonly scope: ConversationScope
  readonly store: Store
  /** The newest work in the queue. */
  last: Promise<unknown>
  /** How much work is queued or under way. */
  busy: number
  /** Ends the turn under way; null if there is none. */
  stop: (() => void) | null
  present: Present
  /** Turns in a row that gave up. */
  gaveUp: number
}

export const IDLE: Present = { status: 'idle', task: null, session: null }
/** Scopes that are held in memory, beside those under way. */
const MOST_OPEN = 64

export interface Conversations {
  of(scope: ConversationScope): LiveConversation
  /** Null if it is not in memory. */
  held(type: ConversationScope['type'], name: string): LiveConversation | null
  /** Transcripts that are complete: of all rooms, or of one scope. */
  closed(of: ConversationScope | 'rooms'): readonly ClosedFile[]
  /** Forgets what is in memory, after the work that is queued. */
  drop(name: string): Promise<void>
}

export function openConversations(options: NeoOptions): Conversations {
  const live = { room: new Map<string, LiveConversation>(), scope: new Map<string, LiveConversation>() }
  const of = (scope: ConversationScope): LiveConversation => {
    const all = live[scope.type]
    const one = all.get(scope.name) ?? opened(options, scope)
    // The newest last: the oldest idle ones go first.
    all.delete(scope.name)
    all.set(scope.name, one)
    if (scope.type === 'scope')
      for (const [name, { busy }] of all) if (all.size > MOST_OPEN && busy === 0) all.delete(name)
    return one
  }
  return {
    of,
    held: (type, name) => live[type].get(name) ?? null,
    closed(which) {
      const scopeOf = (name: string) =>
        which === 'rooms' || which.type === 'room' ? ({ type: 'room', name } as const) : which
      return closedTranscripts(placesOf(options, scopeOf('')), (name) => of(scopeOf(name)))
    },
    async drop(name) {
      await live.scope.get(name)?.last
      live.scope.delete(name)
    },
  }
}

function opened(options: NeoOptions, scope: ConversationScope): LiveConversation {
  const store = openStore(placesOf(options, scope), scope.name)
  return { scope, store, last: Promise.resolve(), busy: 0, stop: null, present: IDLE, gaveUp: 0 }
}

function placesOf({ files, clock, dir, home, config }: NeoOptions, scope: ConversationScope): StoreOptions {
  const common = { files, clock, home, timezone: () => config().timezone }
  if (scope.type === 'room') return { ...common, dir }
  const moved = join(scope.folder, scope.keeps === 'shared' ? 'transcripts' : 'moved')
  return { ...common, dir: scope.state, moved }
}

/** After all that was queued before. */
export function inOrder<T>(conversation: LiveConversation, run: () => Promise<T>): Promise<T> {
  conversation.busy += 1
  const next = conversation.last.then(run).finally(() => {
    conversation.busy -= 1
  })
  conversation.last = next.catch(() => {})
  return next
}

/** One turn, which `stopTurn` ends. */
export async function takeTurn(
  conversation: LiveConversation,
  context: TurnContext,
  triggers: readonly Trigger[],
): Promise<TurnEnd> {
  const stopping = new AbortController()
  conversation.stop = () => stopping.abort(BY_PERSON)
  try {
    const signal = AbortSignal.any([context.signal, stopping.signal])
    return await runTurn({ ...context, signal }, triggers)
  } finally {
    conversation.stop = null
  }
}

export function stopTurn(conversation: LiveConversation | null): 'stopped' | 'idle' {
  const stop = conversation?.stop ?? null
  stop?.()
  return stop === null ? 'idle' : 'stopped'
}

/** Begins a new conversation in the same place; an empty one stays as it is. */
export async function renew({ store }: LiveConversation): Promise<void> {
  const { items, open, summary } = store.state()
  if (items.length > 0 || open !== null || summary !== '')
    store.put('end', { of: 'conversation', why: 'new' })
  store.save()
}
