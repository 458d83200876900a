/**
 * One GET to an address that was checked before. Invariant 1: the connection goes to the given address, whatever the
 * name means by now; the name stays in `Host` and in TLS, so that certificates are checked against it. Invariant 2: at
 * most `bytes` are held, also of a compressed body after it was unpacked.
 */
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import zlib from 'node:zlib'

export interface Got {
  readonly status: number
  readonly type: string
  /** Where a redirect leads; '' for none. */
  readonly location: string
  readonly body: Buffer
  readonly cut: boolean
}

const HEADERS = {
  'user-agent': 'neo-rooms',
  accept: 'text/html,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
}
/** Types whose body is text; for others it is not read. */
const TEXT =
  /^(text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|x-sh)\b|$)/i

export async function get(
  url: URL,
  address: string,
  limits: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<Got> {
  const answer = await answered(url, address, limits.signal)
  const status = answer.statusCode ?? 0
  const type = answer.headers['content-type'] ?? ''
  const location = status >= 300 && status < 400 ? (answer.headers.location ?? '') : ''
  if (location !== '' || !isText(type)) {
    answer.destroy()
    return { status, type, location, body: Buffer.alloc(0), cut: false }
  }
  const { body, cut } = await bodyOf(unpacked(answer), limits.bytes)
  answer.destroy()
  return { status, type, location, body, cut }
}

export function isText(type: string): boolean {
  return TEXT.test(type.trim())
}

function answered(url: URL, address: string, signal: AbortSignal): Promise<http.IncomingMessage> {
  const lookup: LookupFunction = (_, options, done) => {
    const family = isIP(address)
    if (options.all === true) done(null, [{ address, family }])
    else done(null, address, family)
  }
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? https.get : http.get
    const request = start(url, { lookup, agent: false, headers: HEADERS, signal })
    request.once('response', resolve)
    request.once('error', reject)
  })
}

function unpacked(answer: http.IncomingMessage): Readable {
  const how = (answer.headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpack =
    how === 'gzip' || how === 'x-gzip'
      ? zlib.createGunzip()
      : how === 'deflate'
        ? zlib.createInflate()
        : how === 'br'
          ? zlib.createBrotliDecompress()
          : null
  if (unpack === null) return answer
  answer.on('error', (error) => unpack.destroy(error))
  return answer.pipe(unpack)
}

async function bodyOf(
  stream: Readable,
  most: number,
): Promise<{ readonly body: Buffer; readonly cut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes.subarray(0, most - length))
    length += bytes.length
    if (length > most) return { body: Buffer.concat(chunks), cut: true }
  }
  return { body: Buffer.concat(chunks), cut: false }
}
