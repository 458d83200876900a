/** Neo asks an agent of another home, and its answer comes back into the conversation. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { type Answer, type Asked, startModel } from '../path/model.ts'
import { type Node, pair, startNode } from './node.ts'

const READ = 'agent_id: ana, scope_type: repository, pattern: acme/shop, permission: read'
const QUERY = 'How far is the list?'
const ask = (agentId: string) => ({
  calls: [{ name: 'ask_agent', input: { agent_id: agentId, query: QUERY } }],
})

function neo({ last }: Asked): Answer {
  if (last.includes('Ask zoe')) return ask('zoe')
  if (last.includes('Ask ben')) return ask('ben')
  return 'Understood.'
}

/** Ana, whose Neo has a model, and Ben, who answers. */
async function nodes(of: { readonly answers: string; readonly agent?: string }) {
  const model = await startModel(neo)
  const config = model.config.replace(/^daemon:.*$/m, '')
  const [ana, ben] = await Promise.all([
    startNode('ana', { host: '127.0.0.2', config, agent: of.agent ?? '' }),
    startNode('ben', { host: '127.0.0.3', rules: [`{ ${READ}${of.answers} }`] }),
  ])
  await pair(ana, ben)
  return { model, ana, ben }
}

const said = (node: Node, text: string) =>
  node.call('message.send', { roomId: 'shop', content: text }).then(() => {})

test('an answer that is there at once is the result of the call, as data', async () => {
  const { model, ana } = await nodes({ answers: ', auto: true', agent: 'approval_required: false' })
  await said(ana, 'Ask ben how far it is.')
  await until(() => model.asked.some(({ last }) => last.includes('There are no tasks')), 60_000)
  const heard = model.asked.find(({ last }) => last.includes('There are no tasks'))
  expect(heard?.last).toContain('<data from="peer:ben">')
})

test('an unknown agent is answered with those that there are', async () => {
  const { model, ana } = await nodes({ answers: '', agent: 'approval_required: false' })
  await said(ana, 'Ask zoe how far it is.')
  await until(() => model.asked.some(({ last }) => last.includes('there are: ben')), 60_000)
})

test('a question waits for approval here, its answer for approval there, and comes as a message', async () => {
  const { model, ana, ben } = await nodes({ answers: '' })
  await said(ana, 'Ask ben how far it is.')
  await approve(ana)
  await approve(ben)
  const answer = `ben answered "${QUERY}": There are no tasks`
  await until(() => model.asked.some(({ last }) => last.includes(answer)), 90_000)
  const heard = model.asked.find(({ last }) => last.includes(answer))
  expect(heard?.last).toContain('<data from="peer:ben">')
})

async function approve(node: Node): Promise<void> {
  await until(
    async () => (await node.call('ask.list', {})).some(({ decision }) => decision === 'pending'),
    60_000,
  )
  const [found] = await node.call('ask.list', {})
  await node.call('ask.decide', { askId: found?.id ?? '', decision: 'approved' })
}
