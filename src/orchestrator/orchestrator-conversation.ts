/**
 * The conversation of one room's Neo as it is known now: derived state, made of the entries of its transcripts alone;
 * and as clients see it. Pure. Invariant 1: the same entries give the same state, whenever they are read. Invariant 2: a turn that was begun is
 * open until its end is in the transcript; so a restart finds it. Invariant 3: after a turn's end the last message is
 * the assistant's, so turns do not run into each other.
 */
import { tokensOfMessage, tokensOfText } from '../domain/agent/compact.ts'
import {
  type AssistantMessage,
  type ImagePart,
  imageText,
  type JsonObject,
  type Message,
  type ResultPart,
  type TextPart,
} from '../domain/agent/model-message.ts'
import type { TranscriptEntry } from '../files/body/read-transcript.ts'
import type { ConversationMessage, ConversationView } from '../hub/hub.ts'
import type { NeoStatus } from './options.ts'

export interface Item {
  /** Id of the entry that it began with. */
  readonly id: string
  readonly at: string
  readonly turn: string
  readonly message: Message
}

export interface OpenTurn {
  readonly id: string
  /** Keys of the triggers that it handles. */
  readonly keys: readonly string[]
  readonly modelCalls: number
  readonly actions: number
  /** Calls that were begun, with the time, by id; a result takes them out. */
  readonly begun: Readonly<Record<string, string>>
  readonly asked: 'yes' | 'no'
}

export interface Handled {
  readonly key: string
  readonly reply: string
}

export interface Conversation {
  readonly v: 1
  readonly room: string
  /** Name of the transcript of the last entry, and the entry. */
  readonly file: string | null
  readonly last: string | null
  readonly summary: string
  readonly compactedAt: string | null
  readonly items: readonly Item[]
  readonly open: OpenTurn | null
  /** Triggers that had their turn, newest last. */
  readonly handled: readonly Handled[]
  /** When turns were started by Neo's own work, epoch ms. */
  readonly wakes: readonly number[]
}

/** More than a day of busy rooms: a trigger older than that has been marked by its owner long since. */
const HANDLED_KEPT = 500
const WAKES_KEPT = 20
const REFUSED = '(A message that the model refused to answer was removed.)'

export function emptyConversation(room: string): Conversation {
  const nothing = { file: null, last: null, summary: '', compactedAt: null, items: [], open: null }
  return { v: 1, room, ...nothing, handled: [], wakes: [] }
}

/** The state after one more entry of the transcript `file`. */
export function applied(before: Conversation, entry: TranscriptEntry, file: string): Conversation {
  return { ...changed(before, entry), file, last: entry.id }
}

function changed(state: Conversation, entry: TranscriptEntry): Conversation {
  switch (entry.type) {
    case 'user':
      return withUser(state, entry)
    case 'assistant':
      return withAssistant(state, entry)
    case 'action':
      return entry['phase'] === 'call' ? withBegun(state, entry) : withResult(state, entry)
    case 'compaction':
      return withFold(state, entry)
    case 'error':
      return entry['kind'] === 'refusal' ? withoutRefused(state, entry) : state
    case 'end':
      return withEnd(state, entry)
    default:
      return state
  }
}

function withUser(state: Conversation, entry: TranscriptEntry): Conversation {
  const turn = textIn(entry, 'turn')
  const same = state.open?.id === turn ? state.open : null
  const open: OpenTurn = {
    ...(same ?? { modelCalls: 0, actions: 0, begun: {}, asked: 'no' }),
    id: turn,
    keys: [...new Set([...(same?.keys ?? []), ...textsIn(entry, 'keys')])],
  }
  const wakes =
    entry['wake'] === 'own' ? [...state.wakes, Date.parse(entry.ts)].slice(-WAKES_KEPT) : state.wakes
  const text = textIn(entry, 'text')
  const said: readonly (TextPart | ImagePart)[] = [
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...imagesIn(entry['images']),
  ]
  const items = said.reduce((before, part) => withUserPart(before, entry, part), state.items)
  return { ...state, open, wakes, items }
}

function imagesIn(value: unknown): readonly ImagePart[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown) => {
    const { type, path } = (one ?? {}) as Partial<Record<'type' | 'path', unknown>>
    return typeof type === 'string' && typeof path === 'string'
      ? [{ kind: 'image' as const, type, path }]
      : []
  })
}

/** Results and texts between two answers are one message. */
function withUserPart(
  items: readonly Item[],
  entry: TranscriptEntry,
  part: ResultPart | TextPart | ImagePart,
): readonly Item[] {
  const last = items.at(-1)
  if (last === undefined || last.message.role === 'assistant')
    return [...items, itemOf(entry, { role: 'user', parts: [part] })]
  const parts = [...last.message.parts, part]
  const ordered = [
    ...parts.filter((one) => one.kind === 'result'),
    ...parts.filter((one) => one.kind === 'text'),
    ...parts.filter((one) => one.kind === 'image'),
  ]
  return [...items.slice(0, -1), { ...last, message: { role: 'user', parts: ordered } }]
}

function itemOf(entry: TranscriptEntry, message: Message): Item {
  return { id: entry.id, at: entry.ts, turn: textIn(entry, 'turn'), message }
}

