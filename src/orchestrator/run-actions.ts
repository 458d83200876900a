/**
 * Runs the calls of one reply, in order. Invariant 1: a call is on disk before it is made. Invariant 2: every call gets
 * one result, a malformed one too. Invariant 3: only calls of the model's own reply come here; nothing is ever read out
 * of data.
 */
import type { CallPart, JsonObject } from '../domain/agent/model-message.ts'
import { cutTo, harmless } from '../domain/agent/neo-data.ts'
import type { Failure } from '../domain/plan/plan-neo.ts'
import { LOBBY } from '../domain/policy/policy.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import type { ScopeTurn } from '../engine/agents/orchestrator.ts'
import { HUB_CODES, HubError } from '../hub/hub.ts'
import { type ActionContext, type CreatedTask, readArguments, type Step } from './actions/action.ts'
import { actionsOf } from './actions/action-table.ts'
import { findCreated } from './actions/tasks.ts'
import type { Store } from './conversation-store.ts'
import type { NeoOptions } from './options.ts'
import type { Conversation } from './orchestrator-conversation.ts'
import { INTERRUPTED, NOT_BEGUN } from './trigger-words.ts'

export const MOST_ACTIONS = 40
/** Of one result, in the model's view. */
const RESULT_LETTERS = 8_000

export interface TurnContext {
  readonly options: NeoOptions
  readonly store: Store
  readonly room: string
  /** For the hub: in a scope, with the permissions of the speaker. */
  readonly principal: Principal
  /** The turn of a scope; null for the room's own conversation. */
  readonly scope: ScopeTurn | null
  readonly signal: AbortSignal
}

interface ActionResult {
  readonly text: string
  readonly isError: boolean
}

/** Makes the calls; those after an abort are answered as not begun. Returns the failures. */
export async function runActions(
  context: TurnContext,
  calls: readonly CallPart[],
): Promise<readonly Failure[]> {
  const failures: Failure[] = []
  for (const call of calls) {
    const result = context.signal.aborted ? failed(NOT_BEGUN) : await answered(context, call)
    putResult(context, call, result)
    if (context.scope === null) context.options.onAction?.(context.room)
    if (result.isError) failures.push({ name: call.name, input: call.input, reason: result.text })
  }
  return failures
}

/** Results for the calls of an interrupted turn: looked up if possible, else unknown. They are never made again. */
export async function closeInterrupted(context: TurnContext): Promise<void> {
  const { open, items } = context.store.state()
  const ofTurn = items.filter(({ turn }) => turn === open?.id)
  const last = ofTurn.at(-1)?.message
  const answers = last?.role === 'user' ? last.parts : []
  const asked = ofTurn.findLast(({ message }) => message.role === 'assistant')?.message
  for (const part of asked?.parts ?? []) {
    if (part.kind !== 'call' || open === null) continue
    if (answers.some((answer) => answer.kind === 'result' && answer.call === part.id)) continue
    const since = open.begun[part.id]
    putResult(context, part, since === undefined ? failed(NOT_BEGUN) : await lookUp(context, part, since))
  }
}

async function lookUp(context: TurnContext, { name, input }: CallPart, since: string): Promise<ActionResult> {
  if (name !== 'create_task') return failed(INTERRUPTED)
  try {
    const id = await findCreated(input, Date.parse(since), contextOf(context))
    return id === null
      ? failed(INTERRUPTED)
      : { text: `Created ${id}, before an interruption`, isError: false }
  } catch (error) {
    if (error instanceof HubError) return failed(INTERRUPTED)
    throw error
  }
}

function putResult({ store }: TurnContext, { id, name }: CallPart, { text, isError }: ActionResult): void {
  const turn = store.state().open?.id ?? ''
  const shown = cutTo(text, RESULT_LETTERS)
  store.put('action', { turn, phase: 'result', call: id, name, text: shown, is_error: isError })
}

