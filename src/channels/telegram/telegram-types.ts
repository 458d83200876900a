/**
 * Connections to Telegram, direct or through a proxy by CONNECT. Invariant 1: every wait has a limit. Invariant 2: over TLS
 * a proxy sees the host, not the content.
 */
import * as http from 'node:http'
import * as https from 'node:https'
import { connect as connectTls } from 'node:tls'
import type { Duplex } from 'node:stream'

type Callback = (error: Error | null, socket?: Duplex) => void

/** A proxy that does not answer CONNECT for so long is not there. */
const CONNECT_MS = 15_000
/** A download without data for so long is aborted. */
const STILL_MS = 30_000

/** For requests to an address such as `root`; null: node's own will do. */
export function agentFor(root: string, proxy: string | null): http.Agent | null {
  if (proxy === null) return null
  const isTls = root.startsWith('https:')
  const agent = isTls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  const through = (to: { host?: string; port?: number | string }, done: Callback): undefined => {
    const host = to.host ?? ''
    tunnel(
      new URL(proxy),
      `${host.includes(':') ? `[${host}]` : host}:${to.port ?? (isTls ? 443 : 80)}`,
      (error, socket) => {
        if (error !== null || socket === undefined) return done(error)
        if (!isTls) return done(null, socket)
        const secure = connectTls({ socket, servername: host })
        secure.once('error', done)
        secure.once('secureConnect', () => {
          secure.off('error', done)
          done(null, secure)
        })
      },
    )
  }
  // Node calls it for every new connection, and takes the socket from the callback.
  Object.assign(agent, { createConnection: through })
  return agent
}

function tunnel(proxy: URL, to: string, done: Callback): void {
  const { username, password } = proxy
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const headers = {
    Host: to,
    ...(username === '' ? {} : { 'Proxy-Authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
  }
  const { request } = proxy.protocol === 'https:' ? https : http
  const asked = request({
    host: proxy.hostname,
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
    method: 'CONNECT',
    path: to,
    headers,
    agent: false,
    timeout: CONNECT_MS,
  })
  let isOver = false
  const end: Callback = (error, socket) => {
    if (!isOver) done(error, socket)
    isOver = true
  }
  asked.once('connect', ({ statusCode = 0 }, socket) => {
    if (statusCode === 200) return end(null, socket)
    socket.destroy()
    end(new Error(`the proxy returned ${statusCode}`))
  })
  asked.once('response', ({ statusCode = 0 }) => end(new Error(`the proxy returned ${statusCode}`)))
  asked.once('timeout', () => asked.destroy(new Error('the proxy does not respond')))
  asked.once('error', end)
  asked.end()
}

export interface Download {
  readonly agent: http.Agent | null
  readonly mostBytes: number
  readonly signal: AbortSignal
}

/** The bytes; a text says why not. Rejects with node's error where nothing answers. */
export function download(url: string, { agent, mostBytes, signal }: Download): Promise<Buffer | string> {
  const { get } = url.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const asked = get(url, { signal, timeout: STILL_MS, ...(agent === null ? {} : { agent }) }, (answer) => {
      const pieces: Buffer[] = []
      let length = 0
      const stop = (why: string): void => {
        asked.destroy()
        resolve(why)
      }
      if (answer.statusCode !== 200) return stop(`Telegram returned ${answer.statusCode ?? 0}`)
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece)
        length += piece.length
        if (length > mostBytes) stop(`larger than ${Math.floor(mostBytes / 1024 / 1024)} MB`)
      })
      answer.once('end', () => resolve(Buffer.concat(pieces)))
      answer.once('error', reject)
    })
    asked.once('timeout', () => asked.destroy(new Error('the download stalled')))
    asked.once('error', reject)
  })
}
