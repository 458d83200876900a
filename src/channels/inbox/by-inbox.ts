/**
 * Handles messages through a room's inbox: what the home itself says (heartbeat, schedules), and groups that talk in the
 * room's own conversation. The message becomes a file; its archived copy holds the reply. Invariant 1: a guard of the scope
 * or the speaker is asked before the file is written and before the reply is sent. Invariant 2: the file is noted in the
 * queue before it is written, so that a kill changes nothing. Invariant 3: the same message always has the same path and
 * text, so that it is written once. Invariant 4: the images of a message come from the queue, never from the file: a
 * program that can write such a file could name an image of somebody's private chat.
 */

import { join, relative } from 'node:path'
import type { Trigger } from '../../domain/plan/decision.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import type { Context } from '../../engine/context.ts'
import { isLetThrough, NOT_IN, NOT_OUT } from '../../engine/people/run-guards.ts'
import { scopeAt, scopeStore } from '../../engine/people/scope-store.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Queue, Waiting } from '../../store/durable-queue.ts'
import { type Inbound, joined, placeText, togetherWith } from '../channel-message.ts'
import { pause } from '../../engine/bell.ts'

/** How a message was handled, here or in a scope's own conversation. */
export type Outcome =
  /** It has had its turn: `text` is the reply, '' for none; `with`: keys of messages that were answered with it. */
  | { readonly kind: 'over'; readonly text: string; readonly with: readonly string[] }
  /** Not now: retried after `ms`, blocking nobody else; the sender gets `why` once. */
  | { readonly kind: 'rests'; readonly ms: number; readonly why: string | null }

/** Called again with the same message after a kill. Throws where something is wrong with the home. */
export type MessageHandler = (message: Inbound, signal: AbortSignal) => Promise<Outcome>

/** It stays in the queue as it is. */
export const CLOSED: Outcome = { kind: 'rests', ms: 0, why: null }

interface ByInboxOptions {
  readonly context: Context
  readonly queue: Queue<Inbound>
  /** Makes the daemon look at once. */
  readonly wake: () => void
  /** Why a room can't answer now; `null` if it can. */
  readonly blockedReason: (room: string) => string | null
  readonly tell: (message: Inbound, why: string) => void
  readonly signal: AbortSignal
}

const LOOK_MS = 25
const LONGEST_LOOK_MS = 500
/** A message that has been in neither place for so long comes no more. */
export const GONE_MS = 10_000

interface InboxFile {
  readonly path: string
  readonly text: string
  /** Without its header; '' once it has passed the guards. */
  readonly said: string
  /** Keys of the messages that stand in it after the first, in order. */
  readonly with: readonly string[]
}

export function byInbox(options: ByInboxOptions): MessageHandler {
  return async (message, signal) => {
    const guarded = guardedOf(options, message, signal)
    const noted = notedFile(options.queue.get(message.key)?.note)
    const letter = noted ?? newFile(options, message)
    if (noted === null) {
      const isHeard = await isLetThrough(options.context, { ...guarded, side: 'in', text: letter.said })
      if (signal.aborted) return CLOSED
      if (!isHeard) return { kind: 'over', text: NOT_IN, with: letter.with }
      begin(options, message, letter)
    }
    await give(options, letter)
    const answer = await awaited(options, letter)
    if (answer === null) return CLOSED
    const text = answer.kind === 'answered' ? answer.text : ''
    const isShown = await isLetThrough(options.context, { ...guarded, side: 'out', text })
    if (signal.aborted) return CLOSED
    return { kind: 'over', text: isShown ? text : NOT_OUT, with: letter.with }
  }
}

/** What the home says itself passes no guard. */
function guardedOf(
  { context }: ByInboxOptions,
  { channel, scope, room, speaker }: Inbound,
  signal: AbortSignal,
) {
  const at = channel === 'system' ? null : scopeAt(scopeStore(context), scope)
  return { scope: at, room, speaker, signal }
}

function notedFile(note: unknown): InboxFile | null {
  const { path, text } = (note ?? {}) as Partial<InboxFile>
  const others = keysIn(note)
  if (typeof path !== 'string' || typeof text !== 'string' || others === null) return null
  return { path, text, said: '', with: others }
}

/** Keys of the messages that are answered with a noted one; null if it says none. */
export function keysIn(note: unknown): readonly string[] | null {
  const { with: keys } = (note ?? {}) as { readonly with?: unknown }
  return Array.isArray(keys) ? keys.map(String) : null
}

/** What is put before Neo. */
function newFile({ queue }: ByInboxOptions, message: Inbound): InboxFile {
  const together = togetherWith(message, queue.waiting())
  const whole = joined([message, ...together])
  return {
    path: inboxFilePath(message),
    text: inboxFileText(whole),
    said: bodyOf(whole),
    with: together.map(({ key }) => key),
  }
}

