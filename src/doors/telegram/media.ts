/**
 * Files that people send: kept beside their scope under a name of ours, fetched in the background.
 * Takes a message with files; gives where each will lie. Leaves to bus/letter.ts: naming them to Neo.
 * Invariant 1: no name, type or path that a sender chose becomes a path. Invariant 2: what was announced is fetched once,
 * also after a restart; what is too large, or cannot be had, is left out and said.
 */
import { join } from 'node:path'
import type { Media } from '../../bus/message.ts'
import { pauseFor } from '../../bus/outbound.ts'
import { openQueue } from '../../bus/queue.ts'
import { shortHash } from '../../core/rules/people.ts'
import type { Context } from '../../flow/context.ts'
import { type Api, failureOf } from './api.ts'
import type { Said } from './update.ts'

export type Kept = Media

export interface MediaOptions {
  readonly context: Context
  readonly api: () => Promise<{ readonly api: Api; readonly token: string; readonly root: string } | null>
  readonly signal: AbortSignal
}

export interface MediaKeeper {
  keep(said: Said, of: { readonly scope: string; readonly key: string }): readonly Kept[]
  /** Resolves when nothing is being fetched. */
  rest(): Promise<void>
}

interface Wanted {
  readonly fileId: string
  readonly path: string
}

/** Telegram gives no larger ones. */
const MOST_BYTES = 20 * 1024 * 1024
const TRIES = 5
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'video/mp4': 'mp4',
}

export function openMedia(options: MediaOptions): MediaKeeper {
  const { context } = options
  const queue = openQueue<Wanted>(context.world.files, join(context.dir, 'queues', 'media.jsonl'))
  let working: Promise<void> | null = null
  const go = (): void => {
    working ??= work(options, queue).finally(() => {
      working = null
    })
  }
  if (queue.waiting().length > 0) go()
  return {
    keep(said, { scope, key }) {
      const kept = said.files.flatMap((file, n): Kept[] => {
        if (file.bytes > MOST_BYTES) return []
        const name = `${shortHash(`${key}:${n}`)}.${ENDINGS[file.type] ?? 'bin'}`
        const path = join(context.dir, 'scopes', scope, 'media', name)
        queue.put(`${key}:${n}`, { fileId: file.fileId, path })
        return [{ kind: file.kind, path, type: typeText(file.type), bytes: file.bytes }]
      })
      go()
      return kept
    },
    rest: async () => void (await working),
  }
}

/** What a sender says of a type is shown to Neo: nothing but a type is passed on. */
function typeText(type: string): string {
  return /^[a-z]+\/[a-z0-9.+-]{1,60}$/i.test(type) ? type : 'application/octet-stream'
}

async function work(
  { context, api, signal }: MediaOptions,
  queue: ReturnType<typeof openQueue<Wanted>>,
): Promise<void> {
  const { files, clock } = context.world
  for (let next = queue.waiting()[0]; next !== undefined && !signal.aborted; next = queue.waiting()[0]) {
    const { key, item } = next
    for (let tries = 1; tries <= TRIES && !signal.aborted; tries++) {
      const bytes = await fetchFile(await api(), item.fileId, signal)
      if (Buffer.isBuffer(bytes)) {
        files.save(item.path, bytes, null)
        break
      }
      if (tries === TRIES) context.emit({ kind: 'trouble', text: `telegram: a file was not kept: ${bytes}` })
      else await pauseFor(clock, 1_000 * 2 ** tries, signal)
    }
    if (!signal.aborted) queue.done(key)
  }
}

/** The bytes, or why not. */
async function fetchFile(
  open: { readonly api: Api; readonly token: string; readonly root: string } | null,
  fileId: string,
  signal: AbortSignal,
): Promise<Buffer | string> {
  if (open === null) return 'Telegram is off'
  try {
    const { file_path: path } = await open.api.getFile(fileId)
    if (path === undefined) return 'Telegram names no path'
    const answer = await fetch(`${open.root}/file/bot${open.token}/${path}`, { signal })
    if (!answer.ok || answer.body === null) return `Telegram answers ${answer.status}`
    const pieces: Buffer[] = []
    let length = 0
    for await (const piece of answer.body) {
      pieces.push(Buffer.from(piece as Uint8Array))
      length += pieces.at(-1)?.length ?? 0
      if (length > MOST_BYTES) return 'it is longer than 20 MB'
    }
    return Buffer.concat(pieces)
  } catch (error) {
    return failureOf(error, open.token).why
  }
}
