/** The baseline of calls between agents: a node:https server and client on a kept connection, without any check. */
import https from 'node:https'
import type { openPeerWire } from '../src/adapters/peer-wire/peer-wire.ts'
import { type Resident, startResident } from './resident.ts'
import { inMs, type Line } from './row.ts'
import { inTurn } from './time.ts'

/**
 * A line whose goal is so many ms more than a bare request, both in turn.
 * @param of.call throws if it isn't answered
 */
export async function lineBeside(
  work: string,
  of: {
    readonly wire: ReturnType<typeof openPeerWire>
    readonly params: unknown
    readonly call: () => Promise<void>
    readonly rounds: number
  },
): Promise<Line> {
  const { wire, params, call, rounds } = of
  const { privateKey: KEY } = wire.newKey()
  const CERT = await wire.certificateOf(KEY, 'localhost')
  const server = await startResident(['node', 'bench/floors/https.mjs'], /ready \d+/, { KEY, CERT })
  const agent = new https.Agent({ keepAlive: true, ca: CERT })
  try {
    const bare = () => timeOf(() => post({ port: portOf(server), agent, params }))
    const times = await inTurn({ bare, measured: () => timeOf(call) }, rounds)
    const more = times.measured.p50 - times.bare.p50
    return {
      work,
      goal: `≤ ${MOST_MS} ms more than bare HTTPS`,
      floor: inMs(times.bare.p50),
      measured: `${inMs(times.measured.p50)} = ${inMs(more)} more`,
      verdict: more <= MOST_MS ? 'ok' : 'over',
    }
  } finally {
    agent.destroy()
    await server.end()
  }
}

const MOST_MS = 5

export function portOf(server: Resident): number {
  return Number(/ready (\d+)/.exec(server.said())?.[1])
}

async function timeOf(call: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await call()
  return performance.now() - started
}

function post(of: {
  readonly port: number
  readonly agent: https.Agent
  readonly params: unknown
}): Promise<void> {
  const { port, agent, params } = of
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'aoi.query', params })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = https.request(
      { host: 'localhost', port, method: 'POST', path: '/', agent, headers },
      (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () => {
          JSON.parse(Buffer.concat(chunks).toString())
          resolve()
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
