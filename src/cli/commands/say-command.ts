/**
 * `neo say`: puts a message into a room's inbox, and with `--wait` prints Neo's reply. Invariant 1: the message is kept
 * in any case; if Neo can't answer now, the message waits and the reason is printed.
 */
import { join } from 'node:path'
import { answerAt } from '../../channels/inbox/by-inbox.ts'
import { NeoError } from '../../domain/home/error.ts'
import { maskSecrets } from '../../domain/secrets/distill-secrets.ts'
import { NO_MODEL } from '../../engine/agents/agents.ts'
import { INTERRUPTED, usage } from '../cli-failure.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { durationOption, textOrStdin } from '../option-values.ts'
import { findRoom, roomOf } from '../room/open-rooms.ts'
import { onInterrupt, pause } from '../signals.ts'
import { type Call, firstOf } from '../spec.ts'
import { type AtHub, withHubAndHome } from '../with-hub.ts'

const DEFAULT_TIMEOUT_MS = 10 * 60_000
const LOOK_MS = 200

export async function say(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const content = await textOrStdin(call, typed)
  if (content.trim() === '') throw usage('The message is empty', "neo say ROOM 'What is new?'")
  const timeoutMs = durationOption(call, 'timeout') ?? DEFAULT_TIMEOUT_MS
  return await withHubAndHome(call, async (at) => {
    const room = findRoom({ home: at.home, files: at.world.files }, firstOf(call))
    const atOnce = await at.call('message.send', { roomId: room, content }, 'neo room list')
    sayMasked(call, content)
    if (atOnce !== null) return answered(call, room, atOnce.reply)
    const said: Said = { room, path: at.messages.at(-1) ?? '' }
    return call.isSet('wait') ? await awaited(call, at, { ...said, timeoutMs }) : put(call, at, said)
  })
}

/** The message was a command that is answered at once. */
function answered({ out }: Call, room: string, reply: string): number {
  out.data('say', { room, path: '', reply })
  out.block(reply)
  return 0
}

interface Said {
  readonly room: string
  readonly path: string
}

function put(call: Call, at: AtHub, said: Said): number {
  call.out.data('say', { ...said, reply: null })
  call.out.line(said.path)
  for (const text of whyNoReply(at, said.room, WORDS)) call.out.note(text)
  return 0
}

const WORDS: Words = {
  noDaemon: 'No daemon is running. The message waits until you run neo watch or neo run.',
  noModel: (why) => `The message waits for a model; in this terminal, ${why}.`,
}

interface Words {
  readonly noDaemon: string
  /** Empty if it prevents no answer. */
  readonly noModel: (why: string) => string
}

/** Reasons why Neo can't answer now, as far as this process can tell. */
export function whyNoReply({ home, world, ...at }: AtHub, room: string, words: Words): readonly string[] {
  const { status } = roomOf({ home, files: world.files }, room).room
  const why = whyNoModel(at.context)
  return [
    at.daemonRuns() ? '' : words.noDaemon,
    why === null ? '' : words.noModel(why),
    status === 'active'
      ? ''
      : `The room is ${status}. Neo does not answer there until you run neo room resume.`,
  ].filter((text) => text !== '')
}

/** Why there is no model, in this terminal's environment; null if there is one. */
function whyNoModel({ look, world }: AtHub['context']): string | null {
  const { model, providers } = look.config()
  if (model === 'rules') return NO_MODEL
  const opened = world.agent?.models.open(model, providers)
  return opened !== undefined && 'wrong' in opened ? opened.wrong : null
}

async function awaited(call: Call, at: AtHub, of: Said & { timeoutMs: number }): Promise<number> {
  const { out } = call
  const { home, world } = at
  const read = world.files.read(join(home, of.path), MAX_BYTES)
  const text = read.kind === 'file' ? read.bytes.toString('utf8') : ''
  const why = whyNoModel(at.context)
  if (!at.daemonRuns())
    throw noReply(of, 'no daemon is running', 'neo watch; the reply will be in the archive of the inbox')
  if (why !== null) out.note(`In this terminal, ${why}. The daemon may have a key.`)
  const interrupt = onInterrupt(call, '')
  const end = performance.now() + of.timeoutMs
  out.progress(`Neo is thinking… (${of.room})`)
  try {
    for (;;) {
      const answer = answerAt(world.files, home, { path: of.path, text })
      if (answer.kind === 'answered') return print(call, of, answer.text)
      if (interrupt.signal.aborted) return INTERRUPTED
      if (!at.daemonRuns()) throw noReply(of, 'the daemon stopped', 'neo watch continues with it')
      if (performance.now() >= end)
        throw noReply(
          of,
          why ?? 'Neo did not answer in time',
          'check neo status and the output of the daemon',
        )
      await pause(LOOK_MS, interrupt.signal)
    }
  } finally {
    out.progress(null)
    interrupt.release()
  }
}

function noReply({ path }: Said, why: string, next: string): NeoError {
  return new NeoError('failed', 'No reply yet: the message is saved and waits for its turn', {
    why: `${why} (${path})`,
    next,
  })
}

function print({ out }: Call, { room, path }: Said, reply: string): number {
  out.progress(null)
  out.data('say', { room, path: path.replace('/inbox/', '/inbox/archive/'), asked: path, reply })
  if (reply === '') out.note('Neo read the message and did not reply.')
  else out.block(reply)
  return 0
}

export function sayMasked(call: Call, content: string): void {
  const { keys } = maskSecrets(content)
  if (keys.length > 0) call.out.note(`Masked before saving: ${[...new Set(keys)].join(', ')}`)
}
