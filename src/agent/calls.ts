/**
 * The calls of one answer: each is checked, allowed or refused, and written down before it runs and after it has ended.
 * Invariants: 1. a call, and everything that led to it, is on disk before its tool runs; 2. after a restart reading
 * calls are repeated, commands are picked up by their claim, and others are reported to the model as interrupted; 3.
 * what a model sends is checked before it reaches a tool; 4. of the same failing call, failures of one answer count
 * once, because the model has not seen the first when it writes the second, and a successful change or command resets
 * the count: checks that fail again after a change are work, not a loop.
 */
import { join } from 'node:path'
import type { CallPart, Json, JsonObject, ResultPart } from '../domain/agent/model-message.ts'
import { maskKnown } from '../domain/secrets/known-secrets.ts'
import { redact } from '../domain/secrets/redact.ts'
import { callWords } from '../files/body/read-transcript.ts'
import type { Run } from '../runner/run-step.ts'
import { idName } from './runtime/agent-loop.ts'
import { readArguments, type Tool, type ToolContext, type ToolResult } from './tools/tool.ts'
import { type AgentLog, type Conversation, resultCame, storedResult } from './worker-conversation.ts'

export interface Toolbox {
  readonly tools: ReadonlyMap<string, Tool>
  /** The context of one call. */
  context(call: string): ToolContext
  /** Null: let it run. Else the reason why not, for the model. */
  gate(tool: Tool, args: JsonObject, call: string): Promise<string | null>
}

interface Calls {
  readonly run: Run
  readonly log: AgentLog
  readonly conversation: Conversation
  readonly toolbox: Toolbox
}

/** Runs what is open in its order; reading calls that follow each other run beside each other. */
export async function runCalls(calls: Calls, open: readonly CallPart[]): Promise<void> {
  for (const group of grouped(calls, open)) {
    if (calls.run.deps.signal.aborted) return
    // All come to their end before a stop is passed on: none writes into a session that is over.
    const ended = await Promise.allSettled(group.map((call, at) => unlessFinished(calls, call, at)))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
}

function grouped({ toolbox }: Calls, open: readonly CallPart[]): readonly (readonly CallPart[])[] {
  const reads = ({ name }: CallPart) => toolbox.tools.get(name)?.effect === 'reads'
  const groups: CallPart[][] = []
  for (const call of open) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && reads(last[0]) && reads(call)) last.push(call)
    else groups.push([call])
  }
  return groups
}

/** After finish_task nothing more is done: the session is over. */
async function unlessFinished(calls: Calls, call: CallPart, at: number): Promise<void> {
  if (calls.conversation.finished === null) await one(calls, call, at)
  else answer(calls, call, refused('the task was finished before this call'))
}

/** @param at its place in the group: with the first, the answer that made the calls is on the disk */
async function one(calls: Calls, call: CallPart, at: number): Promise<void> {
  const { log, conversation } = calls
  const id = keyOf(calls, call)
  const begun = conversation.begun.has(call.id)
  const line = { call: call.id, tool: call.name, input: call.input }
  if (at === 0) log.put('tool_call', `call-${id}`, line)
  else log.note('tool_call', `call-${id}`, line)
  conversation.begun.add(call.id)
  answer(calls, call, await resultOf(calls, { call, id, begun }))
}

function keyOf({ conversation }: Calls, call: CallPart): string {
  return `${conversation.turn}-${idName(call.id)}`
}

async function resultOf(
  { toolbox, run }: Calls,
  of: { readonly call: CallPart; readonly id: string; readonly begun: boolean },
): Promise<ToolResult> {
  const { call, id, begun } = of
  if (call.flaw !== undefined) return refused(call.flaw)
  const tool = toolbox.tools.get(call.name)
  if (tool === undefined)
    return refused(`unknown tool ${call.name}; the tools are ${[...toolbox.tools.keys()].join(', ')}`)
  if (begun && tool.effect === 'changes') return refused(INTERRUPTED)
  const read = readArguments(tool, call.input)
  if ('wrong' in read) return refused(read.wrong)
  const no = await toolbox.gate(tool, read.args, id)
  if (no !== null) return refused(no)
  run.deps.on.line?.(callWords(tool.name, call.input))
  return await tool.run(read.args, toolbox.context(id))
}

const INTERRUPTED =
  'interrupted: the program stopped while this ran; check whether it took effect before you do it again'

function refused(text: string): ToolResult {
  return { text, isError: true }
}

function answer(calls: Calls, call: CallPart, result: ToolResult): void {
  const { log, conversation, run } = calls
  const id = keyOf(calls, call)
  const part: ResultPart = {
    kind: 'result',
    call: call.id,
    name: call.name,
    text: maskKnown(result.text),
    isError: result.isError,
  }
  const { finished } = result
  const end = finished === undefined ? undefined : { result: finished.result, report: finished.details ?? '' }
  if (result.whole !== undefined)
    run.deps.world.files.save(
      join(run.deps.dirs.session, 'results', `${id}.txt`),
      Buffer.from(redact(result.whole)),
      null,
    )
  const line = { call: call.id, result: storedResult(part) }
  // What a result leads to is another answer, and that is on the disk before it is acted on.
  if (end === undefined) log.note('tool_result', `result-${id}`, line)
  else log.put('tool_result', `result-${id}`, { ...line, finished: end })
  resultCame(conversation, part, end)
}

interface Ended {
  readonly call: CallPart
  readonly result: ResultPart
  /** What the tool does; undefined for an unknown tool. */
  readonly effect: Tool['effect'] | undefined
}

const SAME_FAILURES = 3

/** Counts the failures of one answer; describes the one that has come too often, or null. */
export function stuckOn(failing: Map<string, number>, answer: readonly Ended[]): string | null {
  const keys = new Map<string, Ended>()
  for (const one of answer)
    for (const key of keysOf(one)) {
      if (one.result.isError) keys.set(key, one)
      else failing.delete(key)
    }
  if (answer.some(isProgress)) failing.clear()
  for (const [key, { call, result }] of keys) {
    const times = (failing.get(key) ?? 0) + 1
    failing.set(key, times)
    if (times >= SAME_FAILURES) return `the same call of ${call.name} failed ${times} times: ${result.text}`
  }
  return null
}

function isProgress({ result, effect }: Ended): boolean {
  return !result.isError && (effect === 'changes' || effect === 'runs')
}

/** The same call but for white space and comments; any call of a tool that is not there; the same words of a refusal. */
function keysOf({ call, result, effect }: Ended): readonly string[] {
  if (effect === undefined) return ['unknown tool']
  const same = `call ${call.name} ${plain(call.input)}`
  return effect === 'runs' || !result.isError ? [same] : [same, `reason ${call.name} ${result.text}`]
}

/** The same text for the same arguments, in whatever order their names are. */
function plain(value: Json): string {
  if (typeof value === 'string')
    return JSON.stringify(
      value
        .replaceAll(/(^|\s)#.*$/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${plain(one)}`).join(',')}}`
}