async function answered(context: TurnContext, call: CallPart): Promise<ActionResult> {
  const actions = actionsOf(context)
  const action = actions.find(({ name }) => name === call.name)
  if (call.flaw !== undefined) return failed(`Not done: the call is malformed: ${call.flaw}`)
  if (action === undefined)
    return failed(
      `Unknown action ${call.name}; the actions are ${actions.map(({ name }) => name).join(', ')}`,
    )
  const read = readArguments(action, call.input)
  if ('wrong' in read) return failed(`Not done: ${read.wrong}`)
  if ((context.store.state().open?.actions ?? 0) >= MOST_ACTIONS)
    return failed(
      `Not done: a turn can have at most ${MOST_ACTIONS} actions. End the turn with a short answer`,
    )
  return withRefusals(async () => done(context, call, await action.step(read.args, contextOf(context))))
}

function contextOf({ options, store, room, principal, scope }: TurnContext): ActionContext {
  const see = (method: string, params: JsonObject) => options.hub.call(principal, method, params)
  const contexts = (options.config().agent?.contexts ?? [])
    .filter((one) => room === LOBBY || one.room === room)
    .map(({ type, identifier }) => ({ type, identifier }))
  return { room, scope: scope?.scope.name ?? null, created: createdIn(store.state()), contexts, see }
}

async function done(context: TurnContext, call: CallPart, step: Step): Promise<ActionResult> {
  if (step.kind === 'answer') return step
  const { options, store, room, principal } = context
  const turn = store.state().open?.id ?? ''
  store.put('action', { turn, phase: 'call', call: call.id, name: call.name, input: call.input })
  if (step.kind === 'say') {
    await options.say(room, step.what, step.text)
    return { text: step.tell, isError: false }
  }
  const result = await options.hub.call(principal, step.method, step.params)
  return { text: step.tell(result), isError: false }
}

/** What the hub refuses comes back to the model as a result, with the reason. */
async function withRefusals(run: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return failed(
      error instanceof HubError ? refusalText(error) : `Failed, and may be partly done: ${error.message}`,
    )
  }
}

/** The hub's message, with details that it does not repeat. */
function refusalText({ code, message, data }: HubError): string {
  if (code === HUB_CODES.internal) return `Failed, and may be partly done: ${message}`
  const more = (data ?? {}) as {
    readonly ask?: unknown
    readonly reason?: unknown
    readonly issues?: unknown
  }
  const issues = Array.isArray(more.issues) ? more.issues.map(issueText) : []
  const said = [more.reason, ...issues].filter((text) => typeof text === 'string' && !message.includes(text))
  const asked =
    typeof more.ask === 'string'
      ? `. A person has to decide first (${more.ask}); do not retry before that`
      : ''
  return `Not done: ${[message, ...said].join('; ')}${asked}`
}

function issueText(issue: unknown): string {
  const { path, message } = (issue ?? {}) as { readonly path?: unknown; readonly message?: unknown }
  const where = Array.isArray(path) ? path.join('.') : String(path ?? '')
  return `${where === '' ? '' : `${where}: `}${String(message ?? '')}`
}

/** What is quoted in it may be of anybody. */
function failed(text: string): ActionResult {
  return { text: harmless(text), isError: true }
}

/** The tasks that the open turn has made, by its own transcript, so that a restart knows them. */
function createdIn({ items, open }: Conversation): readonly CreatedTask[] {
  const parts = items.flatMap(({ turn, message }) => (turn === open?.id ? [...message.parts] : []))
  return parts.flatMap((part): readonly CreatedTask[] => {
    if (part.kind !== 'call' || part.name !== 'create_task') return []
    const result = parts.find((one) => one.kind === 'result' && one.call === part.id)
    const id =
      result?.kind === 'result' && !result.isError
        ? /^(?:Created|Made) ([^\s,]+)/.exec(result.text)?.[1]
        : undefined
    if (id === undefined) return []
    return [
      {
        id,
        title: plain(part.input['title']),
        description: plain(part.input['description'] ?? part.input['body']),
      },
    ]
  })
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
