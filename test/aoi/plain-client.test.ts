/** A client of the agent protocol that is no home: it signs, counts its ids, and reads the card where it called. */
import { expect, test } from 'vitest'
import { openPeerWire } from '../../src/adapters/peer-wire/peer-wire.ts'
import { CONTEXT, startNode } from './node.ts'
import { signingAgent } from './signing-agent.ts'

const RULE = '{ agent_id: ana, pattern: acme/shop, permission: write, auto: true, tasks: [echo] }'
const ECHO = {
  'templates/tasks/echo.md':
    '---\ntitle: "Echo {{text}}"\nworker: shell\nstatus: draft\nparams:\n  text: { type: text }\n---\n```sh\ntrue\n```\n',
}
const OF = { from: 'ana', to: 'ben', context_scope: [CONTEXT] }

test('ids that begin from 1 again are other requests, and the same request is the same', async () => {
  const ben = await startNode('ben', { host: '127.0.0.1', rules: [RULE], files: ECHO })
  const ana = await signingAgent('ana', ben)
  const ask = (query: string) => ana.call('aoi.query', { ...OF, query })
  for (const query of ['how far?', 'what is open?', 'how far?'])
    expect((await ask(query)).result).toMatchObject({ completed: true })
  const asked = (await ben.call('agent.requests', {})).map(({ text }) => text)
  expect(asked).toEqual(['what is open?', 'how far?'])

  const make = async (text: string) => {
    const params = { ...OF, task_type: 'echo', task_params: { text }, async: true }
    return ((await ana.call('aoi.task.execute', params)).result as { readonly task_id: string }).task_id
  }
  const [one, other, again] = [await make('one'), await make('other'), await make('one')]
  expect([other === one, again === one]).toEqual([false, true])
  const titles = (await ben.call('task.list', {})).map(({ title }) => title)
  expect(titles.toSorted()).toEqual(['Echo one', 'Echo other'])
})

test('an agent that listens on all addresses says so, and its card names the one that was called', async () => {
  const ben = await startNode('ben', { host: '0.0.0.0' })
  const { port } = new URL(ben.endpoint())
  expect(ben.endpoint()).toBe(`https://0.0.0.0:${port}`)
  const path = '/.well-known/agent-card.json'
  const request = { method: 'GET', headers: {}, body: '', trust: null, timeoutMs: 60_000 } as const
  const reply = await openPeerWire().send({ ...request, url: `https://127.0.0.2:${port}${path}` })
  expect(reply.kind === 'reply' ? JSON.parse(reply.body) : reply).toMatchObject({
    supportedInterfaces: [{ url: `https://127.0.0.2:${port}/a2a/v1` }],
  })
})
