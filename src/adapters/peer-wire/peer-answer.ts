/**
 * One request on the listening server and its answer. Invariants: 1. `answer` is called once, with the whole body, or
 * not at all; 2. a client that reads nothing holds an answer for READ_MS at most; 3. pieces of a stream are taken only as
 * fast as the client reads them, and its source is ended when the client is gone.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PeerAnswer, PeerIncoming, PeerListen } from '../../ports/peer-port.ts'
import { inTime } from '../machine.ts'
import { joined } from './joined-headers.ts'
import { type HeldBodies, readBody } from './request-body.ts'

const READ_MS = 30_000
/** What is left of an oversized body is read for so long, so that the client gets the 413 before the connection ends. */
const LINGER_MS = 500

interface Answering extends Pick<PeerListen, 'mostBytes' | 'answer'> {
  readonly held: HeldBodies
  /** The request is whole: its connection is in use until the returned function is called. */
  readonly began: () => () => void
}

export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { mostBytes, held, answer, began }: Answering,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const body = await readBody(request, mostBytes, held)
  if (body.kind === 'gone') return
  if (body.kind !== 'body') {
    await refuse(request, response, body.kind === 'busy' ? 503 : 413)
    return
  }
  const ended = began()
  try {
    const incoming: PeerIncoming = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: joined(request.rawHeaders),
      body: body.text,
      remoteAddress: (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
      signal: gone.signal,
    }
    const given = await answer(incoming).catch((): PeerAnswer => ({ status: 500, body: '' }))
    if (gone.signal.aborted) endSource(given.body)
    else await write(response, given, gone.signal)
  } finally {
    body.release()
    ended()
  }
}

async function refuse(request: IncomingMessage, response: ServerResponse, status: 413 | 503): Promise<void> {
  response.writeHead(status, { connection: 'close', 'content-type': 'text/plain' })
  response.end(status === 413 ? 'The body is too large\n' : 'The server is busy\n')
  request.resume()
  const isRead = new Promise<void>((resolve) => request.once('close', resolve).once('end', resolve))
  await inTime(isRead, LINGER_MS)
  request.socket.destroy()
}

async function write(response: ServerResponse, given: PeerAnswer, gone: AbortSignal): Promise<void> {
  if (typeof given.body === 'string') {
    const isDone = new Promise<void>((resolve) => response.once('close', resolve))
    const bytes = Buffer.from(given.body)
    response.writeHead(given.status, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...given.headers,
      'content-length': bytes.length,
    })
    response.end(bytes)
    if (!(await inTime(isDone, READ_MS))) response.destroy()
    return
  }
  response.writeHead(given.status, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    ...given.headers,
  })
  response.flushHeaders()
  await stream(response, given.body, gone)
}

async function stream(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  gone: AbortSignal,
): Promise<void> {
  const source = pieces[Symbol.asyncIterator]()
  const isGone = new Promise<null>((resolve) => gone.addEventListener('abort', () => resolve(null)))
  try {
    while (!gone.aborted) {
      const next = await Promise.race([source.next(), isGone])
      if (next === null || next.done === true) break
      if (response.write(next.value)) continue
      const isDrained = new Promise<void>((resolve) => response.once('drain', resolve))
      if (!(await inTime(Promise.race([isDrained, isGone]), READ_MS))) break
    }
  } catch {
    // What went wrong is the source's to say; the client sees that the stream was cut.
    response.destroy()
  }
  if (!response.writableEnded && !response.writableNeedDrain) response.end()
  else response.destroy()
  end(source)
}

function endSource(body: PeerAnswer['body']): void {
  if (typeof body !== 'string') end(body[Symbol.asyncIterator]())
}

/** Not awaited: a source that hangs must not hold the connection. */
function end(source: AsyncIterator<string>): void {
  Promise.resolve(source.return?.()).catch(() => {})
}
