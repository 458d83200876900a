/**
 * The body of a request as text. Invariant 1: never more than MOST_BODY bytes are kept, whatever the headers say.
 */
import type { IncomingMessage } from 'node:http'
import { MOST_BODY, type Refusal } from '../shared/request-checks.ts'

export type Body = { readonly text: string } | { readonly refusal: Refusal }

/** Null if there is none, or it may be passed over; rejects where the client goes away in the meantime. */
export async function unreadBody(incoming: IncomingMessage): Promise<Refusal | null> {
  const { headers } = incoming
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return null
  const body = await readJsonBody(incoming)
  return 'refusal' in body ? body.refusal : null
}

/** Rejects where the client goes away in the meantime. */
export async function readJsonBody(incoming: IncomingMessage): Promise<Body> {
  const type = incoming.headers['content-type'] ?? ''
  if (!/^application\/json *(?:; *charset="?utf-8"?)?$/i.test(type))
    return {
      refusal: { status: 415, says: 'the body must be JSON in UTF-8: set Content-Type: application/json' },
    }
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const gone = (): void => {
      if (!incoming.complete) reject(new Error('the client is gone'))
    }
    incoming.on('error', gone)
    incoming.on('close', gone)
    incoming.on('end', () => resolve({ text: Buffer.concat(chunks).toString('utf8') }))
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= MOST_BODY) chunks.push(chunk)
      else resolve({ refusal: { status: 413, says: `the body is too large: at most ${MOST_BODY} bytes` } })
    })
  })
}
