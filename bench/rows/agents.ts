/** What a call between agents of two homes costs beside a bare HTTPS request: signature, check, pinned certificate. */
import { openPeerWire } from '../../src/adapters/peer-wire/peer-wire.ts'
import { openPeerClient } from '../../src/aoi/wire/peer-client.ts'
import { lineBeside, portOf } from '../bare-https.ts'
import { startResident } from '../resident.ts'
import type { Row } from '../row.ts'

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
    const door = await startResident(['node', 'bench/agent-door.mjs'], /ready \d+/, env)
    try {
      const client = openPeerClient({ wire, key: () => peer.privateKey, self: () => 'peer', now: Date.now })
      const endpoint = `https://localhost:${portOf(door)}`
      const receiver = { id: 'bench', endpoint, publicKey: own.publicKey }
      const call = async () => {
        const reply = await client.call(receiver, 'aoi.query', PARAMS, LIMITS)
        if (reply.kind !== 'result') throw new Error(`It answers ${JSON.stringify(reply)}`)
      }
      const rounds = quick ? 50 : 2_000
      return [await lineBeside('a signed call between agents, p50', { wire, params: PARAMS, call, rounds })]
    } finally {
      await door.end()
    }
  },
}

const LIMITS = { id: 1, timeoutMs: 30_000 }
