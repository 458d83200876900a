/**
 * The server of an agent, over a handler that answers at once: all that a call of another home costs before the hub.
 *
 *   KEY=<pem> CERT=<pem> PEER=<public key of the agent "peer"> node bench/agent-door.mjs
 *
 * Prints its port, then answers until it is killed.
 */
import { openFiles } from '../dist/adapters/disk/disk-files.js'
import { openPeerWire } from '../dist/adapters/peer-wire/peer-wire.js'
import { openAgentServer } from '../dist/aoi/wire/agent-server.js'
import { Verifier } from '../dist/aoi/wire/verify-request.js'

const { KEY: key, CERT: certificate, PEER: publicKey } = process.env
const wire = openPeerWire()
const peers = [{ id: 'peer', publicKey, capabilities: [], contexts: [], revoked: false, body: '' }]
const verifier = new Verifier({
  peers: () => peers,
  wire,
  self: () => 'bench',
  now: () => Date.now(),
})
const { port } = await openAgentServer({
  wire,
  config: { id: 'bench', host: '127.0.0.1', port: 0, tls: 'self' },
  key,
  certificate,
  verify: (incoming, bearer) => verifier.verify(incoming, bearer),
  routes: {
    async rpc(_, body) {
      const { id, method, params } = JSON.parse(body)
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: { method, params } }) }
    },
    a2a: async () => ({ status: 404, body: '' }),
    card: () => '{}',
  },
  files: openFiles(),
  home: '/',
})
process.stdout.write(`ready ${port}\n`)
