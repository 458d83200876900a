/**
 * A room's conversation as people read it: what was said, what Neo did with a link to each thing, and why it stopped.
 * Made of the entries of transcripts. Pure.
 */
import { splitSent, type SentFile } from '../../domain/text/sent-files.ts'
import type { TranscriptEntry } from '../../files/body/read-transcript.ts'

export interface ChatLink {
  readonly kind: 'task' | 'session' | 'memory' | 'request' | 'schedule' | 'room'
  readonly id: string
}

export interface ChatDid {
  readonly action: string
  /** What it is about, in the words of the call: a title, a question, a query. */
  readonly about: string
  /** Null while it runs. */
  readonly result: string | null
  readonly failed: boolean
  readonly link: ChatLink | null
}

export interface ChatItem {
  readonly id: string
  readonly at: string
  readonly kind: 'message' | 'event' | 'answer' | 'note' | 'new'
  /** Who said it; '' for Neo's own. */
  readonly from: string
  readonly text: string
  readonly files: readonly SentFile[]
  readonly did: readonly ChatDid[]
}

/** Oldest first. */
export function chatItems(entries: readonly TranscriptEntry[]): readonly ChatItem[] {
  const items: ChatItem[] = []
  for (const entry of entries) add(items, entry)
  return items
}

function add(items: ChatItem[], entry: TranscriptEntry): void {
  const base = { id: entry.id, at: entry.ts, from: '', text: '', files: [], did: [] }
  if (entry.type === 'user') items.push(...saidIn(entry))
  else if (entry.type === 'assistant') {
    const text = textOf(entry)
    if (text !== '') items.push({ ...base, kind: 'answer', text })
  } else if (entry.type === 'action') addAction(items, entry)
  else if (entry.type === 'end' && entry['of'] === 'conversation')
    items.push({ ...base, kind: 'new', text: 'A new conversation begins.' })
  else if (entry.type === 'end' && entry['of'] === 'turn' && stringIn(entry, 'why') !== '')
    items.push({ ...base, kind: 'note', text: stringIn(entry, 'why') })
}

const MARK = /<(message|data)((?: \w+="[^"\n]*")*)>\n([\s\S]*?)\n<\/\1>/g

/** Messages and events that began a turn, as trigger-words.ts writes them. */
function saidIn(entry: TranscriptEntry): readonly ChatItem[] {
  const whole = stringIn(entry, 'text')
  let end = 0
  return [...whole.matchAll(MARK)].map(({ 0: mark, 1: kind, 2: about = '', 3: body = '', index }, at) => {
    const headline = whole.slice(end, index).trim()
    end = index + mark.length
    const from = /from="([^"]*)"/.exec(about)?.[1] ?? ''
    const isMessage = kind === 'message' || headline === ''
    const { text, files } = isMessage ? splitSent(body) : { text: body, files: [] }
    const base = { id: `${entry.id}-${at}`, at: entry.ts, from, text, files, did: [] }
    return { ...base, kind: isMessage ? 'message' : 'event' }
  })
}

function textOf(entry: TranscriptEntry): string {
  const parts: unknown = entry['parts']
  if (!Array.isArray(parts)) return ''
  const texts = parts.map((part: unknown) => {
    const { kind, text } = (part ?? {}) as { readonly kind?: unknown; readonly text?: unknown }
    return kind === 'text' && typeof text === 'string' ? text.trim() : ''
  })
  return texts.filter((text) => text !== '').join('\n\n')
}

/** An action belongs to the answer that asked for it; without words it is one of its own. */
function addAction(items: ChatItem[], entry: TranscriptEntry): void {
  const call = stringIn(entry, 'call')
  const last = items.at(-1)
  const answer: ChatItem =
    last?.kind === 'answer'
      ? last
      : { id: entry.id, at: entry.ts, kind: 'answer', from: '', text: '', files: [], did: [] }
  if (answer !== last) items.push(answer)
  const did = entry['phase'] === 'call' ? [...answer.did, begun(entry, call)] : ended(answer.did, entry, call)
  items[items.length - 1] = { ...answer, did }
}

type Begun = ChatDid & { readonly call: string; readonly input: Readonly<Record<string, unknown>> }

function begun(entry: TranscriptEntry, call: string): Begun {
  const given = entry['input']
  const input = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const action = stringIn(entry, 'name')
  return { action, about: aboutOf(input), result: null, failed: false, link: null, call, input }
}

function ended(did: readonly ChatDid[], entry: TranscriptEntry, call: string): readonly ChatDid[] {
  const at = did.findIndex((one) => (one as Begun).call === call)
  const before = (at < 0 ? begun(entry, call) : did[at]) as Begun
  const result = stringIn(entry, 'text')
  const failed = entry['is_error'] === true
  const done = { ...before, result, failed, link: linkOf(before, result, failed) }
  return at < 0 ? [...did, done] : did.with(at, done)
}

const ABOUT = ['title', 'name', 'question', 'message', 'query', 'content', 'path']

function aboutOf(input: Readonly<Record<string, unknown>>): string {
  const found = ABOUT.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '')
  const [line = ''] = String(found ?? '').split('\n')
  return line.slice(0, 200)
}

/** A refusal leads to its request; all else to what was made or changed. */
function linkOf({ action, input }: Begun, result: string, failed: boolean): ChatLink | null {
  const request = /\(request (a-[a-z0-9]+)\)|\((a-[a-z0-9]+)\); do not retry/.exec(result)
  if (request !== null) return { kind: 'request', id: request[1] ?? request[2] ?? '' }
  if (failed) return null
  const made = /^(?:Created|Opened|Saved|Scheduled|Started|Finished)(?: (?:room|session))? ([^\s,]+)/.exec(
    result,
  )?.[1]
  const given = (key: string) => (typeof input[key] === 'string' ? String(input[key]) : '')
  const link = (kind: ChatLink['kind'], id: string | undefined) =>
    id === undefined || id === '' ? null : { kind, id }
  switch (action) {
    case 'create_task':
    case 'assign_task':
    case 'complete_task':
      return link('task', made ?? given('task_id'))
    case 'create_session':
      return link('session', made)
    case 'send_message':
      return given('session_id') === ''
        ? link('room', given('room_id'))
        : link('session', given('session_id'))
    case 'add_memory':
      return link('memory', made?.startsWith('m-') === true ? made : undefined)
    case 'schedule':
      return link('schedule', made)
    case 'create_room':
      return link('room', made)
    default:
      return null
  }
}

function stringIn(entry: TranscriptEntry, key: string): string {
  const value = entry[key]
  return typeof value === 'string' ? value : ''
}
