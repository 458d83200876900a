/**
 * Files that people send: downloaded into their scope under new names, before the message is accepted. Invariant 1: no name,
 * type or path of the sender becomes a path. Invariant 2: the message is saved first and continues after a restart; it says
 * if a file is too large or missing. Invariant 3: within a chat the order is kept; a slow file blocks no other chat.
 * Invariant 4: an album is one message, however its parts come; a part that comes after that is a message of its own.
 */
import { join } from 'node:path'
import { titleOf } from '../../domain/policy/channel-kinds.ts'
import { whyOf } from '../../domain/home/error.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import { mediaTypeOf } from '../../domain/text/media-type.ts'
import type { Context } from '../../engine/context.ts'
import { pause } from '../../engine/bell.ts'
import type { Clock } from '../../ports/world.ts'
import type { Queue, Waiting } from '../../store/durable-queue.ts'
import {
  type Held,
  type Inbound,
  joined,
  type Media,
  type MediaFile,
  type Outbound,
  replied,
  withoutSecrets,
} from '../channel-message.ts'
import type { MessageQueues } from '../channel.ts'
import type { Connection } from '../connection.ts'
import { isAside } from './heard-message.ts'

/** Why a file is missing. */
export interface Missing {
  readonly why: string
  /** Another try may get it, after so long if the service says so. */
  readonly mayCome: boolean
  readonly afterMs?: number
}

/** The bytes, or why they are missing; no more than MOST_BYTES. Never rejects. */
export type FetchFile<O> = (open: O, fileId: string, signal: AbortSignal) => Promise<Buffer | Missing>

export interface MediaOptions<O> {
  readonly name: string
  readonly context: Context
  readonly connection: Pick<Connection<O>, 'open'>
  readonly queues: Pick<MessageQueues, 'accept' | 'kept' | 'held' | 'put'>
  readonly fetch?: FetchFile<O>
  readonly signal: AbortSignal
}

interface MediaKeeper {
  /** Kept on disk when it returns; accepted once its files are here, after what this chat said before it. */
  hold(message: Inbound, files: readonly MediaFile[], album: string | undefined): void
  /** Whether a message of this key was taken, or this chat has some that wait for files. */
  has(key: string): boolean
  waits(sessionKey: string): boolean
  /** All that waited at the service was heard. */
  caughtUp(): void
  /** Whether parts of an album may still come. */
  gathers(): boolean
  /** Resolves when nothing is being fetched. */
  rest(): Promise<void>
}

type Part = Waiting<Held>

/** Telegram gives no larger ones. */
export const MOST_BYTES = 20 * 1024 * 1024
/** Over about three minutes. */
const TRIES = 9
const WAITS = { first: 1_000, most: 60_000 }
const PAUSE_MS = 10_000
const ALBUM_MS = 1_000

export const NO_FILES =
  "Neo didn't read your file: commands and answers to requests take no files. Send it in a separate message."

/** Says under a message that something of it wasn't read. */
export function unreadNote(message: Inbound, text: string): Outbound {
  return replied(message, `unread:${message.key}`, text)
}

export function openMedia<O>(options: MediaOptions<O>): MediaKeeper {
  const { name, signal } = options
  const queue = options.queues.held
  const chats = new Map<string, Promise<void>>()
  const albums = new Albums(options.context.world.clock)
  const go = (chat: string): void => {
    if (chats.has(chat) || signal.aborted) return
    const work = empty(options, albums, chat)
      .catch((error: unknown) => troubled(options, error))
      .finally(() => {
        chats.delete(chat)
        if (firstOf(queue, chat) !== undefined) go(chat)
      })
    chats.set(chat, work)
  }
  const own = queue.waiting().filter(({ item }) => item.message.channel === name)
  for (const { item } of own) albums.grew(item)
  for (const { item } of own) go(item.message.sessionKey)
  return {
    hold(message, files, album) {
      const held = { scope: message.scope, message: withoutSecrets(message), files }
      const item = album === undefined ? held : { ...held, album }
      queue.put(message.key, item)
      albums.grew(item)
      go(message.sessionKey)
    },
    has: (key) => queue.has(key),
    waits: (sessionKey) => firstOf(queue, sessionKey) !== undefined,
    caughtUp: () => albums.caughtUp(),
    gathers: () => albums.gathers(),
    async rest() {
      albums.end()
      await Promise.all(chats.values())
    },
  }
}

