/**
 * Files that people send: downloaded into their scope under new names, before the message is accepted. Invariant 1: no name,
 * type or path of the sender becomes a path. Invariant 2: the message is saved first and continues after a restart; it says
 * if a file is too large or missing. Invariant 3: within a chat the order is kept; a slow file blocks no other chat.
 */
import { join } from 'node:path'
import { whyOf } from '../../domain/home/error.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import { mediaTypeOf } from '../../domain/text/media-type.ts'
import type { Context } from '../../engine/context.ts'
import { isOfScope } from '../../engine/people/scope-board.ts'
import { pause } from '../../engine/bell.ts'
import { openQueue, type Queue } from '../../store/durable-queue.ts'
import { type Inbound, type Media, withoutSecrets } from '../channel-message.ts'
import { agentFor, type Connection, download, failureOf } from './api.ts'
import type { File } from './update.ts'

export interface MediaOptions {
  readonly context: Context
  readonly api: () => Promise<Connection | null>
  /** Takes a message when its files are downloaded; it is on disk when this resolves. */
  readonly accept: (message: Inbound) => Promise<void>
  readonly signal: AbortSignal
}

export interface MediaKeeper {
  /** Kept on disk when it returns; accepted once its files are here, after what this chat said before it. */
  hold(message: Inbound, files: readonly File[]): void
  /** Whether a message of this key was taken, or this chat has some that wait for files. */
  has(key: string): boolean
  waits(sessionKey: string): boolean
  /** Resolves when nothing is being fetched. */
  rest(): Promise<void>
}

interface Held {
  readonly scope: string
  readonly message: Inbound
  readonly files: readonly File[]
}

/** Telegram gives no larger ones. */
const MOST_BYTES = 20 * 1024 * 1024
const TRIES = 5
const FIRST_WAIT_MS = 1_000
const PAUSE_MS = 10_000

export function openMedia(options: MediaOptions): MediaKeeper {
  const { context, signal } = options
  const queue = openQueue<Held>(context.world.files, join(context.dir, 'queues', 'media.jsonl'))
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
  for (const { item } of queue.waiting()) go(item.message.sessionKey)
  const stop = context.scopes.alsoForgets((of) => queue.forget((item) => isOfScope(item, of)))
  return {
    hold(message, files) {
      queue.put(message.key, { scope: message.scope, message: withoutSecrets(message), files })
      go(message.sessionKey)
    },
    has: (key) => queue.has(key),
    waits: (sessionKey) => firstOf(queue, sessionKey) !== undefined,
    rest: async () => {
      stop()
      await Promise.all(chats.values())
    },
  }
}

/** A full disk, for one: it is said, and tried again after a pause. */
async function troubled({ context, signal }: MediaOptions, error: unknown): Promise<void> {
  context.emit({ kind: 'trouble', text: `telegram: could not save a file: ${whyOf(error)}; retrying` })
  await pause(context.world.clock, PAUSE_MS, { signal })
}

function firstOf(queue: Queue<Held>, chat: string) {
  return queue.waiting().find(({ item }) => item.message.sessionKey === chat)
}

/** One after the other, until none of this chat is left. */
async function empty(options: MediaOptions, queue: Queue<Held>, chat: string): Promise<void> {
  const { context, signal, accept } = options
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
    if (missing.length > 0) context.emit({ kind: 'trouble', text: `telegram: ${missing.join(' ')}` })
    const content = [item.message.content, ...missing].filter((text) => text !== '').join('\n\n')
    await accept({ ...item.message, content, media: kept })
    queue.done(key)
  }
}

/** A text says why it failed. */
async function keep(
  { context, api, signal }: MediaOptions,
  scope: string,
  { file, name }: { readonly file: File; readonly name: string },
): Promise<Media | string> {
  const { files, clock } = context.world
  if (file.bytes > MOST_BYTES) return 'larger than 20 MB'
  for (let tries = 1; ; tries++) {
    const bytes = await fetched(await api(), file.fileId, signal)
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
    await pause(clock, FIRST_WAIT_MS * 2 ** (tries - 1), { signal })
  }
}

/** The bytes, or why not. */
async function fetched(
  open: Connection | null,
  fileId: string,
  signal: AbortSignal,
): Promise<Buffer | string> {
  if (open === null) return 'Telegram is disabled'
  const { api, token, root, proxy } = open
  try {
    const { file_path: path } = await api.getFile(fileId)
    if (path === undefined) return 'Telegram returned no file path'
    const agent = agentFor(root, proxy)
    return await download(`${root}/file/bot${token}/${path}`, { agent, mostBytes: MOST_BYTES, signal })
  } catch (error) {
    return failureOf(error, token).why
  }
}
