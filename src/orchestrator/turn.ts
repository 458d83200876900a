/**
 * One turn: triggers, context, answers of the model and their actions, until nothing is left to do. Invariant 1: no
 * model is called without a trigger that has not had its turn. Invariant 2: at most MOST_CALLS answers and MOST_ACTIONS
 * actions, over waits and restarts. Invariant 3: a turn that waits or is interrupted stays open, and the next one
 * continues it.
 */

import { type Answered, type Led, leadConversation } from '../agent/runtime/agent-loop.ts'
import { foldLimits, tokensOfText } from '../domain/agent/compact.ts'
import {
  type AssistantMessage,
  type CallPart,
  callsOf,
  type Json,
  type Reply,
  textOfMessage,
} from '../domain/agent/model-message.ts'
import type { Trigger } from '../domain/plan/decision.ts'
import {
  type Failures,
  isByPerson,
  WAKES_AN_HOUR,
  wakeAgainAt,
  withFailures,
} from '../domain/plan/plan-neo.ts'
import { redact } from '../domain/secrets/redact.ts'
import type { Model } from '../ports/model-port.ts'
import { toolsOf } from './actions/action-table.ts'
import { FOLD_ALL, fold } from './fold-conversation.ts'
import { imagesFor, messagesFor, type TurnView } from './messages.ts'
import { askNeoModel, BY_PERSON, type TurnEnd, waits } from './orchestrator-model-call.ts'
import { fixedPrompt } from './prompt.ts'
import { type PromptContext, readPromptContext } from './prompt-context.ts'
import { closeInterrupted, MOST_ACTIONS, runActions, type TurnContext } from './run-actions.ts'
import { STOPPED, triggersText } from './trigger-words.ts'

export const MOST_CALLS = 25
type Raw = NonNullable<AssistantMessage['raw']>

interface Turn extends TurnContext {
  readonly model: Model
  readonly seen: PromptContext
  readonly system: readonly string[]
  readonly raws: Map<string, Raw>
  /** Id of the item that carries the context. */
  readonly at: string
  fit: TurnView['fit']
  failures: Failures
}

export async function runTurn(context: TurnContext, triggers: readonly Trigger[]): Promise<TurnEnd> {
  const { store } = context
  if (store.state().open === null) store.rotate()
  // The answer was on disk, and only the end of the turn was not.
  const earlier = store.state().open !== null && isAnswered(context) ? finish(context, '') : null
  const { handled } = store.state()
  const known = new Set(handled.map(({ key }) => key))
  const fresh = [...new Map(triggers.map((one) => [one.key, one])).values()].filter(
    ({ key }) => !known.has(key),
  )
  if (fresh.length === 0) return earlier ?? { kind: 'done', reply: replyTo(context, triggers) }
  const end = await startTurn(context, fresh)
  const reply = [earlier?.reply ?? '', end.reply].filter((text) => text !== '').join('\n\n')
  return { ...end, reply }
}

/** Starts or continues the turn, if the brake and the budget allow it. */
async function startTurn(context: TurnContext, fresh: readonly Trigger[]): Promise<TurnEnd> {
  const { store, options, room } = context
  const { open, wakes } = store.state()
  const isOwn = !fresh.some(isByPerson)
  const again = open === null && isOwn ? wakeAgainAt(wakes, options.clock.now()) : null
  if (again !== null) return { ...waits(BRAKED, again), brake: 'yes' }
  const budget = options.budget(room)
  if (!budget.ok) return waits(budget.why, budget.retryAt)
  const seen = await readPromptContext(context, fresh.map(({ text }) => text).join(' '))
  const model = openModel(context, seen)
  if ('wrong' in model) return { ...waits(model.wrong, null), giveUp: 'yes' }
  await begin(context, fresh, isOwn ? 'own' : 'person')
  return runOpenTurn(context, model, seen)
}

const BRAKED = `Neo was started ${WAKES_AN_HOUR} times within an hour by its own work`

/** What was answered to the last of these. */
function replyTo({ store }: TurnContext, triggers: readonly Trigger[]): string {
  const keys = new Set(triggers.map(({ key }) => key))
  return store.state().handled.findLast(({ key }) => keys.has(key))?.reply ?? ''
}

function openModel({ options }: TurnContext, { model }: PromptContext): Model | { readonly wrong: string } {
  const config = options.config()
  const ref = model === '' ? config.model : model
  if (ref === 'rules') return { wrong: 'no model is configured' }
  return options.models.open(ref, config.providers)
}

/** Adds the triggers to the turn; calls that an interrupted turn left open are closed first. */
async function begin(context: TurnContext, fresh: readonly Trigger[], wake: 'own' | 'person'): Promise<void> {
  const { store } = context
  await closeInterrupted(context)
  const { open } = store.state()
  const added = fresh.filter(({ key }) => open?.keys.includes(key) !== true)
  const isResumed = open !== null && open.modelCalls > 0
  if (open !== null && added.length === 0 && !isResumed) return
  const keys = added.map(({ key }) => key)
  const turn =
    open?.id ?? `n${context.options.clock.now().toString(36)}-${(store.state().last ?? '').slice(0, 6)}`
  store.put('user', {
    turn,
    keys,
    text: triggersText(added, isResumed),
    ...imagesField(added),
    ...(open === null && wake === 'own' ? { wake } : {}),
  })
}

function imagesField(triggers: readonly Trigger[]): { readonly images?: Json } {
  const images = triggers.flatMap((one) => (one.images ?? []).map(({ type, path }) => ({ type, path })))
  return images.length === 0 ? {} : { images }
}

