/**
 * Neo's turns as effects: starting one, and recording it: messages move to the inbox's archive with the reply, tasks are
 * marked as handled, closed transcripts move into their rooms. `putMessage` puts a message into a room's inbox.
 * Invariants: 1. a message is in exactly one place: the inbox or its archive; 2. only the attempt that woke Neo is
 * marked.
 */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { Trigger } from '../../domain/plan/decision.ts'
import { endKey, markOf, messageKey } from '../../domain/plan/plan-neo.ts'
import type { InboxFile, Snapshot } from '../../domain/plan/snapshot.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { ClosedFile } from '../agents/orchestrator.ts'
import { type Transacted, textAt, transact } from '../commit/transact.ts'
import { type Context, NEO } from '../context.ts'
import { notifyReply } from '../people/notices.ts'
import { messageOf, oneLine, roomTrailers, subjectOf } from './commit-words.ts'
import { writeTask } from './task-write.ts'

export function wake(context: Context, room: string, triggers: readonly Trigger[]): Transacted {
  context.turns.start(room, triggers)
  context.emit({
    kind: 'thinking',
    text: `Neo is thinking. Reason: ${triggers.map(shortOf).join('; ')}`,
    room,
  })
  return 'done'
}

function shortOf({ kind, text }: Trigger): string {
  const [line = ''] = text.split('\n')
  return kind === 'message' ? `“${line.length > 60 ? `${line.slice(0, 59)}…` : line}”` : oneLine(text)
}

export async function turned(context: Context, snapshot: Snapshot, room: string): Promise<Transacted> {
  const turn = context.turns.finished(room)
  if (turn === null) return 'lost'
  const handled: string[] = []
  for (const trigger of turn.triggers) {
    const done = await settle(context, snapshot, { trigger, reply: turn.reply })
    // A message that comes again gets the answer that it had: the conversation knows it.
    if (done !== 'lost' && trigger.kind !== 'message') handled.push(trigger.key)
  }
  context.turns.settled(room, handled)
  if (turn.reply.trim() !== '')
    notifyReply(context, room, { reply: turn.reply, trigger: turn.triggers[0]?.key ?? '' })
  for (const file of context.turns.orchestrator()?.closed() ?? []) await moveTranscript(context, file)
  return 'done'
}

async function settle(
  context: Context,
  snapshot: Snapshot,
  { trigger, reply }: { readonly trigger: Trigger; readonly reply: string },
): Promise<Transacted> {
  switch (trigger.kind) {
    case 'message': {
      const file = [...snapshot.inbox.values()].find(
        (one) => trigger.key === messageKey(one, earlierOf(context, one)),
      )
      return file === undefined ? 'lost' : archive(context, file, reply)
    }
    case 'failed':
    case 'ended':
    case 'report': {
      const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.id === trigger.task)
      // A change since then is news of its own.
      if (file === undefined || trigger.key !== endKey(file)) return 'lost'
      const mark = markOf(file)
      return writeTask(context, file, {
        neo: { handled: mark },
        verb: 'mark * as handled',
        says: mark,
        event: 'consider',
      })
    }
    case 'question':
      return 'done'
  }
}

/** Moves a message from the inbox to the archive, with the reply under it. */
async function archive(context: Context, file: InboxFile, reply: string): Promise<Transacted> {
  const text = textAt(context, file.path, file.hash)
  if (text === null) return 'lost'
  const answer = reply.trim() === '' ? '' : `\n\n## Reply\n\n${redact(reply.trim())}\n`
  const path = archivePath(file, earlierOf(context, file))
  return transact(context, {
    kind: 'reply',
    changes: [
      { path: file.path, before: file.hash, after: null },
      { path, before: null, after: `${text.trimEnd()}${answer === '' ? '\n' : answer}` },
    ],
    ...messageOf(file.room, 'answer a message', file.text),
    trailers: roomTrailers(file.room, 'reply'),
    author: NEO,
  })
}

/** How many messages of the same name are in the archive. */
export function earlierOf({ world, home }: Context, file: InboxFile): number {
  let earlier = 0
  while (world.files.stat(join(home, archivePath(file, earlier))) !== null) earlier += 1
  return earlier
}

function archivePath({ room, name }: InboxFile, earlier: number): string {
  return `rooms/${room}/inbox/archive/${name}${earlier === 0 ? '' : `-${earlier + 1}`}.md`
}

const MOST_TRANSCRIPT = 64 * 1024 * 1024

/** Commits a transcript, unless the home keeps them local. `to` is relative to the home. */
export async function moveTranscript(
  context: Context,
  { room, name, path: from }: ClosedFile,
  to = `rooms/${room}/transcripts/${name}`,
): Promise<void> {
  const { files, git } = context.world
  if (context.look.config().transcripts === 'local') return
  const read = files.read(from, MOST_TRANSCRIPT)
  if (read.kind !== 'file') return
  const done = context.look.tree().has(to)
    ? 'done'
    : await transact(context, {
        kind: 'transcript',
        changes: [{ path: to, before: null, after: read.bytes.toString('utf8') }],
        subject: subjectOf(room, `save transcript ${name}`),
        trailers: roomTrailers(room, 'transcript'),
        author: NEO,
      })
  if (done === 'done') files.remove(from, git.blobId(read.bytes))
}

interface Message {
  readonly room: string
  readonly content: string
  readonly from: string
  /** Called with the path before the file exists. */
  readonly before?: (path: string) => void
}

/** Throws NeoError `failed` if the file exists. */
export function putMessage({ world, home, look }: Context, of: Message): string {
  const at = isoSecond(world.clock.now())
  const text = renderDocument({ from: of.from, at }, `${of.content.trim()}\n`)
  const path = `rooms/${of.room}/inbox/${at.replaceAll(/[^0-9TZ]/g, '')}-${world.random.id('a')}.md`
  of.before?.(path)
  const saved = world.files.save(join(home, path), Buffer.from(text), null)
  if (saved.kind !== 'saved') throw new NeoError('failed', `Cannot write "${path}": it already exists`)
  look.wrote(path, text)
  return path
}
