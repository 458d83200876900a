/**
 * The messages for a model: summary, conversation, and the context in the message that the turn began with; with
 * the newest images that people sent. Invariant 1: every call is answered right after it, whatever a transcript lacks. Invariant 2: raw content goes back
 * only within the turn and the process that received it, with nothing before it changed. Invariant 3: only images
 * with the path of a saved one are read, and one that is not sent is described in words.
 */
import { join } from 'node:path'
import { wholePairs } from '../domain/agent/compact.ts'
import type {
  AssistantMessage,
  ImagePart,
  Message,
  TextPart,
  UserMessage,
} from '../domain/agent/model-message.ts'
import { cutTo, harmless } from '../domain/agent/neo-data.ts'
import type { Model } from '../ports/model-port.ts'
import type { NeoOptions } from './options.ts'
import type { Conversation, Item } from './orchestrator-conversation.ts'
import { INTERRUPTED } from './trigger-words.ts'

export interface TurnView {
  /** Id of the item that carries the context. */
  readonly at: string
  readonly context: string
  readonly raws: ReadonlyMap<string, NonNullable<AssistantMessage['raw']>>
  /** `tight`: long texts are cut, after the window overflowed. */
  readonly fit: 'whole' | 'tight'
  /** Base 64 of those that are to be seen, by path. */
  readonly images: ReadonlyMap<string, string>
}

const TIGHT_LETTERS = 1_500

export function messagesFor(state: Conversation, view: TurnView): readonly Message[] {
  const messages = state.items.map((item) => messageOf(item, view))
  const whole = wholePairs(messages, INTERRUPTED)
  return state.summary === '' ? whole : withSummary(whole, state.summary)
}

function messageOf({ id, message }: Item, view: TurnView): Message {
  if (message.role === 'assistant') {
    const raw = view.raws.get(id)
    return raw === undefined ? message : { ...message, raw }
  }
  const shown = withImages(view.fit === 'tight' ? tightened(message) : message, view)
  return id === view.at ? withFirstText(shown, view.context) : shown
}

function tightened({ role, parts }: UserMessage): UserMessage {
  const tight = parts.map((part) =>
    part.kind === 'image' ? part : { ...part, text: cutTo(part.text, TIGHT_LETTERS) },
  )
  return { role, parts: tight }
}

function withImages({ role, parts }: UserMessage, { images }: TurnView): UserMessage {
  const shown = parts.map((part) => {
    const data = part.kind === 'image' ? images.get(part.path) : undefined
    return data === undefined ? part : { ...part, data }
  })
  return { role, parts: shown }
}

/** A text before the others; results come before all texts. */
function withFirstText({ role, parts }: UserMessage, text: string): UserMessage {
  const results = parts.filter((part) => part.kind === 'result')
  const others = parts.filter((part) => part.kind !== 'result')
  return { role, parts: [...results, { kind: 'text', text }, ...others] }
}

function withSummary(messages: readonly Message[], summary: string): readonly Message[] {
  const part: TextPart = { kind: 'text', text: `<summary>\n${harmless(summary)}\n</summary>` }
  const [first, ...rest] = messages
  if (first?.role !== 'user') return [{ role: 'user', parts: [part] }, ...messages]
  return [withFirstText(first, part.text), ...rest]
}

/** Each costs as much as a page of text, with every call. */
const MOST_SHOWN = 6
/** Servers take 5 MB of base 64. */
const MOST_BYTES = 3_700_000
const KEPT = /^(?:scopes\/[a-z0-9-]+|chat\/[^/.][^/]*)\/media\/[a-z0-9]+\.(?:png|jpg|gif|webp)$/

export function imagesFor(
  { files, dir }: Pick<NeoOptions, 'files' | 'dir'>,
  { items }: Pick<Conversation, 'items'>,
  { sees }: Pick<Model, 'sees'>,
): ReadonlyMap<string, string> {
  if (sees !== true) return new Map()
  const sent = items.flatMap(({ message }) =>
    message.role === 'user' ? message.parts.filter((part): part is ImagePart => part.kind === 'image') : [],
  )
  const shown = sent.slice(-MOST_SHOWN).filter(({ path }) => KEPT.test(path))
  return new Map(
    shown.flatMap(({ path }) => {
      const read = files.read(join(dir, path), MOST_BYTES)
      return read.kind === 'file' ? [[path, read.bytes.toString('base64')] as const] : []
    }),
  )
}