/** Which albums may still get parts: an album is whole if none came for so long, and the service was heard after that. */
class Albums {
  /** The last one of each chat that was accepted. */
  readonly accepted = new Map<string, string>()
  readonly #open = new Map<string, { isQuiet: boolean; cancel: () => void }>()
  #waiting: (() => void)[] = []

  constructor(readonly clock: Pick<Clock, 'after'>) {}

  grew(item: Held): void {
    if (item.album === undefined) return
    const key = albumOf(item)
    this.#open.get(key)?.cancel()
    const open = { isQuiet: false, cancel: () => {} }
    open.cancel = this.clock.after(ALBUM_MS, () => {
      open.isQuiet = true
    })
    this.#open.set(key, open)
  }

  caughtUp(): void {
    for (const [key, { isQuiet }] of this.#open) if (isQuiet) this.#open.delete(key)
    this.#wake()
  }

  gathers(): boolean {
    return this.#open.size > 0
  }

  /** Resolves when the album is whole, or at the end. */
  async whole(item: Held): Promise<void> {
    while (this.#open.has(albumOf(item))) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  end(): void {
    for (const { cancel } of this.#open.values()) cancel()
    this.#open.clear()
    this.#wake()
  }

  #wake(): void {
    for (const call of this.#waiting.splice(0)) call()
  }
}

function albumOf({ album, message }: Held): string {
  return `${message.sessionKey} ${album ?? ''}`
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
async function empty<O>(options: MediaOptions<O>, albums: Albums, chat: string): Promise<void> {
  const { signal, queues } = options
  const queue = queues.held
  for (let next = firstOf(queue, chat); next !== undefined; next = firstOf(queue, chat)) {
    const { key, item } = next
    await albums.whole(item)
    if (signal.aborted) return
    const parts = partsOf(queue, next)
    const isHeard =
      parts.some((part) => !isAside(part.item.message)) || albums.accepted.get(chat) === item.album
    const message = isHeard ? await whole(options, parts) : null
    if (signal.aborted) return
    // What was purged meanwhile is not accepted.
    if (message !== null && queue.get(key) !== null) {
      queues.accept({ ...message, key })
      await queues.kept()
      if (item.album !== undefined) albums.accepted.set(chat, item.album)
    }
    queue.done(...parts.map((part) => part.key))
  }
}

/** A message alone, or all parts of an album as people see them; none if it was purged. */
function partsOf(queue: Queue<Held>, first: Part): readonly Part[] {
  const album = albumOf(first.item)
  return queue
    .waiting()
    .filter(({ key, item }) => key === first.key || (item.album !== undefined && albumOf(item) === album))
    .toSorted((a, b) => Number(a.item.message.replyTo) - Number(b.item.message.replyTo))
}

/** One message with all files. A command or an answer takes none, and its sender gets a note; `null` if nothing is left. */
async function whole<O>(options: MediaOptions<O>, parts: readonly Part[]): Promise<Inbound | null> {
  const { name: channel, context, signal, queues } = options
  const [first, ...more] = parts.map(({ item }) => item.message)
  if (first === undefined) return null
  const own = [first, ...more].filter((message) => !isAside(message))
  const lead = own.find((message) => message.content !== '') ?? own[0] ?? first
  const { content } = joined([first, ...more])
  const said = { ...joined([lead, ...[first, ...more].filter((one) => one !== lead)]), content }
  if (lead.kind === 'command') {
    queues.put(unreadNote(lead, NO_FILES))
    return content === '' ? null : said
  }
  const media: Media[] = []
  const missing: string[] = []
  for (const { key, item } of parts)
    for (const [n, file] of item.files.entries()) {
      const found = await keep(options, item.scope, { file, name: shortHash(`${key}:${n}`) })
      if (signal.aborted) return null
      if (typeof found === 'string') missing.push(`[${file.kind} not received: ${found}]`)
      else media.push(found)
    }
  if (missing.length > 0) context.emit({ kind: 'trouble', text: `${channel}: ${missing.join(' ')}` })
  return { ...said, content: [content, ...missing].filter((text) => text !== '').join('\n\n'), media }
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
    if (!bytes.mayCome || tries >= TRIES) return bytes.why
    await pause(clock, bytes.afterMs ?? grownWait(WAITS, tries), { signal })
  }
}

async function fetched<O>(
  { name, connection, fetch, signal }: MediaOptions<O>,
  fileId: string,
): Promise<Buffer | Missing> {
  if (fetch === undefined) return { why: 'this channel takes no files', mayCome: false }
  const open = await connection.open()
  return open === null ? { why: `${titleOf(name)} is disabled`, mayCome: true } : fetch(open, fileId, signal)
}