/** True if the open turn ends in an answer without calls. */
function isAnswered({ store }: TurnContext): boolean {
  const { items, open } = store.state()
  const last = items.at(-1)
  return last?.turn === open?.id && last?.message.role === 'assistant' && callsOf(last.message).length === 0
}

async function runOpenTurn(context: TurnContext, model: Model, seen: PromptContext): Promise<TurnEnd> {
  const system = fixedPrompt(context, seen.instruction)
  const at = context.store.state().items.at(-1)?.id ?? ''
  const turn: Turn = {
    ...context,
    model,
    seen,
    system,
    at,
    raws: new Map(),
    fit: 'whole',
    failures: new Map(),
  }
  return leadConversation(ledBy(turn))
}

function ledBy(turn: Turn): Led<TurnEnd> {
  const { store } = turn
  return {
    messages: () => store.state().items.map(({ message }) => message),
    prefix: () => (store.state().last ?? '').slice(0, 8),
    limit: () =>
      (store.state().open?.modelCalls ?? 0) >= MOST_CALLS
        ? finish(turn, STOPPED.modelCalls(MOST_CALLS))
        : null,
    shorten: (why) => shorten(turn, why),
    ask: () => ask(turn),
    keep: (message, reply) => keep(turn, message, reply),
    run: (calls) => withActions(turn, calls),
    quiet: async (_, { stop }) => finish(turn, stop === 'length' ? STOPPED.length : ''),
    full: () => finish(turn, STOPPED.overflow),
  }
}

/** After an overflow all is folded, and long texts are cut; that can be done once. */
async function shorten(turn: Turn, why: 'due' | 'overflow'): Promise<boolean> {
  const { options, store, model, seen, system } = turn
  if (why === 'overflow') {
    if (turn.fit === 'tight') return false
    await fold(options, store, { asking: null, limits: FOLD_ALL })
    turn.raws.clear()
    turn.fit = 'tight'
    return true
  }
  const standing = [...system, JSON.stringify(toolsOf(turn)), seen.text].join('\n')
  const limits = foldLimits(model.window, tokensOfText(standing))
  const folded = await fold(options, store, { asking: turn, limits })
  if (folded === 'folded') turn.raws.clear()
  return folded === 'folded'
}

async function ask(turn: Turn): Promise<Answered<TurnEnd>> {
  const { options, store, model, seen, system } = turn
  const images = imagesFor(options, store.state(), model)
  const view = { at: turn.at, context: seen.text, raws: turn.raws, fit: turn.fit, images }
  const answer = await askNeoModel(
    options,
    { ...turn, purpose: 'reply' },
    { system, tools: toolsOf(turn), messages: messagesFor(store.state(), view) },
  )
  if (answer.kind !== 'none') return answer
  if (answer.end === 'stopped' && turn.signal.reason === BY_PERSON)
    return { kind: 'none', end: finish(turn, STOPPED.byPerson) }
  store.save()
  return { kind: 'none', end: answer.end === 'stopped' ? waits('stopped', options.clock.now()) : answer.end }
}

/** What a model refuses to answer is not kept. */
function keep(
  { store, raws, model, ...turn }: Turn,
  message: AssistantMessage,
  reply: Reply,
): TurnEnd | null {
  const id = store.state().open?.id ?? ''
  if (reply.stop === 'refusal') {
    store.put('error', { turn: id, kind: 'refusal', text: reply.note })
    return finish({ store, ...turn }, STOPPED.refusal(reply.note))
  }
  const { parts, raw } = withoutBlanks(message)
  const before = store.state().items.length
  const state = store.put('assistant', {
    turn: id,
    model: model.ref,
    stop: reply.stop,
    parts: parts as unknown as Json,
    ...rawField(raw),
  })
  const item = state.items.length > before ? state.items.at(-1) : undefined
  if (raw !== undefined && item !== undefined) raws.set(item.id, raw)
  return null
}

/** Servers refuse a text without letters when it is sent back. */
function withoutBlanks(message: AssistantMessage): AssistantMessage {
  return {
    ...message,
    parts: message.parts.filter((part) => part.kind === 'call' || part.text.trim() !== ''),
  }
}

function rawField(raw: Raw | undefined): { readonly raw?: Json } {
  return raw === undefined ? {} : { raw: { api: raw.api, model: raw.model, content: raw.content } }
}

async function withActions(turn: Turn, calls: readonly CallPart[]): Promise<TurnEnd | null> {
  const before = turn.store.state().open?.actions ?? 0
  const failed = await runActions(turn, calls)
  const { counts, stuck } = withFailures(turn.failures, failed)
  turn.failures = counts
  if (stuck !== null && !turn.signal.aborted) return finish(turn, STOPPED.stuck(stuck.name, stuck.reason))
  return before >= MOST_ACTIONS ? finish(turn, STOPPED.actions(MOST_ACTIONS)) : null
}

/** Ends the turn with the model's last words and, if it was stopped, the reason. */
function finish({ store }: TurnContext, why: string): TurnEnd {
  const { open, items } = store.state()
  const said = items.flatMap(({ turn, message }) =>
    turn === open?.id && message.role === 'assistant' ? [textOfMessage(message).trim()] : [],
  )
  const words = said.findLast((text) => text !== '') ?? ''
  const reply = [words, why].filter((text) => text !== '').join('\n\n')
  const turn = open?.id ?? ''
  store.put('end', { of: 'turn', turn, keys: open?.keys ?? [], reply, why })
  store.save()
  return { kind: 'done', reply: redact(reply), ...(open?.asked === 'yes' ? { asked: 'yes' } : {}) }
}
