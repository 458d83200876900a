/**
 * One message to Neo and its reply: streamed if the daemon serves events, else read from the archive of the inbox.
 * Invariant 1: Ctrl-C ends the answer; the message stays handled. Invariant 2: the archive completes what was streamed,
 * and never replaces it.
 */
import { join } from 'node:path'
import { answerAt, GONE_MS } from '../../channels/inbox/by-inbox.ts'
import { NO_MODEL } from '../../engine/agents/agents.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { sayMasked, whyNoReply } from '../commands/say-command.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { dim } from '../output.ts'
import { shownLines } from '../shown-text.ts'
import { pause } from '../signals.ts'
import type { Call } from '../spec.ts'
import type { AtHub } from '../with-hub.ts'
import type { Lines } from './chat-lines.ts'
import type { Heard } from './reply-stream.ts'

export interface Chat {
  readonly call: Call
  readonly at: AtHub
  readonly lines: Lines
  readonly heard: Heard
  room: string
  ended: boolean
}

const LOOK_MS = 100
/** Input from a pipe does not wait forever. */
const PIPE_LIMIT_MS = 10 * 60_000

export async function talk(chat: Chat, content: string): Promise<number> {
  const { at, call, lines } = chat
  if (lines.mode === 'terminal') await chat.heard.ready(chat.room)
  // Before sending: Neo's turn may start before the call returns.
  const interrupted = lines.interrupts()
  try {
    const atOnce = await at.call('message.send', { roomId: chat.room, content }, 'neo room list')
    sayMasked(call, content)
    if (atOnce !== null) {
      call.out.block(atOnce.reply)
      return 0
    }
    const path = at.messages.at(-1) ?? ''
    const why = whyNotNow(chat)
    if (why.length === 0) return await awaited(chat, path, interrupted.signal)
    call.out.note(dim(`Saved: ${path}`))
    if (lines.mode === 'terminal') for (const text of why) call.out.note({ text, style: 'dim' })
    return 0
  } finally {
    interrupted.release()
  }
}

async function awaited(chat: Chat, path: string, interrupted: AbortSignal): Promise<number> {
  const { at, call, lines, heard } = chat
  const read = at.world.files.read(join(at.home, path), MAX_BYTES)
  const text = read.kind === 'file' ? read.bytes.toString('utf8') : ''
  const shown = lines.mode === 'terminal' ? openShown(chat) : null
  const end = lines.mode === 'pipe' ? performance.now() + PIPE_LIMIT_MS : Number.POSITIVE_INFINITY
  if (shown !== null) call.out.progress('Neo is thinking…')
  heard.follow(shown?.add ?? null)
  let gone = 0
  let stopEnd: number | null = null
  try {
    for (;;) {
      const answer = answerAt(at.world.files, at.home, { path, text })
      if (answer.kind === 'answered') {
        const code = finish(chat, answer.text, shown)
        // In a pipe, Ctrl-C ends the answer and the rest of the input.
        return interrupted.aborted && lines.mode === 'pipe' ? INTERRUPTED : code
      }
      gone = answer.kind === 'gone' ? gone + LOOK_MS : 0
      if (gone > GONE_MS) return say(chat, 'The message was removed before its turn.', 1)
      if (interrupted.aborted) {
        stopEnd ??= (await stopped(chat)) ? performance.now() + STOP_MS : 0
        if (performance.now() > stopEnd) return say(chat, NOT_WAITED, INTERRUPTED)
      }
      if (!at.daemonRuns()) return say(chat, 'The daemon stopped. The message waits for the next one.', 1)
      if (performance.now() > end) return say(chat, 'No reply in time. The message waits for its turn.', 1)
      await pause(LOOK_MS, stopEnd === null ? interrupted : new AbortController().signal)
    }
  } finally {
    heard.follow(null)
    call.out.progress(null)
  }
}

const NOT_WAITED = 'Stopped waiting. The reply will be in the archive.'
/** Time for a stopped turn to be written. */
const STOP_MS = 5_000

/** False if there was nothing to stop: no daemon, or the turn has not started. */
async function stopped({ at, room }: Chat): Promise<boolean> {
  try {
    const { stopped: isStopped } = await at.call('context.stop', { roomId: room })
    return isStopped
  } catch {
    return false
  }
}

function say({ call }: Chat, text: string, code: number): number {
  call.out.progress(null)
  call.out.note({ text, style: 'dim' })
  return code
}

interface Shown {
  readonly add: (delta: string) => void
  text(): string
}

function openShown({ call }: Chat): Shown {
  let all = ''
  return {
    add(delta) {
      if (all === '') call.out.progress(null)
      all += delta
      call.around.stdout.write(shownLines(delta))
    },
    text: () => all,
  }
}

function finish({ call }: Chat, reply: string, shown: Shown | null): number {
  call.out.progress(null)
  const streamed = shown?.text() ?? ''
  if (streamed !== '') call.around.stdout.write('\n')
  if (reply === '') call.out.note(dim('Neo read the message and did not reply.'))
  else if (!streamed.trimEnd().endsWith(reply)) call.out.block(reply)
  return 0
}

/** Empty if nothing prevents an answer, as far as this process can tell. */
export function whyNotNow({ at, room }: Chat): readonly string[] {
  return whyNoReply(at, room, {
    noDaemon:
      'No daemon is running. Messages are saved and wait; run neo watch in another terminal to get answers.',
    // If a daemon runs, only neo.yaml counts: the daemon may have keys that this terminal does not have.
    noModel: (why) => (why !== NO_MODEL && at.daemonRuns() ? '' : `Neo can't answer yet: ${why}.`),
  })
}
