/**
 * The body of a request as text. Takes node's message; gives the text, or the refusal.
 * Invariant 1: never more than MOST_BODY bytes are kept, whatever the headers say.
 */
import type { IncomingMessage } from 'node:http'
import { MOST_BODY, type Refusal } from '../shared/guard.ts'

/** Throws where the client goes away meanwhile. */
export async function readJsonBody(
  incoming: IncomingMessage,
): Promise<{ readonly text: string } | { readonly refusal: Refusal }> {
  const type = incoming.headers['content-type'] ?? ''
  if (!/^application\/json *(?:; *charset="?utf-8"?)?$/i.test(type))
    return { refusal: { status: 415, says: 'a body is application/json in UTF-8' } }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MOST_BODY) return { refusal: { status: 413, says: `a body has at most ${MOST_BODY} bytes` } }
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks).toString('utf8') }
}
