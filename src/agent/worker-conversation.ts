/**
 * The conversation of an agent session and its lines in the transcript, from which it is rebuilt. Invariants: 1. a call
 * and its result are never apart: results are gathered behind the answer that made the calls; 2. what was folded into a
 * summary is not loaded again; 3. one line a key: what has a key there was done, and is not done again; 4. a line
 * outlives the program when it is written, and a power cut when it or a later one was `put`: once a step, before a tool
 * runs, is enough; 5. what looks like a secret is masked before it is written, also inside values.
 */
import { createHash } from 'node:crypto'
import {
  type AssistantMessage,
  type CallPart,
  callsOf,
  type JsonObject,
  type Message,
  type ResultPart,
  type TextPart,
} from '../domain/agent/model-message.ts'
import { maskJson } from '../domain/secrets/redact.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { type TranscriptEntry, type TranscriptType, transcriptLine } from '../files/body/read-transcript.ts'
import type { SessionDeps } from '../runner/deps.ts'
import { eachEntry, transcriptPath } from '../runner/live-transcript.ts'

export interface Conversation {
  readonly messages: Message[]
  /** Answers of the model so far. */
  turn: number
  /** Results of the last answer's calls that are known, by call id. */
  readonly results: Map<string, ResultPart>
  /** Calls of the last answer that had begun. */
  readonly begun: Set<string>
  /** What the worker said when it finished; null before that. */
  finished: { readonly result: string; readonly report: string } | null
  /** Keys of messages that the model has been told. */
  readonly told: Set<string>
}

export function emptyConversation(): Conversation {
  return {
    messages: [],
    turn: 0,
    results: new Map(),
    begun: new Set(),
    finished: null,
    told: new Set(),
  }
}

/** What one entry of the transcript adds to the conversation. */
export function replay(conversation: Conversation, entry: TranscriptEntry): void {
  switch (entry.type) {
    case 'user':
      userSaid(conversation, String(entry['text']), (entry['told'] ?? []) as readonly string[])
      return
    case 'assistant':
      modelSaid(conversation, {
        role: 'assistant',
        parts: entry['parts'] as AssistantMessage['parts'],
        ...(entry['raw'] === undefined ? {} : { raw: entry['raw'] as NonNullable<AssistantMessage['raw']> }),
      })
      return
    case 'tool_call':
      conversation.begun.add(String(entry['call']))
      return
    case 'tool_result':
      resultCame(
        conversation,
        resultFrom(entry['result'] as unknown as StoredResult),
        entry['finished'] as Finished | undefined,
      )
      return
    case 'compaction':
      // As live: what was kept was counted with the results behind their answer.
      closeCalls(conversation)
      fold(conversation, String(entry['summary']), Number(entry['kept']))
      return
    default:
      return
  }
}

/** A result as transcripts have it. */
type StoredResult = Omit<ResultPart, 'isError'> & { readonly isError: 'yes' | 'no' }

export function storedResult(part: ResultPart): JsonObject {
  return { ...part, isError: part.isError ? 'yes' : 'no' } satisfies StoredResult
}

function resultFrom(stored: StoredResult): ResultPart {
  return { ...stored, isError: stored.isError === 'yes' }
}

type Finished = { readonly result: string; readonly report: string }

/** Text for the model: behind the results of the last answer, or a message of its own. */
export function userSaid(conversation: Conversation, text: string, told: readonly string[] = []): void {
  for (const key of told) conversation.told.add(key)
  closeCalls(conversation)
  conversation.finished = null
  const part: TextPart = { kind: 'text', text }
  const last = conversation.messages.at(-1)
  if (last?.role === 'user') {
    conversation.messages[conversation.messages.length - 1] = { role: 'user', parts: [...last.parts, part] }
    return
  }
  conversation.messages.push({ role: 'user', parts: [part] })
}

export function modelSaid(conversation: Conversation, message: AssistantMessage): void {
  closeCalls(conversation)
  conversation.messages.push(message)
  conversation.turn++
}

export function resultCame(conversation: Conversation, result: ResultPart, finished?: Finished): void {
  conversation.results.set(result.call, result)
  if (finished !== undefined) conversation.finished = finished
}

/** The calls of the last answer that have no result yet. */
export function openCalls(conversation: Conversation): readonly CallPart[] {
  const last = conversation.messages.at(-1)
  if (last?.role !== 'assistant') return []
  return callsOf(last).filter(({ id }) => !conversation.results.has(id))
}

