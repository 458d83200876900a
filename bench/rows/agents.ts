/** What a call between agents of two homes costs beside a bare HTTPS request: signature, check, pinned certificate. */
import https from 'node:https'
import { openPeerWire } from '../../src/adapters/peer-wire/peer-wire.ts'
import { openPeerClient } from '../../src/aoi/wire/peer-client.ts'
import { startResident } from '../resident.ts'
import { inMs, type Row } from '../row.ts'
import { inTurn } from '../time.ts'

const MOST_MS = 5
const PARAMS = {
  from: 'peer',
  to: 'bench',
  query: 'What is the state of the login?',
  async: false,
  timeout: 30,
}

export const agentsRow: Row = {
  name: 'agents',
  measures: 'a signed call between agents beside a bare HTTPS request, on kept connections',
  async run({ quick }) {
    const wire = openPeerWire()
    const [own, peer] = [wire.newKey(), wire.newKey()]
    const cert = await wire.certificateOf(own.privateKey, 'localhost')
    const env = { KEY: own.privateKey, CERT: cert, PEER: peer.publicKey }
    const [floor, door] = await Promise.all([
      startResident(['node', 'bench/floors/https.mjs'], /ready \d+/, env),
      startResident(['node', 'bench/agent-door.mjs'], /ready \d+/, env),
    ])
    try {
      const client = openPeerClient({ wire, key: () => peer.privateKey, self: () => 'peer', now: Date.now })
      const endpoint = `https://localhost:${portOf(door.said())}`
      const receiver = { id: 'bench', endpoint, publicKey: own.publicKey }
      const agent = new https.Agent({ keepAlive: true, ca: cert })
      const times = await inTurn(
        {
          bare: () => timeOf(() => bareCall(portOf(floor.said()), agent)),
          signed: () => timeOf(() => signedCall(() => client.call(receiver, 'aoi.query', PARAMS, LIMITS))),
        },
        quick ? 50 : 2_000,
      )
      agent.destroy()
      const more = times.signed.p50 - times.bare.p50
      return [
        {
          work: 'a signed call between agents, p50',
          goal: `≤ ${MOST_MS} ms more than bare HTTPS`,
          floor: inMs(times.bare.p50),
          measured: `${inMs(times.signed.p50)} = ${inMs(more)} more`,
          verdict: more <= MOST_MS ? 'ok' : 'over',
        },
      ]
    } finally {
      await Promise.all([floor.end(), door.end()])
    }
  },
}

const LIMITS = { id: 1, timeoutMs: 30_000 }

function portOf(said: string): number {
  return Number(/ready (\d+)/.exec(said)?.[1])
}

async function timeOf(call: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await call()
  return performance.now() - started
}

async function signedCall(call: () => Promise<{ readonly kind: string }>): Promise<void> {
  const reply = await call()
  if (reply.kind !== 'result') throw new Error(`It answers ${JSON.stringify(reply)}`)
}

function bareCall(port: number, agent: https.Agent): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'aoi.query', params: PARAMS })
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
