/**
 * Handles messages through a room's inbox: what the home itself says (heartbeat, schedules), and groups that talk in the
 * room's own conversation. The message becomes a file; its archived copy holds the reply. Invariant 1: a guard of the scope
 * or the speaker is asked before the file is written and before the reply is sent. Invariant 2: the file is noted in the
 * queue before it is written, so that a kill changes nothing.
 */
import { join } from 'node:path'
import type { Context } from '../../engine/context.ts'
import { isLetThrough, NOT_IN, NOT_OUT } from '../../engine/people/run-guards.ts'
import { scopeStore, scopeAt } from '../../engine/people/scope-store.ts'
import { joined, togetherWith } from './catch-up.ts'
import { type Answer, answerAt, bodyOf, inboxFilePath, inboxFileText } from './inbox-file.ts'
import type { Inbound } from '../channel-message.ts'
import { pauseFor } from '../delivery/outbound.ts'
import type { Queue } from '../../store/durable-queue.ts'
import { CLOSED, type Outcome, type MessageHandler } from './message-handler.ts'

export interface ByInboxOptions {
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
  return {
    async answer(message, signal): Promise<Outcome> {
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
    },
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
  const { path, text, with: others } = (note ?? {}) as Partial<InboxFile>
  if (typeof path !== 'string' || typeof text !== 'string' || !Array.isArray(others)) return null
  return { path, text, said: '', with: others.map(String) }
}

/** What is put before Neo. */
function newFile({ queue }: ByInboxOptions, message: Inbound): InboxFile {
  const waiting = queue.waiting().flatMap(({ item, note }) => (note === null ? [item] : []))
  const together = togetherWith(message, waiting)
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
    await pauseFor(clock, wait, signal)
  }
}
