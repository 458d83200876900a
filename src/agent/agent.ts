/**
 * The agent loop: the model answers, its calls run, their results go back, until it calls finish_task. Invariants: 1.
 * what happened is in the transcript before anything follows from it, so a killed session continues where it was; 2. a
 * session that ends without finish_task is not done; 3. the same failing call ends it at the third time; 4. no more
 * model calls than the brief allows.
 */

import { tokensOfMessages } from '../domain/agent/compact.ts'
import {
  type AssistantMessage,
  type CallPart,
  callsOf,
  type Json,
  type Reply,
  textOfMessage,
} from '../domain/agent/model-message.ts'
import { maskJson } from '../domain/secrets/redact.ts'
import type { AgentBrief } from '../domain/session/session.ts'
import type { Model } from '../ports/model-port.ts'
import { type AgentDeps, abortedEnd } from '../runner/deps.ts'
import type { Run } from '../runner/run-step.ts'
import { runCalls, stuckOn, type Toolbox } from './calls.ts'
import { mailOf, openMailbox } from './mailbox.ts'
import { type Answered, type Led, leadConversation } from './runtime/agent-loop.ts'
import { interruptedEnd } from './services.ts'
import { capped, fitted, roomFor, summaryOf } from './shorten-conversation.ts'
import { openToolbox } from './toolbox.ts'
import { specOf } from './tools/tool.ts'
import {
  type AgentLog,
  type Conversation,
  closeCalls,
  emptyConversation,
  fold,
  keptOf,
  modelSaid,
  openCalls,
  openLog,
  replay,
  summaryIn,
  userSaid,
} from './worker-conversation.ts'
import { type AgentEnd, askWorkerModel } from './worker-model-call.ts'

export interface Agent {
  readonly run: Run
  readonly brief: AgentBrief
  readonly deps: AgentDeps
  readonly model: Model
  readonly log: AgentLog
  readonly conversation: Conversation
  readonly toolbox: Toolbox
  /** How often each failing call came. */
  readonly failing: Map<string, number>
  /** Answers in a row that called nothing. */
  idle: number
  /** The model itself said that its window is full. */
  full: boolean
  /** Tokens for messages; less after the model said that its window is full and nothing could be folded. */
  room: number
}

/** Reminders to call finish_task before a worker that calls nothing has failed. */
const NUDGES = 2
const LEAST_KEPT = 6

export async function openAgent(run: Run, brief: AgentBrief): Promise<Agent | { readonly wrong: string }> {
  const { agent: deps } = run.deps
  if (deps === undefined) return { wrong: 'this build cannot run agents' }
  const model = deps.models.open(brief.model, deps.providers())
  if ('wrong' in model) return model
  const conversation = emptyConversation()
  const log = openLog(run.record, run.deps, (entry) => replay(conversation, entry))
  const toolbox = await openToolbox(run, { deps, brief, told: conversation.told })
  return {
    run,
    brief,
    deps,
    model,
    log,
    conversation,
    toolbox,
    failing: new Map(),
    idle: 0,
    full: false,
    room: roomFor(model.window, brief.system, [...toolbox.tools.values()].map(specOf)),
  }
}

/** @param feedback what the checks said about what was called finished; null in the first round */
export async function runAgent(
  agent: Agent,
  feedback: { key: string; text: string } | null,
): Promise<AgentEnd> {
  const { conversation } = agent
  try {
    if (conversation.messages.length === 0) tell(agent, 'u-0', { text: agent.brief.prompt })
    if (feedback !== null && !agent.log.has(feedback.key)) tell(agent, feedback.key, feedback)
    return (await resume(agent)) ?? (await leadConversation(ledBy(agent)))
  } catch (error) {
    return interruptedEnd(error, agent.run.deps.signal)
  }
}

/** What the worker said when it finished. */
export function finishedOf({ conversation }: Agent): { readonly result: string; readonly report: string } {
  return conversation.finished ?? { result: '', report: '' }
}

/** What an earlier process left open: calls without results, or an answer that was not acted on. */
async function resume(agent: Agent): Promise<AgentEnd | null> {
  const { conversation, run } = agent
  if (run.deps.signal.aborted) return abortedEnd(run.deps.signal)
  const last = conversation.messages.at(-1)
  if (last?.role !== 'assistant') return null
  return callsOf(last).length > 0 ? withCalls(agent, openCalls(conversation)) : quiet(agent, last)
}

function ledBy(agent: Agent): Led<AgentEnd> {
  const { conversation, run, brief } = agent
  return {
    messages: () => conversation.messages,
    prefix: () => String(conversation.turn + 1),
    limit() {
      if (run.deps.signal.aborted) return abortedEnd(run.deps.signal)
      if (brief.turns !== null && conversation.turn >= brief.turns)
        return failed(`the session used all ${brief.turns} turns without finishing`)
      return run.deps.world.clock.now() >= run.deadline ? failed('timed out') : null
    },
    shorten: (why) => shorten(agent, why),
    ask: () => ask(agent),
    keep: (message, reply) => keep(agent, message, reply),
    run: (calls) => withCalls(agent, calls),
    quiet: (message) => quiet(agent, message),
    full: () => failed('the conversation does not fit the context window of the model'),
  }
}

async function withCalls(agent: Agent, calls: readonly CallPart[]): Promise<AgentEnd | null> {
  const { conversation, run, log, toolbox } = agent
  await runCalls({ run, log, conversation, toolbox }, calls)
  if (run.deps.signal.aborted) return abortedEnd(run.deps.signal)
  const end = repeated(agent, calls)
  if (end !== null) return end
  if (conversation.finished !== null) return { kind: 'passed' }
  agent.idle = 0
  closeCalls(conversation)
  passMessages(agent)
  return null
}