/** Puts the results of the last answer into a message behind it, in the order of its calls. */
export function closeCalls(conversation: Conversation): void {
  const last = conversation.messages.at(-1)
  if (last?.role === 'assistant' && callsOf(last).length > 0) {
    const parts = callsOf(last).map((call) => conversation.results.get(call.id) ?? lostResult(call))
    conversation.messages.push({ role: 'user', parts })
  }
  conversation.results.clear()
  conversation.begun.clear()
}

/** For a call that a later entry overtook: it can only have been cut off. */
function lostResult({ id, name }: CallPart): ResultPart {
  return {
    kind: 'result',
    call: id,
    name,
    text: 'interrupted: it may or may not have been done',
    isError: true,
  }
}

const SUMMARY = 'Summary of the work so far:\n\n'

/** The summary in the first message of a folded conversation; '' before the first fold. */
export function summaryIn({ messages }: Pick<Conversation, 'messages'>): string {
  const part = messages[0]?.parts.slice(1).find(isSummary)
  return part?.kind === 'text' ? part.text.slice(SUMMARY.length) : ''
}

function isSummary(part: Message['parts'][number]): boolean {
  return part.kind === 'text' && part.text.startsWith(SUMMARY)
}

/**
 * Replaces all but the first message and the last `kept` by a summary, an earlier summary too: the new one covers it. What stays loses the provider's raw blocks:
 * thinking is bound to what stood before it.
 */
export function fold(conversation: Conversation, summary: string, kept: number): void {
  const [first, ...rest] = conversation.messages
  if (first === undefined) return
  const stay = kept === 0 ? [] : rest.slice(-kept)
  const part: TextPart = { kind: 'text', text: `${SUMMARY}${summary}` }
  const said = first.role === 'user' ? first.parts.filter((one, at) => at === 0 || !isSummary(one)) : []
  const head: Message = { role: 'user', parts: [...said, part] }
  conversation.messages.splice(0, conversation.messages.length, head, ...stay.map(withoutRaw))
}

function withoutRaw(message: Message): Message {
  return message.role === 'user' ? message : { role: 'assistant', parts: message.parts }
}

/**
 * How many of the last messages stay whole: at least `least`, beginning with an answer of the model, so that no call is
 * parted from its result and roles alternate. 0 if there is nothing to fold.
 */
export function keptOf(messages: readonly Message[], least: number): number {
  for (let from = messages.length - least; from > 2; from--)
    if (messages[from]?.role === 'assistant') return messages.length - from
  return 0
}

export interface AgentLog {
  has(key: string): boolean
  /** On the disk when it returns, with all that was noted before it. */
  put(type: TranscriptType, key: string, fields: JsonObject): void
  /** The same without waiting for the disk: a kill of the program loses nothing, a power cut what came after the last `put`. */
  note(type: TranscriptType, key: string, fields: JsonObject): void
}

/** @param take is given the entries from before this process, in order, one by one */
export function openLog(
  record: SessionRecord,
  deps: Pick<SessionDeps, 'world' | 'dirs'>,
  take: (entry: TranscriptEntry) => void = () => {},
): AgentLog {
  const { files, clock } = deps.world
  const path = transcriptPath(record, deps)
  const keys = new Set<string>()
  let parent: string | null = null
  eachEntry(files, path, (entry) => {
    if (typeof entry['key'] !== 'string' || keys.has(entry['key'])) return
    keys.add(entry['key'])
    parent = entry.id
    take(entry)
  })
  const write = (
    sync: 'now' | 'later',
    { type, key, fields }: { type: TranscriptType; key: string; fields: JsonObject },
  ) => {
    if (keys.has(key)) return
    keys.add(key)
    const id = entryId(record.id, key)
    const ts = new Date(clock.now()).toISOString()
    const place = { session: record.id, room: record.room, task: record.taskId }
    const base = { v: 1, id, parent, ts, ...place, type, key }
    parent = id
    files.append(path, transcriptLine({ ...base, ...(maskJson(fields) as JsonObject) }), sync)
  }
  return {
    has: (key) => keys.has(key),
    put: (type, key, fields) => write('now', { type, key, fields }),
    note: (type, key, fields) => write('later', { type, key, fields }),
  }
}

function entryId(session: string, key: string): string {
  return createHash('sha256').update(`${session}\n${key}`).digest('hex').slice(0, 26)
}