/** From here on it is given, whatever is killed. */
function begin({ queue, blockedReason, tell }: ByInboxOptions, message: Inbound, letter: InboxFile): void {
  const { path, text, with: others } = letter
  queue.note(message.key, { path, text, with: others })
  const why = blockedReason(message.room)
  if (why !== null) tell(message, why)
}

/** One new file, between two rounds; after a kill it may exist already. */
async function give({ context, wake }: ByInboxOptions, { path, text }: InboxFile): Promise<void> {
  const { files } = context.world
  await context.exclusive(async () => {
    if (answerAt(files, context.home, { path, text }).kind !== 'gone') return
    files.save(join(context.home, path), Buffer.from(text), null)
    context.look.wrote(path, text)
  })
  wake()
}

/** `null`: closed before the answer. */
async function awaited({ context, signal }: ByInboxOptions, letter: InboxFile): Promise<Answer | null> {
  const { files, clock } = context.world
  let gone = 0
  for (let wait = LOOK_MS; ; wait = Math.min(LONGEST_LOOK_MS, wait * 1.1)) {
    const answer = answerAt(files, context.home, letter)
    if (answer.kind === 'answered') return answer
    gone = answer.kind === 'gone' ? gone + wait : 0
    if (gone > GONE_MS) return answer
    if (signal.aborted) return null
    await pause(clock, wait, { signal })
  }
}

/** Relative to the home. */
function inboxFilePath({ room, key, at, channel }: Inbound): string {
  return `rooms/${room}/inbox/${at.replaceAll(/[^0-9TZ]/g, '')}-${channel}-${shortHash(key)}.md`
}

function inboxFileText(message: Inbound): string {
  const { speaker, at, scope, target, key } = message
  const about = target === speaker ? {} : { about: target }
  const place = message.channel === 'system' ? {} : { channel: placeText(message), scope }
  return renderDocument({ from: speaker, at, ...place, ...about, key }, `${bodyOf(message)}\n`)
}

/** Files are named in words: a model that does not see them knows that they are there. */
export function bodyOf({ content, media }: Inbound): string {
  const named = media.map(({ kind, type, bytes }) => {
    const unseen = kind === 'image' ? '' : "; you can't see it"
    return `[${kind} received: ${type}, ${bytes} bytes${unseen}]`
  })
  return [content.trim(), ...named].filter((text) => text !== '').join('\n\n')
}

type Answer =
  | { readonly kind: 'waits' }
  | { readonly kind: 'answered'; readonly text: string }
  /** In neither place: somebody has taken it away, or it is just on its way to the archive. */
  | { readonly kind: 'gone' }

const HEADING = '\n## Reply\n'

/** The reply to the message at this path of an inbox; `text` is the whole file as it was put there. */
export function answerAt(
  files: Pick<Files, 'read'>,
  home: string,
  { path, text }: { readonly path: string; readonly text: string },
): Answer {
  const at = path.replace('/inbox/', '/inbox/archive/')
  const read = files.read(join(home, at), MAX_BYTES)
  if (read.kind === 'file') return { kind: 'answered', text: replyIn(read.bytes.toString('utf8'), text) }
  return files.read(join(home, path), MAX_BYTES).kind === 'missing' ? { kind: 'gone' } : { kind: 'waits' }
}

/** The message may contain the same heading: its text is skipped if it is unchanged. */
function replyIn(archived: string, asked: string): string {
  const own = asked.trimEnd()
  const rest = archived.startsWith(own) ? archived.slice(own.length) : archived
  const from = rest.indexOf(HEADING)
  return from < 0 ? '' : rest.slice(from + HEADING.length).trim()
}

/** Empty without images; the text names them in any case. */
export function picturesOf(dir: string, { media }: Pick<Inbound, 'media'>): Pick<Trigger, 'images'> {
  const images = media
    .filter(({ kind }) => kind === 'image')
    .map(({ type, path }) => ({ type, path: relative(dir, path).replaceAll('\\', '/') }))
  return images.length === 0 ? {} : { images }
}

/** Triggers of a room, with the images of the messages in its inbox. */
export function pictured(
  dir: string,
  triggers: readonly Trigger[],
  waiting: readonly Waiting<Inbound>[],
): readonly Trigger[] {
  const letters = new Map(waiting.map((one) => [notedFile(one.note)?.path, one]))
  return triggers.map((trigger) => {
    const path = /^inbox:(.*)@[0-9a-f]+(?:\.\d+)?$/s.exec(trigger.key)?.[1]
    const first = path === undefined ? undefined : letters.get(path)
    if (first === undefined) return trigger
    const keys = keysIn(first.note) ?? []
    const others = waiting.filter(({ key }) => keys.includes(key))
    return { ...trigger, ...picturesOf(dir, { media: [first, ...others].flatMap(({ item }) => item.media) }) }
  })
}
