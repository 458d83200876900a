/**
 * Neo: takes a turn in a conversation when it is woken. It knows the hub by its interface alone. Invariant 1: nothing of
 * a conversation with people is reported but by the reply.
 */
import { NeoError } from '../domain/home/error.ts'
import type { Trigger } from '../domain/plan/decision.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import { grownWait } from '../domain/text/grown-wait.ts'
import type { ScopeOrchestrator, ScopeTurn, TurnResult, TurnTaker } from '../engine/agents/orchestrator.ts'
import type { NeoControl } from '../hub/hub.ts'
import type { Store } from './conversation-store.ts'
import {
  type Conversations,
  IDLE,
  inOrder,
  type LiveConversation,
  openConversations,
  renew,
  stopTurn,
  takeTurn,
} from './conversations.ts'
import { FOLD_ALL, fold } from './fold-conversation.ts'
import type { NeoOptions, NeoStatus } from './options.ts'
import { viewConversation } from './orchestrator-conversation.ts'
import type { Asking, TurnEnd } from './orchestrator-model-call.ts'
import type { TurnContext } from './run-actions.ts'
import { speakersIn } from './speaker-rights.ts'

export interface Neo extends TurnTaker, NeoControl {
  readonly scopes: ScopeOrchestrator
}

const FIRST_PAUSE_MS = 5 * 60_000
const LONGEST_PAUSE_MS = 6 * 3_600_000

/** Reads and calls nothing before the first turn. */
export function openNeo(options: NeoOptions): Neo {
  const conversations = openConversations(options)
  const roomOf = (room: string) => conversations.of({ type: 'room', name: checkedRoom(room) })
  return {
    scopes: scopesOf(options, conversations),
    turn: (room, triggers, signal) => {
      const conversation = roomOf(room)
      return inOrder(conversation, async () => {
        const context = speaking(options, conversation.store, { room, triggers })
        return roomTurn({ ...context, scope: null, signal }, conversation, triggers)
      })
    },
    say: (room, content, by) => options.keep(checkedRoom(room), content, by),
    context: (room) => viewConversation(roomOf(room).store.state(), roomOf(room).present),
    compact: (room) => inOrder(roomOf(room), () => compact(options, roomOf(room).store, room)),
    clear: (room) => inOrder(roomOf(room), () => renew(roomOf(room))),
    stop: (room) => stopTurn(conversations.held('room', checkedRoom(room))),
    closed: () => conversations.closed('rooms'),
  }
}

/** Conversations with people. Nothing of them is reported but by the reply: no status, no stream, no notice. */
function scopesOf(options: NeoOptions, conversations: Conversations): ScopeOrchestrator {
  const { onText: _, ...rest } = options
  const quiet: NeoOptions = { ...rest, onStatus: () => {}, say: async () => {} }
  const scopeOf = (scope: ScopeTurn['scope']) => conversations.of({ ...scope, type: 'scope' })
  return {
    talk(turn, signal) {
      const { room, speaker, scope } = turn
      const conversation = scopeOf(scope)
      const onBehalfOf = { scope: scope.name, speaker, keeps: scope.keeps }
      return inOrder(conversation, async () => {
        const principal: Principal = { kind: 'neo', room, onBehalfOf }
        const context = { options: quiet, store: conversation.store, room, scope: turn, principal, signal }
        const { giveUp: _, asked: __, ...turned } = await takeTurn(conversation, context, turn.messages)
        return turned
      })
    },
    renew: (scope) => inOrder(scopeOf(scope), () => renew(scopeOf(scope))),
    stop: (name) => stopTurn(conversations.held('scope', name)),
    closed: (scope) => conversations.closed({ ...scope, type: 'scope' }),
    drop: (name) => conversations.drop(name),
  }
}

/** If members speak, it has no more permissions than each of them. */
function speaking(
  options: NeoOptions,
  store: Store,
  { room, triggers }: { readonly room: string; readonly triggers: readonly Trigger[] },
): Pick<TurnContext, 'options' | 'store' | 'room' | 'principal'> {
  const open = store.state().open?.keys ?? []
  const [speaker, ...others] = speakersIn(options, room, { triggers, open })
  const onBehalfOf = { scope: null, speaker: speaker ?? 'human', others, keeps: 'shared' } as const
  const principal: Principal = { kind: 'neo', room, ...(speaker === undefined ? {} : { onBehalfOf }) }
  return { options, store, room, principal }
}

/** Names of rooms become names of files. */
function checkedRoom(room: string): string {
  if (room === '' || room.startsWith('.') || /[/\\\0]/.test(room))
    throw new NeoError('internal', `Cannot open the conversation of "${room}": not a valid room name`)
  return room
}

async function roomTurn(
  context: TurnContext,
  conversation: LiveConversation,
  triggers: readonly Trigger[],
): Promise<TurnResult> {
  if (triggers.length === 0) return { kind: 'done', reply: '' }
  const show = (status: NeoStatus, note?: string) =>
    showStatus(context, conversation, { status, note, triggers })
  show('thinking')
  try {
    const end = await takeTurn(conversation, context, triggers)
    show(end.asked === 'yes' ? 'waiting_for_input' : 'idle', end.why)
    return withPause(context, conversation, end)
  } catch (error) {
    show('idle')
    throw error
  }
}

function showStatus(
  { options, room }: TurnContext,
  conversation: LiveConversation,
  of: {
    readonly status: NeoStatus
    readonly note?: string | undefined
    readonly triggers: readonly Trigger[]
  },
): void {
  const task = of.triggers.findLast((trigger) => trigger.task !== undefined)?.task ?? null
  const session = of.triggers.findLast((trigger) => trigger.session !== undefined)?.session ?? null
  conversation.present =
    of.status === 'thinking' ? { status: of.status, task, session } : { ...IDLE, status: of.status }
  if (of.note === undefined) options.onStatus(room, of.status)
  else options.onStatus(room, of.status, of.note)
}

/** What waits without a time of its own is tried again after pauses that grow. */
function withPause({ options }: TurnContext, conversation: LiveConversation, end: TurnEnd): TurnResult {
  const { giveUp, asked: _asked, ...turned } = end
  conversation.gaveUp =
    giveUp === 'yes' ? conversation.gaveUp + 1 : end.kind === 'done' ? 0 : conversation.gaveUp
  if (turned.kind === 'done' || turned.retryAt !== undefined) return turned
  const pause = grownWait({ first: FIRST_PAUSE_MS, most: LONGEST_PAUSE_MS }, conversation.gaveUp)
  return { ...turned, retryAt: options.clock.now() + pause }
}

/** By the home's model, or by rule without one. */
async function compact(options: NeoOptions, store: Store, room: string): Promise<void> {
  const { model: ref, providers } = options.config()
  const model = ref === 'rules' ? { wrong: 'no model' } : options.models.open(ref, providers)
  const signal = new AbortController().signal
  const asking: Omit<Asking, 'purpose'> | null = 'wrong' in model ? null : { room, model, store, signal }
  await fold(options, store, { asking, limits: FOLD_ALL })
}
