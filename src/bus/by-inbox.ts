/**
 * The road through a room's inbox: what the home itself says (heartbeat, schedules) and what is said in groups that talk
 * in the room's own conversation. The message becomes a file there, and its archive holds the reply.
 * Takes a message; gives what came of it. Leaves to flow/: Neo's turn; to letter.ts: the file; to inbound.ts: order.
 * Invariant 1: what a room was given is noted before the file is written, so that a kill changes nothing of it.
 */
import { join } from 'node:path'
import type { Context } from '../flow/context.ts'
import { joined, togetherWith } from './catch-up.ts'
import { type Answer, answerAt, letterPath, letterText } from './letter.ts'
import type { Inbound } from './message.ts'
import { pauseFor } from './outbound.ts'
import type { Queue } from './queue.ts'
import { CLOSED, type Outcome, type Road } from './road.ts'

export interface ByInboxOptions {
  readonly context: Context
  readonly queue: Queue<Inbound>
  /** Makes the daemon look at once. */
  readonly wake: () => void
  /** Why a room hears nothing now; null where it does. */
  readonly hindrance: (room: string) => string | null
  readonly tell: (message: Inbound, why: string) => void
  readonly signal: AbortSignal
}

const LOOK_MS = 25
const LONGEST_LOOK_MS = 500
/** A message that has been in neither place for so long comes no more. */
export const GONE_MS = 10_000

interface Letter {
  readonly path: string
  readonly text: string
  /** Keys of the messages that stand in it after the first, in order. */
  readonly with: readonly string[]
}

export function byInbox(options: ByInboxOptions): Road {
  return {
    async answer(message): Promise<Outcome> {
      const letter = letterIn(options.queue.get(message.key)?.note) ?? letterOf(options, message)
      await give(options, letter)
      const answer = await awaited(options, letter)
      if (answer === null) return CLOSED
      return { kind: 'over', text: answer.kind === 'answered' ? answer.text : '', with: letter.with }
    },
  }
}

function letterIn(note: unknown): Letter | null {
  const { path, text, with: others } = (note ?? {}) as Partial<Letter>
  if (typeof path !== 'string' || typeof text !== 'string' || !Array.isArray(others)) return null
  return { path, text, with: others.map(String) }
}

/** What is put before Neo. */
function letterOf({ queue, hindrance, tell }: ByInboxOptions, message: Inbound): Letter {
  const waiting = queue.waiting().flatMap(({ item, note }) => (note === null ? [item] : []))
  const together = togetherWith(message, waiting)
  const letter = {
    path: letterPath(message),
    text: letterText(joined([message, ...together])),
    with: together.map(({ key }) => key),
  }
  queue.note(message.key, letter)
  const why = hindrance(message.room)
  if (why !== null) tell(message, why)
  return letter
}

/** One new file, between two rounds; it is there already where a kill came after it. */
async function give({ context, wake }: ByInboxOptions, { path, text }: Letter): Promise<void> {
  const { files } = context.world
  await context.line(async () => {
    if (answerAt(files, context.home, { path, text }).kind !== 'gone') return
    files.save(join(context.home, path), Buffer.from(text), null)
    context.look.wrote(path, text)
  })
  wake()
}

/** Null where we are closed before it. */
async function awaited({ context, signal }: ByInboxOptions, letter: Letter): Promise<Answer | null> {
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
