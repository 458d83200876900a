/** What somebody in between, or an agent that lies, gets from a whole home: nothing, and nothing changes there. */
import { expect, test } from 'vitest'
import { CONTEXT, type Node, startNode } from './node.ts'
import { type Reply, type SigningAgent, signingAgent } from './signing-agent.ts'

const READS = (id: string) => `{ agent_id: ${id}, pattern: acme/shop, permission: read, auto: true }`
const query = (from: string, id: string) =>
  JSON.stringify({
    ...{ jsonrpc: '2.0', id, method: 'aoi.query' },
    params: { from, to: 'ben', query: 'how far?', context_scope: [CONTEXT] },
  })

/** Ana has access, eve has a key and none. */
async function parties(): Promise<readonly [Node, SigningAgent, SigningAgent]> {
  const ben = await startNode('ben', { host: '127.0.0.1', rules: [READS('ana')] })
  return [ben, await signingAgent('ana', ben), await signingAgent('eve', ben)]
}

const asked = async (ben: Node) => (await ben.call('agent.requests', {})).map(({ agentId }) => agentId)
const message = ({ error }: Reply) => error?.message

test('a recorded request counts once, byte for byte the same', async () => {
  const [ben, ana] = await parties()
  const recorded = await ana.sign(query('ana', 'r-1'))
  expect(await ana.send(recorded)).toMatchObject({ status: 200, reply: { result: { completed: true } } })
  const again = await ana.send(recorded)
  expect([again.status, message(again.reply ?? {})]).toEqual([401, 'Authentication failed'])
  expect(await asked(ben)).toEqual(['ana'])
})

test('a recorded request counts for no other home and no other words', async () => {
  const [ben, ana] = await parties()
  const toDan = await ana.sign(query('ana', 'r-1'), { to: 'dan' })
  const changed = { ...(await ana.sign(query('ana', 'r-1'))), body: query('ana', 'r-2') }
  for (const recorded of [toDan, changed]) expect((await ana.send(recorded)).status).toBe(401)
  expect(await asked(ben)).toEqual([])
})

test('an agent gets nothing in the name of another one', async () => {
  const [ben, , eve] = await parties()
  const { reply } = await eve.send(await eve.sign(query('ana', 'r-1')))
  expect(reply?.error).toMatchObject({
    code: -32001,
    data: { reason: 'the request names another agent than the one that has signed it' },
  })
  const asAna = await eve.send(await eve.sign(query('ana', 'r-1'), { keyid: 'ana' }))
  expect([asAna.status, message(asAna.reply ?? {})]).toEqual([401, 'Authentication failed'])
  expect(await asked(ben)).toEqual([])
})

const INWARD = [
  ...['https://127.0.0.1:8443', 'https://169.254.169.254', 'https://[::1]:8443', 'http://2130706433'],
  ...['https://0x7f000001', 'https://0177.0.0.1', 'https://[::ffff:127.0.0.1]', 'https://192.0.2.1:8443'],
]

test('an address that an agent announces changes nothing, wherever it points', async () => {
  const [ben, ana] = await parties()
  const ours = ['--', 'neo.yaml', 'workspace/agents']
  const state = async () => {
    const { agents } = await ben.call('agent.list', {})
    const plain = agents.map(({ lastSeenAt: _, status: __, ...one }) => one)
    const files = [ben.home.git('log', '--format=%h', ...ours), ben.home.git('status', '-s', ...ours)]
    return { plain, files, asks: await ben.call('ask.list', {}) }
  }
  const before = await state()
  for (const endpoint of INWARD) {
    const identity = { id: 'ana', role: 'admin', endpoint, publicKey: 'p256:x' }
    const capabilities = { contexts: [CONTEXT], endpoint, identity }
    const params = { agent_id: 'ana', announce: true, endpoint, identity, capabilities }
    expect((await ana.call('aoi.discover', params)).result).toMatchObject({
      agents: [{ identity: { id: 'ben' } }],
    })
  }
  expect(await state()).toEqual(before)
  expect((await ben.call('agent.list', {})).agents[0]).toMatchObject({ endpoint: null, status: 'online' })
})
