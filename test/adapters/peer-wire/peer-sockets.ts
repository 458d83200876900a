/** Keys, certificates and servers for tests of the wire between agents. */
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { openPeerWire } from '../../../src/adapters/peer-wire/peer-wire.ts'
import { selfSigned } from '../../../src/adapters/peer-wire/self-signed.ts'
import type { PeerAnswer, PeerIncoming, PeerListen, PeerRequest } from '../../../src/ports/peer-port.ts'
import { MOMENT_MS } from '../../wait.ts'

export const wire = openPeerWire()
export const HOUR_MS = 3_600_000

export interface Machine {
  readonly privateKey: string
  readonly publicKey: string
  readonly cert: string
}

/** A machine with a key and a certificate for `localhost`, valid from an hour ago. */
export function machine(validMs = 2 * HOUR_MS): Machine {
  const key = wire.newKey()
  const from = new Date(Date.now() - HOUR_MS)
  const until = new Date(from.getTime() + validMs)
  return { ...key, cert: selfSigned({ privateKey: key.privateKey, name: 'localhost', from, until }) }
}

export const echo = async (request: PeerIncoming): Promise<PeerAnswer> => ({
  status: 200,
  body: JSON.stringify({ ...request, signal: undefined }),
})

/** Listens on a free port of 127.0.0.1 until the test ends. */
export async function serving(
  answer: PeerListen['answer'] = echo,
  { of, with: using = wire, mostBytes = 100_000 }: Serving = {},
): Promise<{ readonly port: number; readonly url: string; close(): Promise<void> }> {
  const tls = of === undefined ? null : { key: of.privateKey, cert: of.cert }
  const listening = await using.listen({ host: '127.0.0.1', port: 0, tls, mostBytes, answer })
  onTestFinished(() => listening.close())
  const url = `${tls === null ? 'http' : 'https'}://localhost:${listening.port}/x`
  return { port: listening.port, url, close: () => listening.close() }
}

interface Serving {
  readonly of?: Machine
  readonly with?: typeof wire
  readonly mostBytes?: number
}

export function post(url: string, more: Partial<PeerRequest> = {}): PeerRequest {
  return { url, method: 'POST', headers: {}, body: 'hello', trust: {}, timeoutMs: MOMENT_MS, ...more }
}

/** What comes back on a plain connection until the other side ends it. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    onTestFinished(() => void socket.destroy())
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve(got))
  })
}