/** An answer without calls: messages continue the work, then the ends of subagents, then a reminder. */
async function quiet(agent: Agent, answer: AssistantMessage): Promise<AgentEnd | null> {
  const { signal } = agent.run.deps
  do {
    if (signal.aborted) return abortedEnd(signal)
    if (passMessages(agent)) return null
  } while (await waited(agent))
  agent.idle++
  if (agent.idle > NUDGES)
    return failed(`the worker stopped without calling finish_task: ${textOfMessage(answer).trim()}`)
  tell(agent, `u-${agent.conversation.turn}`, { text: NUDGE })
  return null
}

/** Waits until a subagent has ended; false if the worker waits for none. */
async function waited({ run, deps }: Agent): Promise<boolean> {
  const { world, dirs, signal, on } = run.deps
  const spawned = mailOf(world.files, dirs.session).wants.some(({ kind }) => kind === 'spawn')
  if (!spawned || world.clock.now() >= run.deadline) return false
  on.status?.('waiting_for_input')
  await run.waited.during(() => deps.mail(run.record.id, signal))
  on.status?.('running')
  return true
}

const NUDGE =
  'You called no tool. If the task is done, call finish_task with the result; if you need a person, call ask_human; otherwise continue with the next step.'

/** Messages that came in the meantime become part of the conversation. */
function passMessages(agent: Agent): boolean {
  const { run, conversation } = agent
  const mailbox = openMailbox(run.deps.world.files, run.deps.dirs.session)
  const fresh = mailbox.messages().filter(({ key }) => !conversation.told.has(key))
  if (fresh.length === 0) return false
  const text = fresh.map((one) => `Message from ${one.from}:\n${one.text}`).join('\n\n')
  tell(agent, `m-${conversation.turn}`, { text, told: fresh.map(({ key }) => key) })
  return true
}

function tell(
  { log, conversation }: Agent,
  key: string,
  what: { readonly text: string; readonly told?: readonly string[] },
): void {
  const { text, told = [] } = what
  log.note('user', key, { text, told })
  userSaid(conversation, text, told)
}

/** Folds older messages; `overflow`, or an answer that said so: sends less of large results if that is not possible. */
async function shorten(agent: Agent, why: 'due' | 'overflow'): Promise<boolean> {
  const isFullNow = why === 'overflow' || agent.full
  agent.full = false
  if (!isFullNow && !isFull(agent)) return false
  return (await foldNow(agent)) || (isFullNow && shrink(agent))
}

function ask({ conversation, run, deps, model, brief, toolbox, room }: Agent): Promise<Answered<AgentEnd>> {
  const key = `${run.record.id}:${conversation.turn + 1}`
  const tools = [...toolbox.tools.values()].map(specOf)
  const messages = fitted(conversation.messages, room)
  return askWorkerModel(run, { deps, model }, { system: brief.system, tools, messages, key })
}

function keep(agent: Agent, message: AssistantMessage, { stop, usage, note }: Reply): AgentEnd | null {
  const { log, conversation, model } = agent
  const raw = message.raw as unknown as Json | undefined
  // Raw blocks with a masked secret in them are no longer what the provider signed: the parts are sent instead.
  const whole = raw !== undefined && JSON.stringify(maskJson(raw)) === JSON.stringify(raw)
  log.note('assistant', `a-${conversation.turn + 1}`, {
    parts: message.parts as unknown as Json,
    ...(whole ? { raw } : {}),
    model: model.ref,
    stop,
    ...(note === '' ? {} : { note }),
    usage: { ...usage },
  })
  modelSaid(conversation, message)
  agent.full = stop === 'overflow'
  if (stop !== 'refusal') return null
  return {
    kind: 'failed',
    why: 'model',
    error: `the model refused${note === '' ? '' : `: ${note}`}`,
    tail: '',
  }
}

/** The same call that fails again and again. */
function repeated({ conversation, failing, toolbox }: Agent, calls: readonly CallPart[]): AgentEnd | null {
  const ended = calls.flatMap((call) => {
    const result = conversation.results.get(call.id)
    return result === undefined ? [] : [{ call, result, effect: toolbox.tools.get(call.name)?.effect }]
  })
  const stuck = stuckOn(failing, ended)
  return stuck === null ? null : failed(stuck)
}

function isFull({ conversation, room }: Agent): boolean {
  return tokensOfMessages(capped(conversation.messages, room)) > room
}

/** Sends less of large results from now on; false if there is nothing to cut. */
function shrink(agent: Agent): boolean {
  const sent = tokensOfMessages(fitted(agent.conversation.messages, agent.room))
  agent.room = Math.floor(Math.min(sent, agent.room) / 2)
  return tokensOfMessages(fitted(agent.conversation.messages, agent.room)) < sent
}

/** Folds older messages into a summary; false if nothing can be folded. */
async function foldNow(agent: Agent): Promise<boolean> {
  const { conversation, log, run, deps, model } = agent
  closeCalls(conversation)
  const kept = keptOf(conversation.messages, LEAST_KEPT)
  if (kept === 0) return false
  const key = `${run.record.id}:${conversation.turn}:fold`
  const what = {
    messages: conversation.messages.slice(0, -kept),
    previous: summaryIn(conversation),
    room: agent.room,
    key,
  }
  const summary = await summaryOf(run, { deps, model }, what)
  log.put('compaction', `fold-${conversation.turn}-${conversation.messages.length}`, { summary, kept })
  fold(conversation, summary, kept)
  return true
}

function failed(error: string): AgentEnd {
  return { kind: 'failed', why: 'agent', error, tail: '' }
}
