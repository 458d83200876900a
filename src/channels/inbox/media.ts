/**
 * Files that people send: downloaded into their scope under new names, before the message is accepted. Invariant 1: no name,
 * type or path of the sender becomes a path. Invariant 2: the message is saved first and continues after a restart; it says
 * if a file is too large or missing. Invariant 3: within a chat the order is kept; a slow file blocks no other chat.
 */
import { join } from 'node:path'
import { titleOf } from '../../domain/policy/channel-kinds.ts'
import { whyOf } from '../../domain/home/error.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import { mediaTypeOf } from '../../domain/text/media-type.ts'
import type { Context } from '../../engine/context.ts'
import { pause } from '../../engine/bell.ts'
import type { Queue } from '../../store/durable-queue.ts'
import { type Held, type Inbound, type Media, type MediaFile, withoutSecrets } from '../channel-message.ts'
import type { MessageQueues } from '../channel.ts'
import type { Connection } from '../connection.ts'

/** The bytes, or why they are missing; no more than MOST_BYTES. Never rejects. */
export type FetchFile<O> = (open: O, fileId: string, signal: AbortSignal) => Promise<Buffer | string>

export interface MediaOptions<O> {
  readonly name: string
  readonly context: Context
  readonly connection: Pick<Connection<O>, 'open'>
  readonly queues: Pick<MessageQueues, 'accept' | 'kept' | 'held'>
  readonly fetch?: FetchFile<O>
  readonly signal: AbortSignal
}

interface MediaKeeper {
  /** Kept on disk when it returns; accepted once its files are here, after what this chat said before it. */
  hold(message: Inbound, files: readonly MediaFile[]): void
  /** Whether a message of this key was taken, or this chat has some that wait for files. */
  has(key: string): boolean
  waits(sessionKey: string): boolean
  /** Resolves when nothing is being fetched. */
  rest(): Promise<void>
}

/** Telegram gives no larger ones. */
export const MOST_BYTES = 20 * 1024 * 1024
const TRIES = 5
const WAITS = { first: 1_000, most: 60_000 }
const PAUSE_MS = 10_000

export function openMedia<O>(options: MediaOptions<O>): MediaKeeper {
  const { name, signal } = options
  const queue = options.queues.held
  const chats = new Map<string, Promise<void>>()
  const go = (chat: string): void => {
    if (chats.has(chat) || signal.aborted) return
    const work = empty(options, queue, chat)
      .catch((error: unknown) => troubled(options, error))
      .finally(() => {
        chats.delete(chat)
        if (firstOf(queue, chat) !== undefined) go(chat)
      })
    chats.set(chat, work)
  }
  for (const { item } of queue.waiting()) if (item.message.channel === name) go(item.message.sessionKey)
  return {
    hold(message, files) {
      queue.put(message.key, { scope: message.scope, message: withoutSecrets(message), files })
      go(message.sessionKey)
    },
    has: (key) => queue.has(key),
    waits: (sessionKey) => firstOf(queue, sessionKey) !== undefined,
    rest: async () => void (await Promise.all(chats.values())),
  }
}

/** A full disk, for one: it is said, and tried again after a pause. */
async function troubled<O>({ name, context, signal }: MediaOptions<O>, error: unknown): Promise<void> {
  context.emit({ kind: 'trouble', text: `${name}: could not save a file: ${whyOf(error)}; retrying` })
  await pause(context.world.clock, PAUSE_MS, { signal })
}

function firstOf(queue: Queue<Held>, chat: string) {
  return queue.waiting().find(({ item }) => item.message.sessionKey === chat)
}

/** One after the other, until none of this chat is left. */
async function empty<O>(options: MediaOptions<O>, queue: Queue<Held>, chat: string): Promise<void> {
  const { name: channel, context, signal, queues } = options
  for (let next = firstOf(queue, chat); next !== undefined; next = firstOf(queue, chat)) {
    const { key, item } = next
    const kept: Media[] = []
    const missing: string[] = []
    for (const [n, file] of item.files.entries()) {
      const found = await keep(options, item.scope, { file, name: shortHash(`${key}:${n}`) })
      if (signal.aborted) return
      if (typeof found === 'string') missing.push(`[${file.kind} not received: ${found}]`)
      else kept.push(found)
    }
    if (missing.length > 0) context.emit({ kind: 'trouble', text: `${channel}: ${missing.join(' ')}` })
    const content = [item.message.content, ...missing].filter((text) => text !== '').join('\n\n')
    queues.accept({ ...item.message, content, media: kept })
    await queues.kept()
    queue.done(key)
  }
}

/** A text says why it failed. */
async function keep<O>(
  options: MediaOptions<O>,
  scope: string,
  { file, name }: { readonly file: MediaFile; readonly name: string },
): Promise<Media | string> {
  const { context, signal } = options
  const { files, clock } = context.world
  if (file.bytes > MOST_BYTES) return 'larger than 20 MB'
  for (let tries = 1; ; tries++) {
    const bytes = await fetched(options, file.fileId)
    if (signal.aborted) return 'stopped'
    if (Buffer.isBuffer(bytes)) {
      const { type, ending } = mediaTypeOf(bytes)
      const path = join(context.dir, 'scopes', scope, 'media', `${name}.${ending}`)
      files.savePrivate(path, bytes, null)
      const isImage = type.startsWith('image/')
      const kind = isImage ? 'image' : file.kind === 'image' ? 'file' : file.kind
      return { kind, path, type, bytes: bytes.length }
    }
    if (tries >= TRIES) return bytes
    await pause(clock, grownWait(WAITS, tries), { signal })
  }
}

async function fetched<O>(
  { name, connection, fetch, signal }: MediaOptions<O>,
  fileId: string,
): Promise<Buffer | string> {
  if (fetch === undefined) return 'this channel takes no files'
  const open = await connection.open()
  return open === null ? `${titleOf(name)} is disabled` : fetch(open, fileId, signal)
}
