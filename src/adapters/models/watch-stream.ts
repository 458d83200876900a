/**
 * Watches one request byte by byte, from under a library: its own fetch, which every byte passes. Why: the libraries'
 * own time-outs end at the headers, and a server that falls silent after them would be waited for for ever; pings count
 * as life, and only the wire shows them. Invariant 1: anyone who opens a watch ends it; then neither timer nor listener is
 * left.
 */

/** Texts of refusals are short; what is longer is a web page. */
const FAILURE_BYTES = 64 * 1024
/** Far above what any model writes in one reply; a stream without end would fill the memory. */
const REPLY_BYTES = 64 * 1024 * 1024
/** Enough for the line that ends a stream. */
const TAIL_BYTES = 64

export interface Failure {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Seen {
  /** Where the request went, without path and query. */
  readonly origin: string
  /** An answer with a good status began. */
  readonly answered: boolean
  /** Nothing came for too long, or the answer was too long. */
  readonly ended: 'silent' | 'endless' | null
  /** The answer where its status was no good one. */
  readonly failure: Failure | null
  readonly headers: Headers | null
  /** The last bytes, as text. */
  readonly tail: string
}

export interface Watch {
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
  readonly seen: () => Seen
  /** The reply is whole: what still comes may take `ms` at most. */
  readonly hurry: (ms: number) => void
  readonly end: () => void
}

type Seeing = { -readonly [Key in keyof Seen]: Seen[Key] }

export function watchBytes({
  signal,
  idleMs,
}: {
  readonly signal: AbortSignal
  readonly idleMs: number
}): Watch {
  const own = new AbortController()
  const seen: Seeing = { origin: '', answered: false, ended: null, failure: null, headers: null, tail: '' }
  const stop = () => own.abort()
  const over = (why: 'silent' | 'endless') => {
    seen.ended ??= why
    stop()
  }
  let timer = setTimeout(over, idleMs, 'silent')
  let bytes = 0
  const alive = (chunk: Uint8Array) => {
    timer.refresh()
    bytes += chunk.byteLength
    if (bytes > REPLY_BYTES) over('endless')
  }
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  return {
    signal: own.signal,
    seen: () => seen,
    fetch: (url, init) => seeingFetch(url, init, { seen, signal: own.signal, alive }),
    hurry: (ms) => {
      clearTimeout(timer)
      timer = setTimeout(over, ms, 'silent')
    },
    end: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      // Closes the socket of a stream that was left before its end.
      stop()
    },
  }
}

interface Sight {
  readonly seen: Seeing
  readonly signal: AbortSignal
  readonly alive: (chunk: Uint8Array) => void
}

async function seeingFetch(
  url: string | URL | Request,
  init: RequestInit | undefined,
  { seen, signal, alive }: Sight,
): Promise<Response> {
  seen.origin = originOf(url)
  const response = await fetch(url, {
    ...init,
    signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal,
  })
  alive(new Uint8Array())
  seen.headers = response.headers
  if (!response.ok) {
    const text = await beginningOf(response)
    seen.failure = { status: response.status, headers: response.headers, text }
    return like(response, text)
  }
  seen.answered = true
  if (response.body === null) return response
  const body = response.body.pipeThrough(
    counting((chunk) => {
      alive(chunk)
      seen.tail = (seen.tail + Buffer.from(chunk.subarray(-TAIL_BYTES)).toString('latin1')).slice(-TAIL_BYTES)
    }),
  )
  return like(response, body)
}

function counting(count: (chunk: Uint8Array) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      count(chunk)
      controller.enqueue(chunk)
    },
  })
}

/** The same answer around another body; its coding is undone already, so headers that tell of it are taken off. */
function like(response: Response, body: string | ReadableStream<Uint8Array>): Response {
  const headers = new Headers(response.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(body, { status: response.status, statusText: response.statusText, headers })
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes >= FAILURE_BYTES) break
    }
  } catch {
    // The status alone says enough.
  }
  return Buffer.concat(chunks).subarray(0, FAILURE_BYTES).toString('utf8')
}

function originOf(url: string | URL | Request): string {
  return new URL(url instanceof Request ? url.url : url).origin
}