function withAssistant(state: Conversation, entry: TranscriptEntry): Conversation {
  const parts = partsIn(entry['parts'])
  const open = state.open === null ? null : { ...state.open, modelCalls: state.open.modelCalls + 1 }
  const items =
    parts.length === 0 ? state.items : [...state.items, itemOf(entry, { role: 'assistant', parts })]
  return { ...state, open, items }
}

function withBegun(state: Conversation, entry: TranscriptEntry): Conversation {
  if (state.open === null) return state
  const begun = { ...state.open.begun, [textIn(entry, 'call')]: entry.ts }
  const asked = entry['name'] === 'ask_human' ? 'yes' : state.open.asked
  return { ...state, open: { ...state.open, begun, asked, actions: state.open.actions + 1 } }
}

function withResult(state: Conversation, entry: TranscriptEntry): Conversation {
  const call = textIn(entry, 'call')
  const isError = entry['is_error'] === true
  const part = {
    kind: 'result',
    call,
    name: textIn(entry, 'name'),
    text: textIn(entry, 'text'),
    isError,
  } as const
  const items = withUserPart(state.items, entry, part)
  if (state.open === null) return { ...state, items }
  const begun = Object.fromEntries(Object.entries(state.open.begun).filter(([id]) => id !== call))
  return { ...state, items, open: { ...state.open, begun } }
}

function withFold(state: Conversation, entry: TranscriptEntry): Conversation {
  const at = state.items.findIndex(({ id }) => id === entry['kept_from'])
  const items = entry['kept_from'] === null ? [] : at < 0 ? state.items : state.items.slice(at)
  return { ...state, items, summary: textIn(entry, 'summary'), compactedAt: entry.ts }
}

/** What a model refuses is not sent again. */
function withoutRefused(state: Conversation, entry: TranscriptEntry): Conversation {
  const turn = textIn(entry, 'turn')
  const items = state.items.map((item): Item => {
    if (item.turn !== turn || item.message.role !== 'user') return item
    const results = item.message.parts.filter((part) => part.kind === 'result')
    const hasText = results.length < item.message.parts.length
    const parts = hasText ? [...results, { kind: 'text' as const, text: REFUSED }] : results
    return { ...item, message: { role: 'user', parts } }
  })
  return { ...state, items }
}

function withEnd(state: Conversation, entry: TranscriptEntry): Conversation {
  if (entry['of'] === 'conversation')
    return { ...state, items: [], summary: '', compactedAt: null, open: null }
  if (entry['of'] !== 'turn') return state
  const reply = textIn(entry, 'reply')
  const done = textsIn(entry, 'keys').map((key): Handled => ({ key, reply }))
  const text = reply === '' ? '(no reply)' : reply
  const closing = itemOf(entry, { role: 'assistant', parts: [{ kind: 'text', text }] })
  const needsWord = state.items.at(-1)?.message.role === 'user'
  return {
    ...state,
    open: null,
    handled: [...state.handled, ...done].slice(-HANDLED_KEPT),
    items: needsWord ? [...state.items, closing] : state.items,
  }
}

function textIn(entry: TranscriptEntry, key: string): string {
  const value = entry[key]
  return typeof value === 'string' ? value : ''
}

function textsIn(entry: TranscriptEntry, key: string): readonly string[] {
  const value = entry[key]
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}

/** Parts of an assistant's message; others are left out. */
function partsIn(value: unknown): AssistantMessage['parts'] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown): AssistantMessage['parts'] => {
    const part = (one ?? {}) as Readonly<Record<string, unknown>>
    if (part['kind'] === 'text' && typeof part['text'] === 'string')
      return part['text'].trim() === '' ? [] : [{ kind: 'text', text: part['text'] }]
    if (part['kind'] !== 'call' || typeof part['id'] !== 'string' || typeof part['name'] !== 'string')
      return []
    const input = typeof part['input'] === 'object' && part['input'] !== null ? part['input'] : {}
    const flaw = typeof part['flaw'] === 'string' ? { flaw: part['flaw'] } : {}
    return [{ kind: 'call', id: part['id'], name: part['name'], input: input as JsonObject, ...flaw }]
  })
}

export interface Present {
  readonly status: NeoStatus
  readonly task: string | null
  readonly session: string | null
}

export function viewConversation(state: Conversation, present: Present): ConversationView {
  const summary: readonly ConversationMessage[] =
    state.summary === ''
      ? []
      : [
          {
            role: 'system',
            content: state.summary,
            timestamp: state.compactedAt ?? '',
            tokenCount: tokensOfText(state.summary),
          },
        ]
  const messages = state.items.map(
    ({ at, message }): ConversationMessage => ({
      role: message.role,
      content: contentOf(message),
      timestamp: at,
      tokenCount: tokensOfMessage(message),
    }),
  )
  const all = [...summary, ...messages]
  return {
    messages: all,
    totalTokens: all.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
    lastCompactedAt: state.compactedAt,
    status: present.status,
    currentTaskId: present.task,
    currentSessionId: present.session,
  }
}

function contentOf(message: Message): string {
  return message.parts
    .map((part) => {
      if (part.kind === 'text') return part.text
      if (part.kind === 'image') return imageText(part)
      return part.kind === 'call'
        ? `[${part.name} ${JSON.stringify(part.input)}]`
        : `[${part.name}${part.isError ? ' failed' : ''}: ${part.text}]`
    })
    .join('\n')
}
