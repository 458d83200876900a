/** Bodies of requests. Invariant: one is read up to its own limit, and all of a server together up to MOST_HELD bytes. */
import type { IncomingMessage } from 'node:http'

/** Enough for 64 of the largest requests, most are a thousand times smaller. */
const MOST_HELD = 64 * 1024 * 1024

/** Of one server. */
export interface HeldBodies {
  bytes: number
}

/** `busy`: other requests hold too much. After a body, `release` must be called once. */
export type ReadBody =
  | { readonly kind: 'body'; readonly text: string; release(): void }
  | { readonly kind: 'too-large' | 'busy' | 'gone' }

export function readBody(request: IncomingMessage, most: number, held: HeldBodies): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    let isDone = false
    const release = () => {
      held.bytes -= length
      length = 0
    }
    const finish = (kind: ReadBody['kind']) => {
      if (isDone) return
      isDone = true
      request.off('data', take)
      if (kind === 'body') return resolve({ kind, text: Buffer.concat(chunks).toString(), release })
      release()
      resolve({ kind })
    }
    const take = (chunk: Buffer) => {
      length += chunk.length
      held.bytes += chunk.length
      chunks.push(chunk)
      if (length > most) finish('too-large')
      else if (held.bytes > MOST_HELD) finish('busy')
    }
    request.once('error', () => finish('gone'))
    request.once('close', () => finish('gone'))
    request.once('end', () => finish('body'))
    if (Number(request.headers['content-length'] ?? 0) > most) finish('too-large')
    else request.on('data', take)
  })
}
