/**
 * A conversation made fit for any server: turns that alternate, no empty message, every call answered in the turn after
 * it. Also ids, names and texts that no server refuses. Why here: one message that a server refuses would be sent again
 * with every later call, and the session could never continue. Invariant 1: the same messages give the same turns, so that
 * prefixes stay the same.
 */
import { createHash, randomBytes } from 'node:crypto'
import type {
  AssistantMessage,
  CallPart,
  ImagePart,
  Message,
  ResultPart,
  TextPart,
  UserMessage,
} from '../../domain/agent/model-message.ts'
import { callsOf, imageText } from '../../domain/agent/model-message.ts'

export interface UserTurn {
  readonly role: 'user'
  readonly results: readonly ResultPart[]
  readonly texts: readonly TextPart[]
  /** Those that are to be seen. */
  readonly images: readonly Seen[]
}

export type Seen = ImagePart & { readonly data: string }

export interface AssistantTurn {
  readonly role: 'assistant'
  /** More than one if a reply paused and continued. */
  readonly messages: readonly AssistantMessage[]
}

export type Turn = UserTurn | AssistantTurn

const UNANSWERED = 'There is no result: the call was interrupted'

/** `own`: whose raw content says something even if there is neither text nor call beside it. */
export function turnsOf(messages: readonly Message[], own?: Owner): readonly Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'assistant') {
      if (!message.parts.some(says) && !belongs(message, own)) continue
      if (last?.role === 'assistant')
        turns[turns.length - 1] = { ...last, messages: [...last.messages, message] }
      else turns.push({ role: 'assistant', messages: [message] })
    } else {
      const turn = userTurn(message.parts)
      if (isEmpty(turn)) continue
      if (last?.role === 'user') turns[turns.length - 1] = joined(last, turn)
      else turns.push(turn)
    }
  }
  return answered(turns)
}

export interface Owner {
  readonly api: string
  readonly ref: string
}

/** Whether a message's raw content came from this very model. */
export function belongs(message: AssistantMessage, own: Owner | undefined): boolean {
  return own !== undefined && message.raw?.api === own.api && message.raw.model === own.ref
}

function says(part: TextPart | CallPart): boolean {
  return part.kind === 'call' || part.text.trim() !== ''
}

function userTurn(parts: UserMessage['parts']): UserTurn {
  return {
    role: 'user',
    results: parts.filter((part): part is ResultPart => part.kind === 'result'),
    texts: parts.flatMap((part): TextPart[] => {
      if (part.kind === 'image' && part.data === undefined) return [{ kind: 'text', text: imageText(part) }]
      return part.kind === 'text' && part.text.trim() !== '' ? [part] : []
    }),
    images: parts.filter((part): part is Seen => part.kind === 'image' && part.data !== undefined),
  }
}

function isEmpty({ results, texts, images }: UserTurn): boolean {
  return results.length + texts.length + images.length === 0
}

function joined(a: UserTurn, b: UserTurn): UserTurn {
  return {
    role: 'user',
    results: [...a.results, ...b.results],
    texts: [...a.texts, ...b.texts],
    images: [...a.images, ...b.images],
  }
}

/** Calls without a result get one; a result without its call becomes text. */
function answered(turns: readonly Turn[]): readonly Turn[] {
  const out: Turn[] = []
  let open: readonly CallPart[] = []
  for (const turn of turns) {
    if (turn.role === 'user') {
      out.push(answering(turn, open))
      open = []
    } else {
      out.push(turn)
      open = turn.messages.flatMap(callsOf)
    }
  }
  return open.length === 0
    ? out
    : [...out, answering({ role: 'user', results: [], texts: [], images: [] }, open)]
}

function answering(turn: UserTurn, calls: readonly CallPart[]): UserTurn {
  const results = calls.map(({ id, name }): ResultPart => {
    const given = turn.results.find(({ call }) => call === id)
    return given ?? { kind: 'result', call: id, name, text: UNANSWERED, isError: true }
  })
  const stray = turn.results.filter(({ call }) => !calls.some(({ id }) => id === call))
  const texts = stray.map(
    ({ name, text }): TextPart => ({ kind: 'text', text: `Result of ${name}: ${text}` }),
  )
  return { role: 'user', results, texts: [...texts, ...turn.texts], images: turn.images }
}

/** An id that servers take: the given one where its signs and length allow it, else always the same one made of it. */
export function wireId(id: string, most: number): string {
  if (/^[\w-]+$/.test(id) && id.length <= most) return id
  return `id_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`
}

/** A name of a tool that servers take, also if a model made it up. */
export function wireName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed'
}

/** Half of a surrogate pair, as a cut leaves it, is refused by servers. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD')
}

/** Ids for calls, unique in a conversation: the server's own if it is, else one of Neo. */
export function callIds(messages: readonly Message[]): (told: string) => string {
  const taken = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message).map(({ id }) => id) : [])),
  )
  return (told) => {
    const id = told === '' || taken.has(told) ? `call_${randomBytes(8).toString('hex')}` : told
    taken.add(id)
    return id
  }
}
